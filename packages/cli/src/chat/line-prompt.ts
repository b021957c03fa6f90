import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Terminal } from '../terminal.ts'
import { PASTE_MARKS_OFF, PASTE_MARKS_ON, PasteReader } from './read-pastes.ts'
import { asMessage } from './typed-line.ts'

interface LinePromptOptions {
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown }
  readonly screen: Terminal['output']
  /** The lines that were typed before, newest first. */
  readonly history: readonly string[]
  /** The commands that may follow a `/`. */
  readonly commands: readonly string[]
  /** `isSeen`: the line was typed at the visible prompt, so it already stands on the screen. */
  readonly onLine: (line: string, isSeen: boolean) => void
  /** Ctrl-C. `typed` is the text that stands at the prompt. */
  readonly onInterrupt: (typed: string) => void
  /** Ctrl-D, or the input has ended. */
  readonly onEnd: () => void
}

const PROMPT = '> '
const MAX_HISTORY = 500
/**
 * Stands for a line break of pasted text within the line. No key types the variation selector after the sign.
 */
const BREAK = '⏎\ufe0e'

/**
 * The line in which the person types. It is hidden while a reply is shown; what is typed meanwhile appears
 * with the next prompt. Pasted text is one message and never a command. Where the terminal does not mark
 * pasted text, several lines that come at once count as pasted.
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
  /** The pasted text with which the line begins. */
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
    // A program that was in the foreground meanwhile may have turned the paste marks off.
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

  /** Removes what was typed, as a shell does, from all the rows on which it stands. */
  clear(): void {
    this.aside(() => {
      this.#gate.isOpen = false
      this.#lines.write(null, { ctrl: true, name: 'e' })
      this.#lines.write(null, { ctrl: true, name: 'u' })
      this.#gate.isOpen = this.#isShown
    })
    this.#pastedStart = null
  }

  /** Writes something where the prompt stands, and draws the prompt again after it. */
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

  /** Shows the prompt with everything that was typed while it was hidden. */
  #draw(): void {
    // `readline` must forget on which row the line stood before.
    Object.assign(this.#lines, { prevRows: 0 })
    this.#lines.prompt(true)
  }

  #read(chunk: Buffer | string): void {
    const piece = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    for (const input of this.#pastes.read(piece)) {
      if (this.#isClosed) return
      // Passed on at once, so that keys typed before a paste stand before it.
      if ('typed' in input) this.#keys.emit('data', input.typed)
      else this.#paste(input.pasted)
    }
  }

  /**
   * Pasted text that ends with a line break is sent. Other pasted text stays at the prompt until the person
   * presses Enter.
   */
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

/** Passes on what `readline` draws only while the prompt is shown. */
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
