import { expect, vi } from 'vitest'
import {
  type Channel,
  type ChannelHost,
  createRuntime,
  type IncomingMessage,
  type OutgoingMessage,
  type ReplyReport,
  type Runtime,
  type RuntimeOptions,
} from '../../packages/bot/src/index.ts'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
} from '../../packages/palimpsest/src/index.ts'
import { type TestClock, testClock } from '../../packages/palimpsest/src/testing/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'

/** A platform in memory, which keeps what it was sent. It knows keys: of what comes under one, it shows the first. */
export class MemoryPlatform implements Channel {
  readonly name: string
  readonly edits: boolean
  readonly mostCharacters: number
  readonly editEveryMs = 1_000
  readonly knowsKeys = true
  /** What people see, by the platform's ids. */
  readonly shown = new Map<string, OutgoingMessage>()
  readonly calls: string[] = []
  /** Each is thrown by the next call. */
  readonly failures: unknown[] = []
  host: ChannelHost | null = null
  readonly #ids = new Map<string, string>()

  constructor({ name = 'memory', edits = true, mostCharacters = 4_096 } = {}) {
    this.name = name
    this.edits = edits
    this.mostCharacters = mostCharacters
  }

  async start(host: ChannelHost): Promise<void> {
    this.host = host
  }

  async stop(): Promise<void> {
    this.host = null
  }

  async send(message: OutgoingMessage): Promise<{ id: string }> {
    this.#note('send', message)
    const known = this.#ids.get(message.key)
    const id = known ?? `out-${this.#ids.size + 1}`
    this.#ids.set(message.key, id)
    if (known === undefined) this.shown.set(id, message)
    return { id }
  }

  async edit(message: OutgoingMessage & { id: string }): Promise<void> {
    this.#note('edit', message)
    this.shown.set(message.id, message)
  }

  async typing(): Promise<void> {
    this.calls.push('typing')
  }

  get texts(): readonly string[] {
    return [...this.shown.values()].map(({ text }) => text)
  }

  #note(call: string, { text }: OutgoingMessage): void {
    const failure = this.failures.shift()
    this.calls.push(`${call} ${text}${failure ? ' (refused)' : ''}`)
    if (failure) throw failure
  }
}

export interface Kit {
  readonly clock: TestClock
  readonly place: StorePlace
  readonly platform: MemoryPlatform
  readonly palimpsest: Palimpsest
  readonly runtime: Runtime
  readonly reports: ReplyReport[]
  readonly errors: unknown[]
  /** What somebody says; ids count up where none is given. */
  say(text: string, message?: Partial<IncomingMessage>): ReturnType<Runtime['receive']>
  /** The process dies, and another one comes up on the same database and the same platform. */
  restart(options?: Partial<RuntimeOptions>): Promise<Kit>
  /** Leaves what is in the database. */
  end(): Promise<void>
  close(): Promise<void>
}

export interface KitOptions extends Partial<Omit<RuntimeOptions, 'palimpsest'>> {
  readonly place?: StorePlace
  readonly platform?: MemoryPlatform
  readonly clock?: TestClock
  readonly engine?: Partial<PalimpsestOptions>
}

let number = 0

export async function runtimeKit(options: KitOptions = {}): Promise<Kit> {
  const {
    place = sqlitePlace(),
    platform = new MemoryPlatform(),
    clock = testClock('2026-03-06T10:00:00Z'),
    engine = {},
    ...rest
  } = options
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    folding: 'manual',
    indexing: 'off',
    clock,
    ...engine,
  })
  const reports: ReplyReport[] = []
  const errors: unknown[] = []
  const runtime = createRuntime({
    palimpsest,
    channels: [platform],
    responder: async ({ messages }) => `answer to ${messages.map(({ content }) => content).join(' + ')}`,
    timers: clock,
    onReply: report => reports.push(report),
    onError: error => errors.push(error),
    ...rest,
  })
  await runtime.start()
  const end = async () => {
    let isOver = false
    const stopping = runtime.stop({ drainMs: 0 }).finally(() => (isOver = true))
    while (!isOver) await clock.advance(500)
    await stopping
    await palimpsest.close()
  }
  return {
    ...{ clock, place, platform, palimpsest, runtime, reports, errors },
    say: (text, message = {}) =>
      runtime.receive(platform.name, {
        chat: '42',
        kind: 'private',
        id: `m-${++number}`,
        sender: { id: '7', name: 'Ann' },
        content: text,
        at: new Date(clock()),
        ...message,
      }),
    restart: async changes => {
      await end()
      return runtimeKit({ ...options, place, platform, clock, ...changes })
    },
    end,
    close: async () => {
      await end()
      await place.remove()
    },
  }
}

/** A reply that goes on when it is told to. */
export class Script {
  readonly #pieces: (string | Error | null)[] = []
  #wake: (() => void) | null = null

  /** `null`: that was all. */
  say(piece: string | Error | null): void {
    this.#pieces.push(piece)
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      while (this.#pieces.length === 0) await new Promise<void>(resolve => (this.#wake = resolve))
      const piece = this.#pieces.shift()!
      if (piece === null) return
      if (piece instanceof Error) throw piece
      yield piece
    }
  }
}

/** Lets time pass until nothing is owed any more. A model or another process has a clock of its own. */
export async function quiet({ clock, runtime }: Pick<Kit, 'clock' | 'runtime'>): Promise<void> {
  let isQuiet = false
  runtime.quiet().then(() => (isQuiet = true))
  await vi.waitFor(
    async () => {
      await clock.advance(500)
      expect(isQuiet).toBe(true)
    },
    { timeout: 60_000, interval: 1 },
  )
}

/** Lets time pass until it holds. */
export async function until({ clock }: Kit, check: () => unknown, ms = 1): Promise<void> {
  await vi.waitFor(
    async () => {
      await clock.advance(ms)
      await check()
    },
    { timeout: 20_000 },
  )
}
