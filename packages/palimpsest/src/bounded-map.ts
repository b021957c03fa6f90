/**
 * A map of at most `max` entries. When it is full, the entry that was set longest ago is forgotten. Setting a
 * key again makes it the newest; reading a key does not.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number
  readonly #onForget: ((key: Key, value: Value) => void) | undefined
  readonly #entries = new Map<Key, Value>()
  /**
   * Stands behind all entries that were forgotten. A new iterator would have to pass a gap for each of them.
   * It is dropped when a gap appears elsewhere, because it keeps alive all internal tables that the map has
   * had since it was made.
   */
  #oldest: Iterator<Key> | null = null

  constructor(max: number, onForget?: (key: Key, value: Value) => void) {
    this.#max = max
    this.#onForget = onForget
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  has(key: Key): boolean {
    return this.#entries.has(key)
  }

  set(key: Key, value: Value): this {
    this.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#max) this.#forgetOldest()
    return this
  }

  /** An entry that the caller deletes is not reported as forgotten. */
  delete(key: Key): boolean {
    const isDeleted = this.#entries.delete(key)
    if (isDeleted) this.#oldest = null
    return isDeleted
  }

  clear(): void {
    this.#entries.clear()
    this.#oldest = null
  }

  /**
   * Forgets the oldest entries until the others together weigh at most `max`. The newest entry always stays.
   */
  shrinkTo(max: number, weigh: (value: Value) => number): void {
    let weight = 0
    for (const value of this.#entries.values()) weight += weigh(value)
    for (const value of this.#entries.values()) {
      if (weight <= max || this.#entries.size === 1) return
      this.#forgetOldest()
      weight -= weigh(value)
    }
  }

  #forgetOldest(): void {
    this.#oldest ??= this.#entries.keys()
    const key = this.#oldest.next().value as Key
    const value = this.#entries.get(key) as Value
    this.#entries.delete(key)
    this.#onForget?.(key, value)
  }
}
