/**
 * Runs work for the same key one after the other, even if the work before
 * failed. A key without work is forgotten.
 */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const done = before.then(work)
    const settled = done.catch(() => {})
    this.#last.set(key, settled)
    try {
      return await done
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }

  get size(): number {
    return this.#last.size
  }
}
