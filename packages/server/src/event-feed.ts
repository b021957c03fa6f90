import { ClosedError, describeError, PalimpsestError, PositionLostError } from 'palimpsest/internals/errors'
import type { Store } from 'palimpsest/internals/store/index'
import { type EventConsumer, EventConsumers } from './event-consumers.ts'
import { comparePositions, START } from './event-position.ts'
import { EventRing } from './event-ring.ts'
import { type Audience, type EventReader, EventStream } from './event-stream.ts'
import { inTurn } from './event-turns.ts'

export interface EventFeedOptions {
  readonly store: Pick<Store, 'events'>
  /** How often the store is asked, while somebody listens. */
  readonly pollMs?: number
  readonly heartbeatMs?: number
  readonly stallMs?: number
  /** Events that are kept for those who keep up. */
  readonly ringSize?: number
  /** Of each namespace, so that none takes the place of others. */
  readonly mostListeners?: number
  readonly clock?: () => number
  /** Hears when the store cannot be read, once until it can be again. */
  readonly onError?: (error: unknown) => void
}

/** The events of a namespace. */
export interface EventsOf {
  /** Of one session, or with `null` of all. */
  listen(session: string | null, listening: Listening): Promise<ReadableStream<Uint8Array>>
  count(): number
}

interface Listening {
  readonly after: string | null
  /** Its name, if it has one: what it has not read yet is kept for it. */
  readonly consumer?: string | undefined
  readonly signal?: AbortSignal
  /** Asked before anything is told. `false`: the stream ends. */
  readonly isAllowed?: () => Promise<boolean>
}

const PAGE = 200
const MAX_PAUSE_MS = 5_000

/**
 * What happens in a store, whichever process did it, for whoever listens. One poller asks for all, and only while
 * somebody listens. What it finds is in a ring; whoever is behind that reads the store, one page and one listener
 * at a time, so that many who come back at once do not stop the others.
 */
export class EventFeed {
  readonly #options: Required<EventFeedOptions>
  readonly #reader: EventReader
  readonly #streams = new Set<EventStream>()
  readonly #inTurn = inTurn()
  readonly #consumers: EventConsumers
  /** `null`: nobody listens. */
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

  /** A stream of what happens after a position; `null`: from now on. */
  async listen(
    audience: Audience,
    { after, consumer: name, signal, isAllowed = async () => true }: Listening,
  ): Promise<ReadableStream<Uint8Array>> {
    if (this.#isClosed) throw new ClosedError('server')
    const { store, mostListeners } = this.#options
    if (this.count(audience.namespace) >= mostListeners) throw tooMany(mostListeners)
    this.#lastKnown = await store.events.readLastPosition()
    const consumer = name === undefined ? null : { namespace: audience.namespace, name }
    // A position of its own, so that a client that comes again with it is told what was trimmed meanwhile.
    const asked = after === START ? await store.events.readFirstPosition() : after
    const isAnew = asked !== null && !(await this.#isKnown(asked, consumer))
    const position = asked === null || isAnew ? this.#lastKnown : asked
    if (consumer && position !== asked) await this.#consumers.note(consumer, position)
    const onTick = consumer ? this.#consumers.follow(consumer, position) : () => {}
    const stream = new EventStream(audience, { position, isAnew, reader: this.#reader, isAllowed, onTick })
    signal?.addEventListener('abort', () => stream.end(), { once: true })
    return stream.body
  }

  /** One that is yet to come is of a file that was put back: there is nothing to resume from. */
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

  /** For whoever may hear of one namespace only. */
  of(namespace: string): EventsOf {
    return {
      listen: (session, listening) => this.listen({ namespace, session }, listening),
      count: () => this.count(namespace),
    }
  }

  /** How many listen, of a namespace. */
  count(namespace: string): number {
    return [...this.#streams].filter(({ audience }) => audience.namespace === namespace).length
  }

  /** Ends every stream. */
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

  /** How long to wait for the next time. */
  async #fill(ring: EventRing): Promise<number> {
    const { store, pollMs } = this.#options
    try {
      const events = await store.events.readEvents({ after: ring.head, limit: PAGE })
      ring.add(events)
      // Those who could not read try again, too.
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
      // Where events were erased, there is a gap up to what the ring has.
      const isAll = events.length < PAGE && comparePositions(head, last) > 0
      return { events, through: isAll ? head : last }
    } catch (error) {
      // It was too slow: it comes again, and is told.
      if (error instanceof PositionLostError) return null
      this.#failed(error)
      return nothing
    }
  }

  #failed(error: unknown): void {
    // They come again, and are told.
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
