/** Work that goes on after an answer has begun. It must not be lost when the server closes. */
export class UnderWay {
  readonly #works = new Set<Promise<unknown>>()

  add(work: Promise<unknown>): void {
    const over = () => this.#works.delete(work)
    this.#works.add(work)
    work.then(over, over)
  }

  /** Resolves when all work has ended, or when the time is over. */
  async settled(ms: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    while (this.#works.size > 0) {
      const first = await Promise.race([late.then(() => 'late'), Promise.allSettled(this.#works)])
      if (first === 'late') break
    }
    clearTimeout(timer)
  }
}
