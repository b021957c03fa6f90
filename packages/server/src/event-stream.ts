import type { StoreEvent } from 'palimpsest/internals/store/index'
import { beginAnewText, eventText, heartbeatText, openingText } from './event-text.ts'

/** The events that a listener may see. There is no listener without a namespace. */
export interface Audience {
  readonly namespace: string
  /** `null`: the events of all sessions, and those that belong to no session. */
  readonly session: string | null
}

/** The source of the events of all namespaces, in order. */
export interface EventReader {
  /** After this many milliseconds without events, the stream sends a sign that the connection is alive. */
  readonly heartbeatMs: number
  /** A client that took nothing for this many milliseconds is disconnected and has to reconnect. */
  readonly stallMs: number
  readonly clock: () => number
  /**
   * The events after a position, and the position up to which they reach. No events: nothing has happened
   * since, or the store cannot be read now. `null`: the position can never be read again.
   */
  read(position: string): Promise<{ readonly events: readonly StoreEvent[]; readonly through: string } | null>
  opened(stream: EventStream): void
  ended(stream: EventStream): void
}

/** The most characters that are written at once. The last event may go beyond that. */
const CHUNK_CHARACTERS = 32_768

/**
 * One stream of events. It reads only when it is asked for more, so a client that takes nothing costs only
 * what it was given last.
 *
 *     unopened ──first pull──▶ pulling ⇄ resting (its reader has not asked again) ──▶ ended
 *
 * It counts as a listener from the first pull on: an answer whose body is never read is not a listener.
 */
export class EventStream {
  readonly audience: Audience
  readonly body: ReadableStream<Uint8Array>
  readonly #reader: EventReader
  readonly #isAllowed: () => Promise<boolean>
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null
  #state: 'unopened' | 'pulling' | 'resting' | 'ended' = 'unopened'
  #position: string
  /** The client resumes from a position of another history of the database. */
  readonly #isAnew: boolean
  /** Called from time to time with the position that the client was given last. */
  readonly #onTick: (position: string) => void
  /** The time at which the client was last given something. */
  #fedAt = 0
  #news = Promise.withResolvers<void>()

  constructor(
    audience: Audience,
    of: {
      position: string
      isAnew: boolean
      reader: EventReader
      isAllowed: () => Promise<boolean>
      onTick: (position: string) => void
    },
  ) {
    const { position, isAnew, reader, isAllowed, onTick } = of
    this.#isAnew = isAnew
    this.#onTick = onTick
    this.audience = audience
    this.#position = position
    this.#reader = reader
    this.#isAllowed = isAllowed
    this.body = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: () => this.#leave(),
      },
      // Nothing is read from the source before the client asks for it.
      { highWaterMark: 0 },
    )
  }

  /** Called when there may be new events. */
  wake(): void {
    this.#news.resolve()
  }

  /** Called regularly, so that the stream can react to the time. */
  tick(): void {
    if (this.#state === 'pulling' && this.#hasBeenQuiet(this.#reader.heartbeatMs)) this.wake()
    if (this.#state === 'resting' && this.#hasBeenQuiet(this.#reader.stallMs)) this.end()
    if (!this.#isEnded()) this.#onTick(this.#position)
  }

  end(): void {
    if (this.#isEnded()) return
    this.#leave()
    this.#controller?.close()
  }

  #leave(): void {
    if (this.#isEnded()) return
    this.#state = 'ended'
    this.#reader.ended(this)
    this.wake()
  }

  #isEnded(): boolean {
    return this.#state === 'ended'
  }

  #hasBeenQuiet(milliseconds: number): boolean {
    return this.#reader.clock() - this.#fedAt >= milliseconds
  }

  async #pull(): Promise<void> {
    const text = this.#state === 'unopened' ? this.#open() : await this.#next()
    // If the check fails, the stream ends; the client may reconnect.
    if (!(await this.#isAllowed().catch(() => false))) this.end()
    if (this.#isEnded()) return
    this.#state = 'resting'
    this.#fedAt = this.#reader.clock()
    this.#controller?.enqueue(this.#encoder.encode(text))
  }

  #open(): string {
    this.#state = 'pulling'
    this.#reader.opened(this)
    // A client from another history gets `begin-anew` in place of the opening: the id of an opening would
    // move the client on before it hears of the restore.
    return this.#isAnew ? beginAnewText(this.#position) : openingText(this.#position)
  }

  async #next(): Promise<string> {
    this.#state = 'pulling'
    while (true) {
      // Renewed before the read, so that an event that arrives during the read wakes the stream.
      this.#news = Promise.withResolvers()
      const read = await this.#reader.read(this.#position)
      if (read === null) this.end()
      if (read === null || this.#isEnded()) return ''
      const { events, through } = read
      const text = this.#take(events, through)
      if (text !== '') return text
      if (this.#hasBeenQuiet(this.#reader.heartbeatMs)) return heartbeatText(this.#position)
      if (events.length === 0) await this.#news.promise
      if (this.#isEnded()) return ''
    }
  }

  /** Every event that a client is told passes through here, where the audience is checked. */
  #take(events: readonly StoreEvent[], through: string): string {
    let text = ''
    for (const event of events) {
      if (text.length >= CHUNK_CHARACTERS) return text
      this.#position = event.position
      if (isFor(this.audience, event)) text += eventText(event)
    }
    this.#position = through
    return text
  }
}

function isFor({ namespace, session }: Audience, event: StoreEvent): boolean {
  return event.namespace === namespace && (session === null || event.sessionId === session)
}
