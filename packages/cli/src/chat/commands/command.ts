import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Session } from 'palimpsest/internals/session'
import type { Terminal } from '../../terminal.ts'

/** What a command may read and change. No reply is under way while the command runs. */
export interface CommandContext {
  readonly palimpsest: Palimpsest
  readonly session: Session
  /** A model answers, and is offered the memory tools. */
  readonly hasModel: boolean
  /** The person whose chat it is. `null`: it belongs to no single person. */
  readonly user: string | null
  readonly zone: string
  readonly screen: Terminal['output']
  /** Aborted when the person stops waiting. */
  readonly signal: AbortSignal
  /** Shows what is being done, until the command ends. */
  onProgress(text: string): void
}

export interface CommandResult {
  /** What a person reads. */
  readonly text: string
  /** What a program reads. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface ChatCommand {
  readonly name: string
  /** The arguments, as the help shows them. */
  readonly takes?: string
  readonly help: string
  run(rest: string, context: CommandContext): Promise<CommandResult>
}
