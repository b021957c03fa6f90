import type { Readable, Writable } from 'node:stream'

/** A stream that may lead to a screen. */
type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number }

export interface Terminal {
  readonly output: Screen
  readonly error: Screen
  /** For commands that read what somebody types. The default: standard input. */
  readonly input?: Readable & { readonly isTTY?: boolean }
}

/** How many characters a line of it has; `undefined`: it is a file or a pipe. */
export function columnsOf(screen: Screen): number | undefined {
  // Some terminals say 0 as long as they do not know.
  return (screen.isTTY && screen.columns) || undefined
}

/** Ctrl-C: an orderly end, with a word on what was done. */
export class InterruptedError extends Error {}

/** The work is done and its result is told; what it found is said by the exit code, too. */
export class ExitCodeError extends Error {
  readonly exitCode: number
  constructor(exitCode: number, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Nothing went wrong, but there is nothing to show, or nothing was done, as somebody wished. */
export class NoResultError extends Error {}

const REDRAW_MS = 100
/** Work that is shorter says nothing in a log. */
const LINE_EVERY_MS = 30_000

/** One line on a terminal's standard error that is redrawn in place; elsewhere, such as in a log, a line now and then. */
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
    // A line that wraps could not be redrawn.
    error.write(`\r\u001b[K${line.slice(0, (columnsOf(error) ?? Infinity) - 1)}`)
  }

  end(): void {
    if (this.#shown) this.#terminal.error.write('\r\u001b[K')
    this.#shown = false
  }
}

/** Tells of Ctrl-C while `work` runs; the second one ends the process at once, as everywhere. */
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
