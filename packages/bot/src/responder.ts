import type { Message } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { FinishedTurn, Turn, TurnOptions } from 'palimpsest/internals/turn/index'
import type { Trigger } from './channel.ts'

/** What answers. Either text as it comes (the runtime stores it), or a `Reply` that stores itself. */
export type Responder = (request: ReplyRequest) => Reply | AsyncIterable<string> | Promise<Reply | string>

export interface ReplyRequest {
  readonly session: Session
  /** Those that are answered, in the order of their arrival. Everything before them is in the session. */
  readonly messages: readonly Message[]
  readonly trigger: Trigger
  /** 1 at first; more after failures. */
  readonly attempt: number
  /** Somebody stopped it, a newer message interrupts it, its time is over, or the program ends. */
  readonly signal: AbortSignal
  /** `session.turn()`, in which storing the reply and noting that these messages are answered are one step. */
  turn<Tools extends object = object>(options?: TurnOptions<Tools>): Promise<Turn<Tools>>
}

/** A reply that stores itself when it has ended. */
export interface Reply {
  readonly text: AsyncIterable<string>
  /** None of the text is Markdown: it is shown as it is. */
  readonly isPlain?: boolean
  /** Called once, after the text has ended, was left or has thrown. */
  finish(): Promise<FinishedTurn>
}
