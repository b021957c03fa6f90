/** Gives the number with the highest score first; of equal scores, the smaller number. */
export class Heap {
  readonly #items: number[] = []
  readonly #scores: number[] = []

  get size(): number {
    return this.#items.length
  }

  get topScore(): number {
    return this.#scores[0] ?? Number.NEGATIVE_INFINITY
  }

  push(item: number, score: number): void {
    let at = this.#items.length
    this.#items.push(item)
    this.#scores.push(score)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(at, parent)) break
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): number | undefined {
    const top = this.#items[0]
    const item = this.#items.pop()
    const score = this.#scores.pop()
    if (this.#items.length === 0) return top
    this.#items[0] = item!
    this.#scores[0] = score!
    let at = 0
    for (;;) {
      let first = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.#items.length && this.#before(child, first)) first = child
      if (first === at) return top
      this.#swap(at, first)
      at = first
    }
  }

  #before(left: number, right: number): boolean {
    const difference = this.#scores[left]! - this.#scores[right]!
    return difference > 0 || (difference === 0 && this.#items[left]! < this.#items[right]!)
  }

  #swap(left: number, right: number): void {
    const item = this.#items[left]!
    const score = this.#scores[left]!
    this.#items[left] = this.#items[right]!
    this.#scores[left] = this.#scores[right]!
    this.#items[right] = item
    this.#scores[right] = score
  }
}
