import type { ReplyReport } from '@palimpsest/bot'
import type { CommandResult } from './commands/index.ts'

/** Where a chat is shown: on a screen, as plain lines, or as JSON. */
export interface ChatView {
  /** Takes the text of a reply, piece by piece. */
  readonly replies: { write(text: string): unknown }
  replyEnded(report: Pick<ReplyReport, 'outcome' | 'seqs' | 'error'>): void
  commandEnded(name: string, result: CommandResult): void
  /** Shows what is under way, until it ends. */
  progress(text: string): void
  /** Something that the person may want to know. */
  notice(text: string): void
  /** Something was not done. */
  problem(text: string): void
}
