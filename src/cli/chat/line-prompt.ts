import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import type { Terminal } from '../terminal.ts'

interface LinePromptOptions {
  readonly input: Readable
  readonly screen: Terminal['output']
  /** What was typed before, newest first. */
  readonly history: readonly string[]
  /** What may stand after a `/`. */
  readonly commands: readonly string[]
  /** `isSeen`: it was typed at the prompt, and stands on the screen. */
  readonly onLine: (line: string, isSeen: boolean) => void
  /** Ctrl-C, with what stands at the prompt. */
  readonly onInterrupt: (typed: string) => void
  /** Ctrl-D, or whoever typed is gone. */
  readonly onEnd: () => void
}

const PROMPT = '> '
const MOST_HISTORY = 500

/**
 * The line at which somebody types. While a reply is shown it is hidden, and what is typed then appears with the next
 * prompt. Several lines that come at once were pasted: they are one.
 */
export class LinePrompt {
  readonly #options: LinePromptOptions
  readonly #gate: Gate
  readonly #lines: Interface
  #pasted: string[] = []
  #isShown = false
  #isClosed = false

  constructor(options: LinePromptOptions) {
    const { input, screen, history, commands, onInterrupt, onEnd } = options
    this.#options = options
    this.#gate = new Gate(screen)
    this.#lines = createInterface({
      input,
      output: this.#gate,
      terminal: true,
      prompt: PROMPT,
      history: [...history],
      historySize: MOST_HISTORY,
      removeHistoryDuplicates: true,
      completer: (line: string) => [completions(line, commands), line],
    })
    this.#lines.on('line', line => this.#take(line))
    this.#lines.on('SIGINT', () => onInterrupt(this.#lines.line))
    this.#lines.on('close', () => {
      if (!this.#isClosed) onEnd()
    })
  }

  show(): void {
    if (this.#isShown || this.#isClosed) return
    this.#isShown = true
    this.#gate.isOpen = true
    this.#draw()
  }

  hide(): void {
    this.#isShown = false
    this.#gate.isOpen = false
  }

  /** Takes away what was typed, as a shell does. */
  clear(): void {
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
  }

  /** Something is written where the prompt stands; the prompt comes after it. */
  aside(write: () => void): void {
    if (!this.#isShown) {
      write()
      return
    }
    const { screen } = this.#options
    moveCursor(screen, 0, -this.#lines.getCursorPos().rows)
    cursorTo(screen, 0)
    clearScreenDown(screen)
    write()
    this.#draw()
  }

  close(): void {
    this.#isClosed = true
    this.#lines.close()
  }

  /** With what was typed meanwhile. */
  #draw(): void {
    // Where the line stood before is no business of what is drawn now.
    Object.assign(this.#lines, { prevRows: 0 })
    this.#lines.prompt(true)
  }

  #take(line: string): void {
    const isSeen = this.#isShown
    this.#pasted.push(line)
    if (this.#pasted.length > 1) return
    setImmediate(() => {
      const lines = this.#pasted
      this.#pasted = []
      this.hide()
      const isCommand = lines[0]!.startsWith('/') && !lines[0]!.startsWith('//')
      for (const each of isCommand ? lines : [lines.join('\n')]) this.#options.onLine(each, isSeen)
    })
  }
}

function completions(line: string, commands: readonly string[]): string[] {
  return commands.map(name => `/${name}`).filter(name => name.startsWith(line) && line !== '')
}

/** What `readline` draws goes to the screen only while the prompt is there. */
class Gate extends Writable {
  isOpen = false
  readonly isTTY = true
  readonly #screen: Terminal['output']

  constructor(screen: Terminal['output']) {
    super()
    this.#screen = screen
    screen.on('resize', () => this.emit('resize'))
  }

  get columns(): number {
    return this.#screen.columns || 80
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    if (this.isOpen) this.#screen.write(chunk)
    done()
  }
}
