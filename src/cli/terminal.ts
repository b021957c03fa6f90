import type { Writable } from 'node:stream'

export interface Terminal {
  readonly output: Writable
  readonly error: Writable & { readonly isTTY?: boolean }
}

/** Ctrl-C: an orderly end, with a word on what was done. */
export class InterruptedError extends Error {}

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
    if (!this.#terminal.error.isTTY) return
    const now = performance.now()
    if (now - this.#last < REDRAW_MS) return
    this.#last = now
    this.#shown = true
    const percent = `${Math.floor(Math.min(1, share) * 100)}%`.padStart(4)
    this.#terminal.error.write(`\r\u001b[K${this.#label}${percent}${detail && `  ${detail}`}`)
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
