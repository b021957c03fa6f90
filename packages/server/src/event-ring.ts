import type { StoreEvent } from 'palimpsest/internals/store/index'
import { comparePositions, isAfter } from './event-position.ts'

/** The newest events, so that listeners that keep up need no read of the store. */
export class EventRing {
  readonly #size: number
  #events: StoreEvent[] = []
  /** All events after the floor and up to the head are in the ring. */
  #floor: string
  #head: string

  constructor(head: string, size: number) {
    this.#size = size
    this.#floor = head
    this.#head = head
  }

  get head(): string {
    return this.#head
  }

  /** Adds the events that follow the head, in order. */
  add(events: readonly StoreEvent[]): void {
    const last = events.at(-1)
    if (last === undefined) return
    this.#head = last.position
    this.#events.push(...events)
    const gone = this.#events.splice(0, Math.max(0, this.#events.length - this.#size))
    this.#floor = gone.at(-1)?.position ?? this.#floor
  }

  /** At most `limit` events after a position, in order. `null`: the ring no longer has all of them. */
  after(position: string, limit: number): readonly StoreEvent[] | null {
    if (comparePositions(position, this.#floor) < 0) return null
    // Searched from the end, because listeners that keep up are there.
    const begin = this.#events.findLastIndex(event => !isAfter(event, position)) + 1
    return this.#events.slice(begin, begin + limit)
  }
}
