import { BoundedMap } from 'palimpsest/internals/bounded-map'
import type { EventStore } from 'palimpsest/internals/store/index'
import { comparePositions } from './event-position.ts'

/** A reader of events with a name. The store keeps the events that it has not read yet. */
export interface EventConsumer {
  readonly namespace: string
  readonly name: string
}

/**
 * A consumer that reconnects often is noted at most this often, unless it goes back to an earlier position.
 */
const MIN_NOTE_MS = 60_000
/** A consumer that is still connected has read what it was given this long ago. */
const READ_AFTER_MS = 3_600_000
const MAX_REMEMBERED = 1_000

interface Given {
  readonly position: string
  readonly at: number
}

/**
 * Notes in the store how far consumers have read, as rarely as possible. A position that
 * is too low only keeps events longer.
 */
export class EventConsumers {
  readonly #events: Pick<EventStore, 'noteConsumer'>
  readonly #clock: () => number
  readonly #noted = new BoundedMap<string, Given>(MAX_REMEMBERED)

  constructor(events: Pick<EventStore, 'noteConsumer'>, clock: () => number) {
    this.#events = events
    this.#clock = clock
  }

  /**
   * Notes a position that the consumer itself says it has read. Throws the
   * `PositionLostError` that reading would throw.
   */
  async note(consumer: EventConsumer, position: string): Promise<void> {
    const key = JSON.stringify([consumer.namespace, consumer.name])
    const last = this.#noted.get(key)
    const isRecent = last !== undefined && this.#clock() - last.at < MIN_NOTE_MS
    if (isRecent && comparePositions(position, last.position) >= 0) return
    const { namespace, name } = consumer
    await this.#events.noteConsumer(namespace, { name, after: position, now: Date.now() })
    this.#noted.set(key, { position, at: this.#clock() })
  }

  /**
   * Gives a function for the time that the consumer listens. The caller calls it now and then with the last
   * position that was given to the consumer.
   */
  follow(consumer: EventConsumer, position: string): (given: string) => void {
    let before: Given = { position, at: this.#clock() }
    return given => {
      if (this.#clock() - before.at < READ_AFTER_MS) return
      // If this fails, the next note makes up for it.
      this.note(consumer, before.position).catch(() => {})
      before = { position: given, at: this.#clock() }
    }
  }
}
