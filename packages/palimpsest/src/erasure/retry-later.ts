/** Something that could not be done is tried again after ever longer rests, however often somebody asks for it. */
export class RetryLater {
  readonly #firstMs: number
  readonly #longestMs: number
  #failures = 0
  #notBefore = 0

  constructor({ firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number }) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
  }

  /** How often it failed in a row. */
  get failures(): number {
    return this.#failures
  }

  /** Milliseconds until it may be tried again; 0: now. */
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
