import type { StoreEvent } from 'palimpsest/internals/store/index'
import { comparePositions, isAfter } from './event-position.ts'

/** The newest events, so that those who keep up need no reading of the store. */
export class EventRing {
  readonly #size: number
  #events: StoreEvent[] = []
  /** Everything after the floor, up to the head, is here. */
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

  /** What comes right after the head, in order. */
  add(events: readonly StoreEvent[]): void {
    const last = events.at(-1)
    if (last === undefined) return
    this.#head = last.position
    this.#events.push(...events)
    const gone = this.#events.splice(0, Math.max(0, this.#events.length - this.#size))
    this.#floor = gone.at(-1)?.position ?? this.#floor
  }

  /** In order, at most so many. `null`: some of it is here no longer. */
  after(position: string, limit: number): readonly StoreEvent[] | null {
    if (comparePositions(position, this.#floor) < 0) return null
    // From the end, where those are who keep up.
    const begin = this.#events.findLastIndex(event => !isAfter(event, position)) + 1
    return this.#events.slice(begin, begin + limit)
  }
}
