import type { ReplyReport } from '@palimpsest/bot'
import type { CommandResult } from './commands/index.ts'

/** Where a chat is shown: on a screen, as plain lines, or as JSON. */
export interface ChatView {
  /** What the bot says, as it comes. */
  readonly replies: { write(text: string): unknown }
  replyEnded(report: Pick<ReplyReport, 'outcome' | 'seqs' | 'error'>): void
  commandEnded(name: string, result: CommandResult): void
  /** What is being done, for as long as it takes. */
  progress(text: string): void
  /** By the way. */
  notice(text: string): void
  /** Something was not done. */
  problem(text: string): void
}
