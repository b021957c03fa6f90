import type { Terminal } from '../terminal.ts'
import type { ChatView } from './chat-view.ts'
import type { CommandResult } from './commands/index.ts'
import { endNote, failureText } from './ended-text.ts'

/** For pipes: replies and results go to standard output, everything else to standard error. */
export class PlainView implements ChatView {
  readonly #terminal: Terminal

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  get replies(): ChatView['replies'] {
    return this.#terminal.output
  }

  replyEnded(report: Parameters<ChatView['replyEnded']>[0]): void {
    const failure = failureText(report)
    const note = endNote(report)
    if (failure !== null) this.problem(failure)
    else if (note !== null) this.notice(note)
  }

  commandEnded(_: string, { text }: CommandResult): void {
    this.#terminal.output.write(`${text}\n`)
  }

  progress(): void {}

  notice(text: string): void {
    this.#terminal.error.write(`${text}\n`)
  }

  problem(text: string): void {
    this.#terminal.error.write(`palimpsest: ${text}\n`)
  }
}
