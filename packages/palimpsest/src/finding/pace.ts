/** What may be done at a stretch. */
const MAX_MS = 8

/** Lets everything else have its turn whenever a long piece of work has gone on for a while. */
export class Pace {
  #since = performance.now()

  async keep(): Promise<void> {
    if (performance.now() - this.#since < MAX_MS) return
    await new Promise(resolve => setImmediate(resolve))
    this.#since = performance.now()
  }
}
