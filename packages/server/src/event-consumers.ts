import { BoundedMap } from 'palimpsest/internals/bounded-map'
import type { EventStore } from 'palimpsest/internals/store/index'
import { comparePositions } from './event-position.ts'

/** A reader that gave a name: what it has not read yet is kept for it. */
export interface EventConsumer {
  readonly namespace: string
  readonly name: string
}

/** One that comes again and again is noted no more often, unless it goes back. */
const MIN_NOTE_MS = 60_000
/** What it was given so long ago, and it is still there, it has read. */
const READ_AFTER_MS = 3_600_000
const MAX_REMEMBERED = 1_000

interface Given {
  readonly position: string
  readonly at: number
}

/** Notes in the store how far they have read, as seldom as will do: what is noted too low only keeps events for longer. */
export class EventConsumers {
  readonly #events: Pick<EventStore, 'noteConsumer'>
  readonly #clock: () => number
  readonly #noted = new BoundedMap<string, Given>(MAX_REMEMBERED)

  constructor(events: Pick<EventStore, 'noteConsumer'>, clock: () => number) {
    this.#events = events
    this.#clock = clock
  }

  /** It has read the events through this position, by its own word. A `PositionLostError` as reading has it. */
  async note(consumer: EventConsumer, position: string): Promise<void> {
    const key = JSON.stringify([consumer.namespace, consumer.name])
    const last = this.#noted.get(key)
    const isRecent = last !== undefined && this.#clock() - last.at < MIN_NOTE_MS
    if (isRecent && comparePositions(position, last.position) >= 0) return
    const { namespace, name } = consumer
    await this.#events.noteConsumer(namespace, { name, after: position, now: Date.now() })
    this.#noted.set(key, { position, at: this.#clock() })
  }

  /** For as long as it listens. Called with what it was given last, as time passes. */
  follow(consumer: EventConsumer, position: string): (given: string) => void {
    let before: Given = { position, at: this.#clock() }
    return given => {
      if (this.#clock() - before.at < READ_AFTER_MS) return
      // What could not be noted now is noted the next time.
      this.note(consumer, before.position).catch(() => {})
      before = { position: given, at: this.#clock() }
    }
  }
}
