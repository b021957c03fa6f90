export interface Ranked {
  readonly seq: number
  readonly score: number
}

/** Keeps the best of many results: a heap with the worst of the kept ones on top. */
export class BestResults {
  readonly #limit: number
  readonly #heap: Ranked[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether a result would be kept. */
  wouldKeep(seq: number, score: number): boolean {
    if (this.#heap.length < this.#limit) return true
    const worst = this.#heap[0]
    return worst !== undefined && (score > worst.score || (score === worst.score && seq > worst.seq))
  }

  add(seq: number, score: number): void {
    const result = { seq, score }
    if (this.#heap.length < this.#limit) {
      this.#heap.push(result)
      this.#rise(this.#heap.length - 1)
    } else if (this.wouldKeep(seq, score)) {
      this.#heap[0] = result
      this.#sink()
    }
  }

  /** A new result is kept only if it scores at least this much. While there is room, it is 0. */
  worst(): number {
    return this.#heap.length < this.#limit ? 0 : this.#heap[0]!.score
  }

  /** Best first. Among equals, the newer first. */
  sorted(): Ranked[] {
    return this.#heap.toSorted((one, other) => other.score - one.score || other.seq - one.seq)
  }

  #rise(from: number): void {
    const heap = this.#heap
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isWorse(heap[place]!, heap[parent]!)) return
      this.#swap(place, parent)
      place = parent
    }
  }

  #sink(): void {
    const heap = this.#heap
    let place = 0
    for (;;) {
      let worst = place
      for (const child of [2 * place + 1, 2 * place + 2]) {
        if (child < heap.length && isWorse(heap[child]!, heap[worst]!)) worst = child
      }
      if (worst === place) return
      this.#swap(place, worst)
      place = worst
    }
  }

  #swap(one: number, other: number): void {
    const kept = this.#heap[one]!
    this.#heap[one] = this.#heap[other]!
    this.#heap[other] = kept
  }
}

function isWorse(one: Ranked, other: Ranked): boolean {
  return one.score < other.score || (one.score === other.score && one.seq < other.seq)
}
