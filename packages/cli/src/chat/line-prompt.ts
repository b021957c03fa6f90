import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Terminal } from '../terminal.ts'
import { PASTE_MARKS_OFF, PASTE_MARKS_ON, PasteReader } from './read-pastes.ts'
import { asMessage } from './typed-line.ts'

interface LinePromptOptions {
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown }
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
const MAX_HISTORY = 500
/** A line break in what was pasted, as it stands in the line. Nobody types the selector behind the sign. */
const BREAK = '⏎\ufe0e'

/**
 * The line at which somebody types. While a reply is shown it is hidden, and what is typed then appears with the next
 * prompt. What is pasted is one message, and no command. Where the terminal does not mark it, several lines that come
 * at once were pasted.
 */
export class LinePrompt {
  readonly #options: LinePromptOptions
  readonly #gate: Gate
  readonly #lines: Interface
  readonly #keys = new Readable({ read() {} })
  readonly #decoder = new StringDecoder('utf8')
  readonly #pastes = new PasteReader()
  readonly #onInput = (chunk: Buffer | string) => this.#read(chunk)
  readonly #onInputEnd = () => this.#keys.push(null)
  #atOnce: string[] = []
  /** With what was pasted the line begins. */
  #pastedStart: string | null = null
  #isShown = false
  #isClosed = false

  constructor(options: LinePromptOptions) {
    const { input, screen, history, commands, onInterrupt, onEnd } = options
    this.#options = options
    this.#gate = new Gate(screen)
    const setRawMode = (isRaw: boolean) => input.setRawMode?.(isRaw)
    this.#lines = createInterface({
      input: Object.assign(this.#keys, { setRawMode }),
      output: this.#gate,
      terminal: true,
      prompt: PROMPT,
      history: [...history],
      historySize: MAX_HISTORY,
      removeHistoryDuplicates: true,
      completer: (line: string) => [completions(line, commands), line],
    })
    this.#lines.on('line', line => this.#take(line))
    this.#lines.on('SIGINT', () => onInterrupt(this.#lines.line))
    this.#lines.on('close', () => {
      if (!this.#isClosed) onEnd()
    })
    // Whoever was in the foreground meanwhile has changed it.
    this.#lines.on('SIGCONT', () => screen.write(PASTE_MARKS_ON))
    screen.write(PASTE_MARKS_ON)
    input.on('data', this.#onInput)
    input.on('end', this.#onInputEnd)
  }

  get isShown(): boolean {
    return this.#isShown
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

  /** Takes away what was typed, as a shell does, from all the rows on which it stood. */
  clear(): void {
    this.aside(() => {
      this.#gate.isOpen = false
      this.#lines.write(null, { ctrl: true, name: 'e' })
      this.#lines.write(null, { ctrl: true, name: 'u' })
      this.#gate.isOpen = this.#isShown
    })
    this.#pastedStart = null
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
    if (this.#isClosed) return
    const { input, screen } = this.#options
    this.#isClosed = true
    this.#lines.close()
    input.off('data', this.#onInput)
    input.off('end', this.#onInputEnd)
    input.pause()
    screen.write(PASTE_MARKS_OFF)
  }

  /** With what was typed meanwhile. */
  #draw(): void {
    // Where the line stood before is no business of what is drawn now.
    Object.assign(this.#lines, { prevRows: 0 })
    this.#lines.prompt(true)
  }

  #read(chunk: Buffer | string): void {
    const piece = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    for (const input of this.#pastes.read(piece)) {
      if (this.#isClosed) return
      // At once, so that what was typed before a paste stands before it.
      if ('typed' in input) this.#keys.emit('data', input.typed)
      else this.#paste(input.pasted)
    }
  }

  /** One that ends with a line break is sent; another stands at the prompt until somebody presses Enter. */
  #paste(pasted: string): void {
    const text = pasted.replace(/\r\n|[\r\u2028\u2029]/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
    const isSent = text.endsWith('\n') && text.trim() !== ''
    const inserted = (isSent ? text.slice(0, -1) : text).replaceAll('\n', BREAK)
    if (this.#lines.line === '') this.#pastedStart = /^\s*\S*/.exec(inserted)![0]
    this.#lines.write(inserted)
    if (isSent) this.#lines.write(null, { name: 'return' })
  }

  #take(line: string): void {
    const isSeen = this.#isShown
    const isPasted = this.#pastedStart !== null && line.startsWith(this.#pastedStart)
    this.#pastedStart = null
    if (line.includes(BREAK) || isPasted) {
      this.hide()
      setImmediate(() => this.#options.onLine(asMessage(line.replaceAll(BREAK, '\n')), isSeen))
      return
    }
    this.#atOnce.push(line)
    if (this.#atOnce.length > 1) return
    setImmediate(() => {
      const lines = this.#atOnce
      this.#atOnce = []
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
