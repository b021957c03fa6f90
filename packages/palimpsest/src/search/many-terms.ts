const SHARDS = 64

/**
 * A map by term that may grow to millions. A single map of that size is rebuilt at once whenever it has
 * doubled, which takes a tenth of a second. Many small maps are rebuilt one by one, at different times.
 */
export class ManyTerms<Value> {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, Value>())

  get(term: string): Value | undefined {
    return this.#shardOf(term).get(term)
  }

  set(term: string, value: Value): void {
    this.#shardOf(term).set(term, value)
  }

  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0)
  }

  *keys(): Generator<string, void, void> {
    for (const shard of this.#shards) yield* shard.keys()
  }

  *[Symbol.iterator](): Generator<[string, Value], void, void> {
    for (const shard of this.#shards) yield* shard
  }

  #shardOf(term: string): Map<string, Value> {
    const { length } = term
    const number =
      length +
      31 *
        (term.charCodeAt(length - 1) + 31 * (term.charCodeAt(length - 2) + 31 * term.charCodeAt(length >> 1)))
    return this.#shards[number % SHARDS || 0]!
  }
}
