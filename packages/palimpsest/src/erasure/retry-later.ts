/** A pause after failed work. It grows with each failure, however often a caller asks for the work. */
export class RetryLater {
  readonly #firstMs: number
  readonly #longestMs: number
  #failures = 0
  #notBefore = 0

  constructor({ firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number }) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
  }

  /** The number of failures in a row. */
  get failures(): number {
    return this.#failures
  }

  /** Milliseconds until the next try. 0: it may be tried now. */
  get leftMs(): number {
    return Math.max(0, this.#notBefore - performance.now())
  }

  failed(leastMs = 0): void {
    const restMs = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(this.#failures, 30))
    this.#failures += 1
    this.#notBefore = performance.now() + Math.max(leastMs, restMs)
  }

  succeeded(): void {
    this.#failures = 0
    this.#notBefore = 0
  }
}
