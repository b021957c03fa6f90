/** Lets a fixed number of callers in at a time. Further callers wait in line. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** The caller calls the result when it is done. A second call does nothing. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>(resolve => this.#waiting.add(resolve))
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const [next] = this.#waiting
      if (next === undefined) this.#free += 1
      else {
        this.#waiting.delete(next)
        next()
      }
    }
  }
}
