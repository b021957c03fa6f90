/** So many at a time; who comes later waits in line. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Call what it gives when you are done; again, it does nothing. */
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
