import type { Terminal } from '../terminal.ts'
import type { ChatView } from './chat-view.ts'
import type { CommandResult } from './commands/index.ts'
import { failureText } from './ended-text.ts'

/** Writes one JSON object a line on standard output, and nothing else there. */
export class JsonView implements ChatView {
  readonly #terminal: Terminal
  #text = ''

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  readonly replies = {
    write: (text: string) => {
      this.#text += text
    },
  }

  replyEnded(report: Parameters<ChatView['replyEnded']>[0]): void {
    const { outcome, seqs } = report
    const text = this.#text.trim()
    this.#text = ''
    const failure = failureText(report)
    this.#print({
      type: 'reply',
      outcome,
      answers: seqs,
      text: text === '' ? null : text,
      ...(failure !== null && { error: { message: failure } }),
    })
  }

  commandEnded(command: string, { json }: CommandResult): void {
    this.#print({ type: 'command', command, ...json })
  }

  progress(): void {}

  notice(text: string): void {
    this.#terminal.error.write(`${text}\n`)
  }

  problem(text: string): void {
    this.#print({ type: 'error', error: { message: text } })
  }

  #print(value: object): void {
    this.#terminal.output.write(`${JSON.stringify(value)}\n`)
  }
}
