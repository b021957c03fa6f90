import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Session } from 'palimpsest/internals/session'
import type { Terminal } from '../../terminal.ts'

/** What a command may look at and change. Nothing is being answered while it runs. */
export interface CommandContext {
  readonly palimpsest: Palimpsest
  readonly session: Session
  /** A model answers, and is offered the memory tools. */
  readonly hasModel: boolean
  /** Whose chat it is; `null`: nobody's in particular. */
  readonly user: string | null
  readonly zone: string
  readonly screen: Terminal['output']
  /** Somebody does not want to wait any longer. */
  readonly signal: AbortSignal
  /** Says what is being done, until it is done. */
  onProgress(text: string): void
}

export interface CommandResult {
  /** For a person. */
  readonly text: string
  /** For a program. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface ChatCommand {
  readonly name: string
  /** What may stand behind it. */
  readonly takes?: string
  readonly help: string
  run(rest: string, context: CommandContext): Promise<CommandResult>
}
