import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Reply, ReplyRequest } from '../../packages/bot/src/index.ts'
import { contentText } from '../../packages/palimpsest/src/log/index.ts'
import { type Kit, type KitOptions, MemoryPlatform, quiet, runtimeKit, Script, until } from './runtime-kit.ts'

const cleanUps: (() => Promise<unknown>)[] = []

async function open(options: KitOptions = {}): Promise<Kit> {
  const kit = await runtimeKit({ inbox: { quietMs: 0 }, ...options })
  cleanUps.push(kit.close)
  return kit
}

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function logOf({ palimpsest }: Kit): Promise<readonly string[]> {
  const log = await palimpsest.session('memory:42').messages()
  return log.map(({ role, content }) => `${role}: ${contentText(content)}`)
}

/** Stores its answer itself, as `finish` is told to. */
function ownReply(request: ReplyRequest, text: string, before: () => unknown = () => {}): Reply {
  const seqs = request.messages.map(({ seq }) => seq)
  return {
    text: (async function* () {
      yield text
    })(),
    finish: async () => {
      await before()
      const answer = { role: 'assistant' as const, content: text, externalId: `own ${text}` }
      const { messages } = await request.session.append(answer, { answers: { seqs } })
      return { status: 'complete', seqs: messages.map(({ seq }) => seq), usage: null }
    },
  }
}

describe('an answer that somebody else gave, or that came too late', () => {
  test('is delivered where it was stored after all, and not asked for again', async () => {
    let asked = 0
    const kit = await open({
      turns: { timeoutMs: 1_000, backoffMs: 5_000 },
      responder: request => {
        asked += 1
        const late = new Promise(resolve => kit.clock.setTimeout(() => resolve(null), 3_000))
        return ownReply(request, `reply ${asked}`, asked === 1 ? () => late : undefined)
      },
    })
    await kit.say('one')
    await quiet(kit)
    expect(await logOf(kit)).toEqual(['user: one', 'assistant: reply 1'])
    expect(kit.platform.texts).toEqual(['reply 1'])
    expect(await kit.palimpsest.waiting()).toEqual([])
  })

  test('leaves those waiting whom it did not answer', async () => {
    const scripts: Script[] = []
    const kit = await open({
      inbox: { quietMs: 10, groupsBy: 'chat' },
      responder: () => {
        const script = new Script()
        scripts.push(script)
        return script
      },
    })
    const group = { kind: 'group' as const, mentionsBot: true }
    await kit.say('from ann', { ...group, sender: { id: 'ann' } })
    await kit.say('from bob', { ...group, sender: { id: 'bob' } })
    await until(kit, () => expect(scripts).toHaveLength(1))
    await kit.palimpsest.forget({ kind: 'person', id: 'memory:ann' })
    scripts[0]!.say('hello both')
    scripts[0]!.say(null)
    await until(kit, () => expect(scripts).toHaveLength(2))
    scripts[1]!.say('hello Bob')
    scripts[1]!.say(null)
    await quiet(kit)
    expect(kit.platform.texts.at(-1)).toBe('hello Bob')
    expect((await logOf(kit)).at(-1)).toBe('assistant: hello Bob')
  })

  test.each(['erased', 'taken back'])('is not stored in part where the question was %s', async how => {
    const script = new Script()
    const kit = await open({ responder: () => script, turns: { attempts: 1, failureText: null } })
    await kit.say('my pin is 1234')
    await until(kit, () => expect(kit.platform.calls).toContain('typing'))
    script.say('Your pin 1234')
    await until(kit, () => expect(kit.platform.texts).toHaveLength(1))
    const session = kit.palimpsest.session('memory:42')
    if (how === 'erased') await kit.palimpsest.forget({ kind: 'session', sessionId: session.id })
    else await session.rollback(0)
    script.say(new Error('the line broke'))
    await quiet(kit)
    expect(await session.messages()).toEqual([])
  })
})

describe('once an answer is stored', () => {
  test('the model is not asked again, whatever fails after that', async () => {
    let asked = 0
    const kit = await open({
      responder: async () => `answer ${++asked}`,
      onReply: () => {
        throw new Error('my own logger')
      },
    })
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { palimpsest } = kit
    const session = palimpsest.session('memory:42')
    const settle = Object.getPrototypeOf(session).settleWaiting
    const failing = vi
      .spyOn(Object.getPrototypeOf(session), 'settleWaiting')
      .mockRejectedValueOnce(new Error('busy'))
      .mockRejectedValueOnce(new Error('busy'))
      .mockImplementation(settle)
    await kit.say('hello')
    await quiet(kit)
    expect(failing.mock.calls.length).toBeGreaterThanOrEqual(3)
    failing.mockRestore()
    expect(asked).toBe(1)
    expect(kit.platform.texts).toEqual(['answer 1'])
    expect(await palimpsest.waiting()).toEqual([])
    expect(String(warn.mock.calls[0]?.[0])).toMatch(/^memory:42: Error at .*answers\.test\.ts/)
    warn.mockRestore()
  })

  test('it is delivered whole, also where not all of it was heard', async () => {
    const responder = (request: ReplyRequest): Reply => ({
      ...ownReply(request, 'The first half, and the second'),
      text: (async function* () {
        yield 'The first half'
        throw new Error('the reader broke')
      })(),
    })
    const kit = await open({ responder })
    await kit.say('hello')
    await quiet(kit)
    expect(kit.platform.texts).toEqual(['The first half, and the second'])
  })
})

describe('what the platform has', () => {
  test('of a failed attempt is replaced, also where storing failed, and where it was still on its way', async () => {
    let attempts = 0
    const platform = new MemoryPlatform()
    const kit = await open({
      platform,
      turns: { attempts: 3, backoffMs: 10 },
      responder: request => {
        attempts += 1
        const fails = () => {
          throw new Error('the store is away')
        }
        return ownReply(request, `try ${attempts}`, attempts < 3 ? fails : undefined)
      },
    })
    await kit.say('hello')
    await quiet(kit)
    expect(platform.texts).toEqual(['try 3'])
  })

  test('without an id is sent once, and somebody hears of it', async () => {
    const platform = new MemoryPlatform({ edits: false })
    let sent = 0
    platform.send = (async () => {
      sent += 1
    }) as never
    const kit = await open({ platform })
    await kit.say('hello')
    await quiet(kit)
    expect(sent).toBe(1)
    expect(String(kit.errors[0])).toMatch(/did not say its id/)
  })

  test('after a connection that broke is whole in the end, and shown once', async () => {
    const platform = new MemoryPlatform()
    const send = platform.send.bind(platform)
    let isFirst = true
    platform.send = async message => {
      const sent = await send(message)
      if (!isFirst) return sent
      isFirst = false
      throw new Error('the connection broke')
    }
    const script = new Script()
    const kit = await open({ platform, responder: () => script })
    await kit.say('hello')
    await until(kit, () => expect(platform.calls).toContain('typing'))
    script.say('Good mor')
    await until(kit, () => expect(platform.texts).toEqual(['Good mor']))
    script.say('ning')
    script.say(null)
    await quiet(kit)
    expect(platform.texts).toEqual(['Good morning'])
  })
})

describe('nothing hangs', () => {
  test('where storing an answer does: another chat is answered', async () => {
    let asked = 0
    const kit = await open({
      turns: { timeoutMs: 1_000, attempts: 2, backoffMs: 10, concurrency: 1 },
      responder: request => {
        asked += 1
        const hangs = () => new Promise(() => {})
        return ownReply(request, `reply ${asked}`, request.session.id === 'memory:1' ? hangs : undefined)
      },
    })
    await kit.say('one', { chat: '1' })
    await kit.say('two', { chat: '2' })
    await quiet(kit)
    expect(kit.reports.map(({ sessionId, outcome }) => `${sessionId} ${outcome}`).sort()).toEqual([
      'memory:1 failed',
      'memory:2 delivered',
    ])
  })

  test('where the platform never answers: it is asked again', async () => {
    const platform = new MemoryPlatform({ edits: false })
    const send = platform.send.bind(platform)
    let calls = 0
    platform.send = message => (++calls === 1 ? new Promise(() => {}) : send(message))
    const kit = await open({ platform })
    await kit.say('hello')
    await quiet(kit)
    expect(platform.texts).toEqual(['answer to hello'])
  })

  test('where stop() comes before start() is done, or a channel stops at once', async () => {
    const platform = new MemoryPlatform()
    platform.stop = (() => {
      throw new Error('not so fast')
    }) as never
    const kit = await open({ platform })
    await kit.say('hello')
    const stopping = kit.runtime.stop()
    expect(kit.runtime.stop()).toBe(stopping)
    await kit.clock.advance(5_000)
    await stopping
    expect(kit.errors).toEqual([new Error('not so fast')])
  })
})

test('a reply that waits for its next attempt can be stopped', async () => {
  const kit = await open({
    turns: { backoffMs: 60_000 },
    responder: async () => {
      throw new Error('no')
    },
  })
  await kit.say('hello')
  await until(kit, () => expect(kit.errors).toHaveLength(1))
  await new Promise(resolve => setImmediate(resolve))
  expect(kit.runtime.stopReply('memory:42')).toBe(true)
  await kit.runtime.quiet()
  expect(kit.reports).toMatchObject([{ outcome: 'interrupted' }])
  expect(await kit.palimpsest.waiting()).toEqual([])
})
