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

/** One line on a terminal's standard error that is redrawn in place; elsewhere, nothing. */
export class Progress {
  readonly #terminal: Terminal
  readonly #label: string
  #last = 0
  #shown = false

  constructor(terminal: Terminal, label: string) {
    this.#terminal = terminal
    this.#label = label
  }

  update(share: number, detail = ''): void {
    const { error } = this.#terminal
    if (!error.isTTY) return
    const now = performance.now()
    if (now - this.#last < REDRAW_MS) return
    this.#last = now
    this.#shown = true
    const percent = `${Math.floor(Math.min(1, share) * 100)}%`.padStart(4)
    const line = `${this.#label}${percent}${detail && `  ${detail}`}`
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
