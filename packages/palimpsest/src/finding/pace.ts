/** The longest stretch of work without a pause. */
const MAX_MS = 8

/** Gives other work its turn when a long piece of work has run for a while. */
export class Pace {
  #since = performance.now()

  async keep(): Promise<void> {
    if (performance.now() - this.#since < MAX_MS) return
    await new Promise(resolve => setImmediate(resolve))
    this.#since = performance.now()
  }
}
