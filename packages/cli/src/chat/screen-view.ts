import { styleText } from 'node:util'
import type { Terminal } from '../terminal.ts'
import type { ChatView } from './chat-view.ts'
import type { CommandResult } from './commands/index.ts'
import { endNote, failureText } from './ended-text.ts'

type Style = 'dim' | 'red' | 'bold'

/** For a person at a screen. */
export class ScreenView implements ChatView {
  readonly #screen: Terminal['output']
  /**
   * Moves the prompt away while something is written: what the person types stands on the last lines of the
   * screen.
   */
  #aside: (write: () => void) => void = write => write()
  #hasProgress = false
  /** The lines that the person typed while another reply was shown. */
  readonly #queued: string[] = []

  constructor(screen: Terminal['output']) {
    this.#screen = screen
  }

  readonly replies = { write: (text: string) => this.#screen.write(text) }

  /** Sets how the prompt is moved away from now on. */
  setAside(aside: (write: () => void) => void): void {
    this.#aside = aside
  }

  /** Shows the line when the reply under way has ended. */
  queue(line: string): void {
    this.#queued.push(line)
  }

  replyEnded(report: Parameters<ChatView['replyEnded']>[0]): void {
    const failure = failureText(report)
    const note = endNote(report)
    if (failure !== null) {
      this.problem(failure)
      return
    }
    if (note !== null) this.notice(note)
    this.#gap()
  }

  commandEnded(_: string, { text }: CommandResult): void {
    this.#endProgress()
    this.#screen.write(`${text}\n`)
    this.#gap()
  }

  progress(text: string): void {
    this.#endProgress()
    this.#screen.write(this.#styled('dim', text))
    this.#hasProgress = true
  }

  notice(text: string): void {
    this.#endProgress()
    this.#aside(() => this.#screen.write(`${this.#styled('dim', text)}\n`))
  }

  problem(text: string): void {
    this.#endProgress()
    this.#screen.write(`${this.#styled('red', text)}\n`)
    this.#gap()
  }

  /** Separates two turns. */
  #gap(): void {
    this.#screen.write('\n')
    for (const line of this.#queued.splice(0)) this.#screen.write(`${this.#styled('dim', `> ${line}`)}\n`)
  }

  #endProgress(): void {
    if (this.#hasProgress) this.#screen.write('\r\u001b[K')
    this.#hasProgress = false
  }

  /** Writes no colours where the environment forbids them (NO_COLOR). */
  #styled(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#screen })
  }
}
