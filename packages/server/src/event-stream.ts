import type { StoreEvent } from 'palimpsest/internals/store/index'
import { beginAnewText, eventText, heartbeatText, openingText } from './event-text.ts'

/** What a listener may hear of. There is none without a namespace. */
export interface Audience {
  readonly namespace: string
  /** `null`: of all sessions, and what concerns none. */
  readonly session: string | null
}

/** Where events come from: everybody's, in order. */
export interface EventReader {
  /** After this silence it is told that the connection is still there. */
  readonly heartbeatMs: number
  /** Whoever took nothing for so long has to come again. */
  readonly stallMs: number
  readonly clock: () => number
  /**
   * What follows a position, and how far that reaches. None: nothing has happened since, or it cannot be read now. `null`:
   * it can never be read any more.
   */
  read(position: string): Promise<{ readonly events: readonly StoreEvent[]; readonly through: string } | null>
  opened(stream: EventStream): void
  ended(stream: EventStream): void
}

/** So much is written at once, and one event more at most. */
const CHUNK_CHARACTERS = 32_768

/**
 * One stream. It reads only when it is asked for more, so whoever takes nothing costs what they were given last.
 *
 *     unopened ──first pull──▶ pulling ⇄ resting (its reader has not asked again) ──▶ ended
 *
 * It counts as a listener from the first pull on: an answer whose body nobody reads is none.
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
  /** What the client resumes from is of another history. */
  readonly #isAnew: boolean
  /** Hears from time to time what it was given last. */
  readonly #onTick: (position: string) => void
  /** When it was last given something. */
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
      // Nothing is made before somebody asks for it.
      { highWaterMark: 0 },
    )
  }

  /** There may be something new. */
  wake(): void {
    this.#news.resolve()
  }

  /** Time has passed. */
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
    // Where that cannot be found out, they may come again.
    if (!(await this.#isAllowed().catch(() => false))) this.end()
    if (this.#isEnded()) return
    this.#state = 'resting'
    this.#fedAt = this.#reader.clock()
    this.#controller?.enqueue(this.#encoder.encode(text))
  }

  #open(): string {
    this.#state = 'pulling'
    this.#reader.opened(this)
    // The id of the opening would move the client on before it has heard of it.
    return this.#isAnew ? beginAnewText(this.#position) : openingText(this.#position)
  }

  async #next(): Promise<string> {
    this.#state = 'pulling'
    while (true) {
      // Before it reads: what comes meanwhile wakes it.
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

  /** The only way from what happened to what is told. */
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
