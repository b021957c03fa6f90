import type { Message } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { FinishedTurn, Turn, TurnOptions } from 'palimpsest/internals/turn/index'
import type { Trigger } from './channel.ts'

/**
 * Makes the answers. It returns text, whole or in pieces, which the runtime stores, or a `Reply` that stores
 * itself.
 */
export type Responder = (request: ReplyRequest) => Reply | AsyncIterable<string> | Promise<Reply | string>

export interface ReplyRequest {
  readonly session: Session
  /** The messages to answer, in the order of their arrival. All earlier messages are in the session. */
  readonly messages: readonly Message[]
  readonly trigger: Trigger
  /** 1 at first, higher after failures. */
  readonly attempt: number
  /**
   * Aborted when a person stops the reply, a newer message interrupts it, its time is over, or the program
   * ends.
   */
  readonly signal: AbortSignal
  /**
   * Like `session.turn()`, but storing the reply also notes in the same step that these messages are
   * answered.
   */
  turn<Tools extends object = object>(options?: TurnOptions<Tools>): Promise<Turn<Tools>>
}

/** A reply that stores itself when it has ended. */
export interface Reply {
  readonly text: AsyncIterable<string>
  /** No part of the text is Markdown: it is shown as it is. */
  readonly isPlain?: boolean
  /** Called once, when the text has ended, was abandoned, or has thrown. */
  finish(): Promise<FinishedTurn>
}
