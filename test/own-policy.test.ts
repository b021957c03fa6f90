import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  compose,
  count,
  createPalimpsest,
  custom,
  type FoldOutcome,
  type Palimpsest,
  type PalimpsestOptions,
} from '../packages/palimpsest/src/index.ts'
import { messages } from './folding-kit.ts'
import { MemoryPlatform, runtimeKit } from './runtime/runtime-kit.ts'
import { type StorePlace, sqlitePlace } from './stores.ts'

const NEVER = new Promise<never>(() => {})
const FOLDS = count({ threshold: 8, keepLast: 2 })

const places: StorePlace[] = []
const open: Palimpsest[] = []

interface World {
  readonly palimpsest: Palimpsest
  readonly errors: { code?: string; message: string }[]
  readonly outcomes: FoldOutcome[]
}

async function world(options: Partial<PalimpsestOptions>): Promise<World> {
  const place = sqlitePlace()
  places.push(place)
  const errors: World['errors'] = []
  const outcomes: FoldOutcome[] = []
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policyTimeoutMs: 50,
    onError: error => errors.push(error as Error),
    onFold: outcome => outcomes.push(outcome),
    ...options,
  })
  open.push(palimpsest)
  return { palimpsest, errors, outcomes }
}

afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
  for (const place of places.splice(0)) await place.remove()
})

const hangs = () => NEVER
const throws = () => {
  throw new Error('a mistake')
}
const rejects = async () => {
  throw new Error('a mistake')
}
const nonsense = () => 42

describe("a policy of the caller's own", () => {
  test.each([
    ['hangs', hangs, 'policy_timeout'],
    ['throws', throws, 'policy_failed'],
    ['rejects', rejects, 'policy_failed'],
    ['answers with no decision', nonsense, 'policy_failed'],
  ])('that %s keeps no built-in rule from folding, and is told once', async (_, own, warning) => {
    const { palimpsest, errors, outcomes } = await world({ policy: compose(FOLDS, custom(own)) })
    const session = palimpsest.session('chat')
    for (const message of messages(1, 12)) await session.append(message)
    expect(await palimpsest.settled()).toBe(true)
    const info = await session.info()
    expect([info!.compactedThrough > 0, info!.folding]).toEqual([true, false])
    const folds = outcomes.filter(({ outcome }) => outcome === 'applied')
    expect(folds.length).toBeGreaterThan(0)
    for (const { warnings } of folds)
      expect(warnings.filter(each => each.startsWith(`${warning}:`))).toHaveLength(1)
    // Outcomes are shown to others: what was thrown may quote what was said.
    expect(JSON.stringify([outcomes, info!.lastOutcome])).not.toContain('a mistake')
    // Once before each fold and once after the last, however many messages there were.
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.length).toBeLessThanOrEqual(folds.length + 1)
    if (own === hangs) expect(errors[0]!.code).toBe('policy_timeout')
  })

  test('that fails is told once for each session, and once more after each fold of it', async () => {
    const policy = compose(FOLDS, custom(throws))
    const { palimpsest, errors } = await world({ policy, folding: 'manual' })
    const [one, other] = [palimpsest.session('one'), palimpsest.session('other')]
    for (const message of messages(1, 12)) await one.append(message)
    expect(errors).toHaveLength(1)
    await other.append(messages(1, 1))
    expect(errors).toHaveLength(2)
    expect((await one.compact()).outcome).toBe('applied')
    expect(errors).toHaveLength(2)
    for (const message of messages(13, 15)) await one.append(message)
    await other.append(messages(2, 2))
    expect(errors).toHaveLength(3)
    // And by a fold in the background.
    const background = await world({ policy, folding: 'background' })
    const session = background.palimpsest.session('chat')
    for (const from of [1, 13, 25]) {
      await session.append(messages(from, from + 11))
      expect(await background.palimpsest.settled()).toBe(true)
    }
    expect((await session.info())!.segments).toBeGreaterThan(1)
    expect(background.errors.length).toBeGreaterThan(1)
  })

  test('that fails in a fold alone is told, too', async () => {
    let isFolding = false
    const policy = compose(
      FOLDS,
      custom(() => (isFolding ? throws() : null)),
    )
    const { palimpsest, errors } = await world({ policy, folding: 'manual' })
    const session = palimpsest.session('chat')
    for (const message of messages(1, 12)) await session.append(message)
    expect(errors).toEqual([])
    isFolding = true
    expect((await session.compact()).outcome).toBe('applied')
    expect(errors).toHaveLength(1)
  })

  test('has five seconds where nothing else is said', async () => {
    const { palimpsest, errors } = await world({
      ...{
        policy: compose(
          FOLDS,
          custom(() => new Promise(() => {})),
        ),
        folding: 'manual',
      },
      policyTimeoutMs: undefined as never,
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const appending = palimpsest.session('five seconds').append(messages(1, 1))
      while (vi.getTimerCount() === 0) await new Promise(resolve => setImmediate(resolve))
      await vi.advanceTimersByTimeAsync(4_999)
      expect(errors).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      await appending
      expect(errors).toMatchObject([{ code: 'policy_timeout', details: { timeoutMs: 5_000 } }])
    } finally {
      vi.useRealTimers()
    }
  })

  test('that hangs is not asked again while it does, so that messages do not wait for it each time', async () => {
    let asked = 0
    const policy = compose(
      FOLDS,
      custom(() => {
        asked += 1
        return NEVER
      }),
    )
    const { palimpsest, errors } = await world({ policy, folding: 'manual', policyTimeoutMs: 300 })
    const [one, other] = [palimpsest.session('one'), palimpsest.session('other')]
    for (const message of messages(1, 20)) await one.append(message)
    expect([asked, errors.length]).toEqual([1, 1])
    await other.append(messages(1, 1))
    expect([asked, errors.length]).toEqual([2, 2])
  })

  test('that answers late has its say from then on', async () => {
    const answers: ((answer: unknown) => void)[] = []
    const policy = custom(() => new Promise(resolve => answers.push(resolve)))
    const { palimpsest } = await world({ policy, folding: 'manual', policyTimeoutMs: 2_500 })
    const session = palimpsest.session('chat')
    expect((await session.append(messages(1, 1))).decision).toBeNull()
    answers.pop()!(null)
    await new Promise(resolve => setImmediate(resolve))
    const appending = session.append(messages(2, 2))
    while (answers.length === 0) await new Promise(resolve => setImmediate(resolve))
    answers.pop()!('deep')
    expect((await appending).decision?.type).toBe('deep')
  })

  test('that hangs in a fold keeps neither its lease nor close() nor compact()', async () => {
    let isFolding = false
    const policy = compose(
      FOLDS,
      custom(() => (isFolding ? NEVER : null)),
    )
    const { palimpsest } = await world({ policy, folding: 'manual', policyTimeoutMs: 600_000 })
    const session = palimpsest.session('chat')
    for (const message of messages(1, 12)) await session.append(message)
    isFolding = true
    const folding = session.compact()
    while (!(await session.info())!.folding) await new Promise(resolve => setImmediate(resolve))
    await palimpsest.close()
    expect((await folding).outcome).not.toBe('failed')
  })

  test('says that it hangs, or fails, to whoever asks what it says', async () => {
    const { palimpsest } = await world({ policy: compose(FOLDS, custom(hangs)), folding: 'manual' })
    const session = palimpsest.session('chat')
    await session.append(messages(1, 1))
    await expect(session.judge()).rejects.toMatchObject({
      code: 'policy_timeout',
      details: { sessionId: 'chat', timeoutMs: 50 },
    })
    palimpsest.configure({ policy: throws })
    await expect(session.judge()).rejects.toThrow('a mistake')
  })

  test('has a time limit that is a whole number of milliseconds', async () => {
    for (const policyTimeoutMs of [0, -1, 1.5, 2 ** 31])
      await expect(world({ policyTimeoutMs })).rejects.toMatchObject({ code: 'invalid_argument' })
    const { palimpsest } = await world({})
    expect(() => palimpsest.configure({ policyTimeoutMs: 0 })).toThrow('policyTimeoutMs')
  })
})

describe("other functions of the caller's own", () => {
  test('that throw or reject keep no append, no fold and no close() from ending', async () => {
    const broken = () => throws() as never
    const late = async () => throws()
    const logger = { debug: broken, info: broken, warn: broken, error: broken }
    const span = { setAttributes: broken, recordException: broken, setStatus: broken, end: broken }
    const tracers = [
      { startActiveSpan: broken },
      { startActiveSpan: (_: string, __: object, call: (of: never) => never) => call(span as never) },
      { startActiveSpan: async (_: string, __: object, call: (of: never) => never) => call(span as never) },
    ]
    for (const listener of [broken, late])
      for (const tracer of tracers) {
        const { palimpsest } = await world({
          policy: FOLDS,
          onError: listener,
          onAppend: listener,
          onFold: listener,
          onExtraction: listener,
          onErasure: listener,
          logger,
          tracer: tracer as never,
        })
        const session = palimpsest.session('chat', { user: 'ann' })
        await session.append(messages(1, 12))
        expect(await palimpsest.settled()).toBe(true)
        expect((await session.info())!.compactedThrough).toBeGreaterThan(0)
        await palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [1] })
        await palimpsest.close()
      }
  })

  test('of a fold that hang end with the time of the summariser', async () => {
    const { palimpsest, outcomes } = await world({
      policy: FOLDS,
      handlers: { lite: () => NEVER },
      summarizerTimeoutMs: 50,
    })
    const session = palimpsest.session('chat')
    await session.append(messages(1, 12))
    await palimpsest.settled()
    expect(outcomes.find(({ outcome }) => outcome === 'failed')?.reason).toBe('timeout')
    expect((await session.info())!.folding).toBe(false)
  })

  test('of a bot that hang lose no message, and let it be quiet and stop', async () => {
    const platform = new MemoryPlatform()
    const kit = await runtimeKit({
      platform,
      refresh: () => NEVER,
      groups: { proactive: () => NEVER },
    })
    const received = kit.say('hello', { kind: 'group', id: 'a', chat: '9' })
    await kit.clock.advance(10_000)
    const { sessionId } = await received
    expect(await kit.palimpsest.session(sessionId).count()).toBe(1)
    const quiet = kit.runtime.quiet(sessionId)
    await kit.clock.advance(600_000)
    await quiet
    await kit.close()
  })
})
