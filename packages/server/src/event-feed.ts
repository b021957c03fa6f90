import { ClosedError, describeError, PalimpsestError, PositionLostError } from 'palimpsest/internals/errors'
import type { Store } from 'palimpsest/internals/store/index'
import { type EventConsumer, EventConsumers } from './event-consumers.ts'
import { comparePositions, START } from './event-position.ts'
import { EventRing } from './event-ring.ts'
import { type Audience, type EventReader, EventStream } from './event-stream.ts'
import { inTurn } from './event-turns.ts'

export interface EventFeedOptions {
  readonly store: Pick<Store, 'events'>
  /** How often the store is read while a client listens, in milliseconds. */
  readonly pollMs?: number
  readonly heartbeatMs?: number
  readonly stallMs?: number
  /** How many events stay in memory for listeners that keep up. */
  readonly ringSize?: number
  /** The most listeners of one namespace, so that no namespace takes the place of others. */
  readonly mostListeners?: number
  readonly clock?: () => number
  /** Called when the store cannot be read: once, until it can be read again. */
  readonly onError?: (error: unknown) => void
}

export interface EventsOf {
  /** Streams the events of one session; `null`: of all sessions. */
  listen(session: string | null, listening: Listening): Promise<ReadableStream<Uint8Array>>
  count(): number
}

interface Listening {
  readonly after: string | null
  /** The consumer's name, if it has one. The store keeps what this consumer has not read yet. */
  readonly consumer?: string | undefined
  readonly signal?: AbortSignal
  /** Asked before any event is sent. `false`: the stream ends. */
  readonly isAllowed?: () => Promise<boolean>
}

const PAGE = 200
const MAX_PAUSE_MS = 5_000

/**
 * The events of a store for all listeners, whichever process caused the events. One poller reads for all
 * listeners, and only while there is one. It puts what it finds into a ring. A listener that is behind the
 * ring reads the store itself. One page for one listener is read at a time, so that many listeners who return
 * at once do not block the others.
 */
export class EventFeed {
  readonly #options: Required<EventFeedOptions>
  readonly #reader: EventReader
  readonly #streams = new Set<EventStream>()
  readonly #inTurn = inTurn()
  readonly #consumers: EventConsumers
  /** `null`: there is no listener. */
  #ring: EventRing | null = null
  #lastKnown = START
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #isClosed = false

  constructor(options: EventFeedOptions) {
    this.#options = { ...DEFAULTS, ...options }
    const { heartbeatMs, stallMs, clock } = this.#options
    this.#consumers = new EventConsumers(options.store.events, clock)
    this.#reader = {
      ...{ heartbeatMs, stallMs, clock },
      read: position => this.#read(position),
      opened: stream => this.#opened(stream),
      ended: stream => this.#streams.delete(stream),
    }
  }

  /** A stream of the events after a position; `null`: from now on. */
  async listen(
    audience: Audience,
    { after, consumer: name, signal, isAllowed = async () => true }: Listening,
  ): Promise<ReadableStream<Uint8Array>> {
    if (this.#isClosed) throw new ClosedError('server')
    const { store, mostListeners } = this.#options
    if (this.count(audience.namespace) >= mostListeners) throw tooMany(mostListeners)
    this.#lastKnown = await store.events.readLastPosition()
    const consumer = name === undefined ? null : { namespace: audience.namespace, name }
    // Replaces `start` by a real position, so that a client that resumes there is told if
    // events were trimmed in the meantime.
    const asked = after === START ? await store.events.readFirstPosition() : after
    const isAnew = asked !== null && !(await this.#isKnown(asked, consumer))
    const position = asked === null || isAnew ? this.#lastKnown : asked
    if (consumer && position !== asked) await this.#consumers.note(consumer, position)
    const onTick = consumer ? this.#consumers.follow(consumer, position) : () => {}
    const stream = new EventStream(audience, { position, isAnew, reader: this.#reader, isAllowed, onTick })
    signal?.addEventListener('abort', () => stream.end(), { once: true })
    return stream.body
  }

  /**
   * Whether the position can be resumed. A position after the newest event comes from before the database was
   * restored from a backup.
   */
  async #isKnown(position: string, consumer: EventConsumer | null): Promise<boolean> {
    try {
      await this.#options.store.events.readEvents({ after: position, limit: 1 })
      if (comparePositions(position, this.#lastKnown) > 0) return false
      if (consumer) await this.#consumers.note(consumer, position)
      return true
    } catch (error) {
      if (error instanceof PositionLostError) return false
      throw error
    }
  }

  /** The feed of one namespace only. */
  of(namespace: string): EventsOf {
    return {
      listen: (session, listening) => this.listen({ namespace, session }, listening),
      count: () => this.count(namespace),
    }
  }

  /** How many clients of a namespace listen. */
  count(namespace: string): number {
    return [...this.#streams].filter(({ audience }) => audience.namespace === namespace).length
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const stream of this.#streams) stream.end()
  }

  #opened(stream: EventStream): void {
    this.#streams.add(stream)
    if (this.#isClosed) stream.end()
    if (this.#isClosed || this.#ring !== null) return
    this.#ring = new EventRing(this.#lastKnown, this.#options.ringSize)
    this.#pollIn(this.#options.pollMs)
  }

  #pollIn(milliseconds: number): void {
    this.#timer = setTimeout(() => void this.#poll(), milliseconds).unref()
  }

  async #poll(): Promise<void> {
    const ring = this.#ring
    if (ring === null || this.#isClosed) return
    if (this.#streams.size === 0) {
      this.#ring = null
      return
    }
    const pause = await this.#fill(ring)
    for (const stream of this.#streams) stream.tick()
    if (!this.#isClosed) this.#pollIn(pause)
  }

  /** Reads new events into the ring. Gives the milliseconds to wait before the next poll. */
  async #fill(ring: EventRing): Promise<number> {
    const { store, pollMs } = this.#options
    try {
      const events = await store.events.readEvents({ after: ring.head, limit: PAGE })
      ring.add(events)
      // After a failure, listeners that could not read try again, too.
      if (events.length > 0 || this.#failures > 0) for (const stream of this.#streams) stream.wake()
      this.#failures = 0
      return events.length < PAGE ? pollMs : 0
    } catch (error) {
      this.#failed(error)
      return Math.min(pollMs * 2 ** this.#failures, MAX_PAUSE_MS)
    }
  }

  #read(position: string): ReturnType<EventReader['read']> {
    const events = this.#ring?.after(position, PAGE) ?? null
    if (events !== null) return Promise.resolve({ events, through: events.at(-1)?.position ?? position })
    return this.#inTurn(() => this.#readStore(position))
  }

  async #readStore(position: string): ReturnType<EventReader['read']> {
    const nothing = { events: [], through: position }
    if (this.#isClosed) return nothing
    const head = this.#ring?.head ?? position
    try {
      const events = await this.#options.store.events.readEvents({ after: position, limit: PAGE })
      const last = events.at(-1)?.position ?? position
      // If the page is not full, no event follows before the ring's head: events in between were erased. The
      // listener then goes on from the head.
      const isAll = events.length < PAGE && comparePositions(head, last) > 0
      return { events, through: isAll ? head : last }
    } catch (error) {
      // The listener was too slow. It reconnects and is told then.
      if (error instanceof PositionLostError) return null
      this.#failed(error)
      return nothing
    }
  }

  #failed(error: unknown): void {
    // The listeners reconnect and are told then.
    if (error instanceof PositionLostError) {
      this.#ring = null
      for (const stream of this.#streams) stream.end()
      return
    }
    this.#failures += 1
    if (this.#failures === 1 && !this.#isClosed) this.#options.onError(error)
  }
}

const DEFAULTS = {
  pollMs: 200,
  heartbeatMs: 15_000,
  stallMs: 60_000,
  ringSize: 1_000,
  mostListeners: 1_000,
  clock: () => performance.now(),
  onError: (error: unknown) =>
    process.emitWarning(`Events cannot be read: ${describeError(error)}`, 'PalimpsestWarning'),
}

function tooMany(most: number): PalimpsestError {
  return new PalimpsestError(
    'rate_limited',
    `${most} clients listen to events already, which is as many as there may be. Close some, or try again later.`,
    { mostListeners: most },
  )
}
