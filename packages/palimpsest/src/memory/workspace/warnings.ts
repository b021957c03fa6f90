import type { Warn } from '../../store/index.ts'

/**
 * Gives a warning about a file once, until the file is in order again. Files are looked at every few seconds.
 */
export class Warnings {
  readonly #warn: Warn
  readonly #said = new Map<string, Set<string>>()

  constructor(warn: Warn) {
    this.#warn = warn
  }

  once(path: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    const said = this.#said.get(path) ?? new Set()
    this.#said.set(path, said)
    if (said.has(message)) return
    said.add(message)
    this.always(path, message, details)
  }

  always(path: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    this.#warn(`${path}: ${message}`, { path, ...details })
  }

  clear(path: string): void {
    this.#said.delete(path)
  }
}
