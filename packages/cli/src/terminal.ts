import type { Readable, Writable } from 'node:stream'

/** A stream that may lead to a screen. `columns` is its width in characters. */
type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number }

export interface Terminal {
  readonly output: Screen
  readonly error: Screen
  /** For commands that read what a person types. The default is standard input. */
  readonly input?: Readable & { readonly isTTY?: boolean }
}

/** The width of the screen in characters. `undefined`: it is a file or a pipe. */
export function columnsOf(screen: Screen): number | undefined {
  // Some terminals report 0 until they know their width.
  return (screen.isTTY && screen.columns) || undefined
}

/** Thrown on Ctrl-C. The program ends in order, and the message tells what was done. */
export class InterruptedError extends Error {}

/** The work is done and its result is written. The exit code tells what the work found. */
export class ExitCodeError extends Error {
  readonly exitCode: number
  constructor(exitCode: number, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** There was no error, but there is nothing to show, or a person chose that nothing is done. */
export class NoResultError extends Error {}

const REDRAW_MS = 100
/** In a log, shorter work writes no line of progress. */
const LINE_EVERY_MS = 30_000

/** On a terminal, one line of standard error that is redrawn in place. In a log, a new line now and then. */
export class Progress {
  readonly #terminal: Terminal
  readonly #label: string
  #last: number
  #shown = false

  constructor(terminal: Terminal, label: string) {
    this.#terminal = terminal
    this.#label = label
    this.#last = terminal.error.isTTY ? 0 : performance.now()
  }

  update(share: number, detail = ''): void {
    const { error } = this.#terminal
    const now = performance.now()
    if (now - this.#last < (error.isTTY ? REDRAW_MS : LINE_EVERY_MS)) return
    this.#last = now
    const percent = `${Math.floor(Math.min(1, share) * 100)}%`.padStart(4)
    const line = `${this.#label}${percent}${detail && `  ${detail}`}`
    if (!error.isTTY) return void error.write(`${line}\n`)
    this.#shown = true
    // The line must not wrap: a wrapped line cannot be redrawn.
    error.write(`\r\u001b[K${line.slice(0, (columnsOf(error) ?? Infinity) - 1)}`)
  }

  end(): void {
    if (this.#shown) this.#terminal.error.write('\r\u001b[K')
    this.#shown = false
  }
}

/** Tells `work` about the first Ctrl-C. A second one ends the process at once. */
export async function interruptible<Result>(
  work: (isInterrupted: () => boolean) => Promise<Result>,
): Promise<Result> {
  let interrupted = false
  const onSignal = () => {
    interrupted = true
    process.off('SIGINT', onSignal)
  }
  process.on('SIGINT', onSignal)
  try {
    return await work(() => interrupted)
  } finally {
    process.off('SIGINT', onSignal)
  }
}
