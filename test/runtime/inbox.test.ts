import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Kit, type KitOptions, MemoryPlatform, quiet, runtimeKit, Script, until } from './runtime-kit.ts'

const kits: Kit[] = []

async function open(options?: KitOptions): Promise<Kit> {
  const kit = await runtimeKit(options)
  kits.push(kit)
  return kit
}

afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.close()
})

const group = (sender: string) => ({ kind: 'group' as const, sender: { id: sender }, mentionsBot: true })

describe('what is received', () => {
  test('is durable at once, whatever becomes of its answer', async () => {
    const { say, palimpsest } = await open()
    const received = await say('hello', { id: 'a', replyTo: 'earlier' })
    expect(received).toEqual({ sessionId: 'memory:42', seq: 1, duplicate: false, triggers: 'private' })
    const [message] = await palimpsest.session('memory:42').messages()
    expect(message).toMatchObject({ content: 'hello', externalId: 'a', replyTo: 'earlier' })
    expect(await palimpsest.session('memory:42').info()).toMatchObject({ kind: 'private', user: 'memory:7' })
  })

  test('adds nothing when the platform delivers it again, also after a restart', async () => {
    const { say, clock, runtime, platform, restart } = await open()
    await Promise.all([say('hello', { id: 'a' }), say('hello', { id: 'a' })])
    expect(await say('hello', { id: 'a' })).toMatchObject({ seq: 1, duplicate: true, triggers: null })
    await clock.advance(1_500)
    await runtime.quiet()
    expect(await say('hello', { id: 'a' })).toMatchObject({ duplicate: true })
    const again = await restart()
    kits.push(again)
    expect(await again.say('hello', { id: 'a' })).toMatchObject({ duplicate: true })
    await clock.advance(60_000)
    await again.runtime.quiet()
    expect(platform.texts).toEqual(['answer to hello'])
  })

  test('replaces what it said where the platform says so, and is not answered anew', async () => {
    const { say, clock, runtime, platform, palimpsest } = await open()
    await say('helo', { id: 'a' })
    await clock.advance(1_500)
    await runtime.quiet()
    await platform.host!.edited({
      ...{ chat: '42', kind: 'private', id: 'a', sender: { id: '7' }, at: new Date(0) },
      content: 'hello',
    })
    await clock.advance(10_000)
    await runtime.quiet()
    const [message] = await palimpsest.session('memory:42').messages()
    expect(message).toMatchObject({ content: 'hello', version: 2 })
    expect(platform.texts).toEqual(['answer to helo'])
  })

  test('keeps its own id, sender and instant, in the order of arrival', async () => {
    const { say, palimpsest } = await open()
    await say('sent later', {
      id: '9',
      at: new Date('2026-03-06T10:00:09Z'),
      sender: { id: '1', name: 'Ann' },
    })
    await say('sent first', {
      id: '8',
      at: new Date('2026-03-06T10:00:08Z'),
      sender: { id: '2', name: 'Bob' },
    })
    const log = await palimpsest.session('memory:42').messages()
    expect(log.map(({ externalId, sender, at }) => [externalId, sender?.id, at.toISOString()])).toEqual([
      ['9', 'memory:1', '2026-03-06T10:00:09.000Z'],
      ['8', 'memory:2', '2026-03-06T10:00:08.000Z'],
    ])
  })

  test('is kept apart by chat and thread, whatever is in their ids', async () => {
    const { runtime } = await open()
    const places = [
      { chat: 'a:b' },
      { chat: 'a', thread: 'b' },
      { chat: 'a%3Ab' },
      { chat: 'a', thread: 'b/c' },
      { chat: 'a:b', thread: 'c' },
      { chat: 'a', thread: 'b:c' },
      { chat: 'a/b' },
    ]
    const ids = places.map(place => runtime.sessionId('memory', place))
    expect(new Set(ids).size).toBe(places.length)
    expect(ids[1]).toBe('memory:a:b')
  })

  test('without an id, a chat or a sender is refused by name', async () => {
    const { say } = await open()
    await expect(say('x', { id: undefined } as never)).rejects.toThrow(/^id: nothing is given/)
    await expect(say('x', { chat: '' })).rejects.toThrow(/^chat: ""/)
    await expect(say('x', { sender: {} as never })).rejects.toThrow(/^sender\.id/)
    await expect(say('x', { kind: 'channel' as never })).rejects.toThrow(/private, group/)
  })

  test('under a known id with other words says so, and the first stays', async () => {
    const { say, palimpsest, errors } = await open()
    await say('one', { id: 'a' })
    expect(await say('two', { id: 'a' })).toMatchObject({ seq: 1, duplicate: true, differs: true })
    expect((await palimpsest.session('memory:42').messages()).map(({ content }) => content)).toEqual(['one'])
    expect(errors).toMatchObject([{ code: 'message_conflict' }])
  })

  test('is not taken before the start nor after the end, and a channel that there is not is named', async () => {
    const { say, runtime } = await open()
    await expect(runtime.receive('other', {} as never)).rejects.toThrow(/"other".*memory/)
    await runtime.stop()
    await expect(say('too late')).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('a burst', () => {
  test('is answered together after a quiet time, to its first message', async () => {
    const { say, clock, runtime, platform, palimpsest } = await open()
    await say('one', { id: 'a' })
    await clock.advance(1_000)
    await say('two', { id: 'b' })
    await clock.advance(1_499)
    expect(platform.texts).toEqual([])
    await clock.advance(1)
    await runtime.quiet()
    expect(platform.texts).toEqual(['answer to one + two'])
    expect([...platform.shown.values()][0]).toMatchObject({ replyTo: 'a', chat: '42' })
    const log = await palimpsest.session('memory:42').messages()
    expect(log[2]).toMatchObject({ role: 'assistant', replyTo: 1 })
    expect(await palimpsest.waiting()).toEqual([])
  })

  test('is answered at the latest when its first message has waited for long enough', async () => {
    const { say, clock, runtime, platform } = await open({ inbox: { quietMs: 2_000, mostMs: 5_000 } })
    for (let index = 1; index <= 6; index++) {
      await say(`${index}`)
      await clock.advance(1_000)
    }
    await vi.waitFor(() => expect(platform.texts).toHaveLength(1))
    expect(platform.texts[0]).toBe('answer to 1 + 2 + 3 + 4 + 5')
    await clock.advance(1_000)
    await runtime.quiet()
    expect(platform.texts).toEqual(['answer to 1 + 2 + 3 + 4 + 5', 'answer to 6'])
  })

  test('is what one person says in a group, where others speak meanwhile', async () => {
    const { say, clock, runtime, platform } = await open()
    await say('a1', { ...group('ann'), id: '1' })
    await say('b1', { ...group('bob'), id: '2' })
    await say('a2', { ...group('ann'), id: '3' })
    await clock.advance(1_500)
    await runtime.quiet()
    expect([...platform.shown.values()].map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['answer to a1 + a2', '1'],
      ['answer to b1', '2'],
    ])
  })

  test('is what all say, where that is asked for', async () => {
    const { say, clock, runtime, platform } = await open({ inbox: { groupsBy: 'chat' } })
    await say('a1', group('ann'))
    await say('b1', group('bob'))
    await say('nothing to do with it', { ...group('cid'), mentionsBot: false })
    await clock.advance(1_500)
    await runtime.quiet()
    expect(platform.texts).toEqual(['answer to a1 + b1'])
  })

  test('takes what the same person adds, also without naming the bot again', async () => {
    const { say, clock, runtime, platform } = await open()
    await Promise.all([
      say('@bot', group('ann')),
      say('what is the weather?', { ...group('ann'), mentionsBot: false }),
      say('rain', { ...group('bob'), mentionsBot: false }),
    ])
    await clock.advance(1_500)
    await runtime.quiet()
    await say('thanks', { ...group('ann'), mentionsBot: false })
    await clock.advance(10_000)
    await runtime.quiet()
    expect(platform.texts).toEqual(['answer to @bot + what is the weather?'])
  })
})

describe('what was configured elsewhere', () => {
  test('is taken up before each message is stored, in the order of arrival', async () => {
    let refreshed = 0
    const { say, palimpsest } = await open({
      refresh: async () => {
        refreshed += 1
        if (refreshed === 1) await new Promise(resolve => setImmediate(resolve))
      },
    })
    await Promise.all(['one', 'two', 'three'].map(text => say(text)))
    expect(refreshed).toBe(3)
    expect(await palimpsest.session('memory:42').count()).toBe(3)
  })

  test('and where that fails, no message is lost', async () => {
    const { say, errors, palimpsest } = await open({ refresh: () => Promise.reject(new Error('gone')) })
    await say('one')
    expect(await palimpsest.session('memory:42').count()).toBe(1)
    expect(errors).toHaveLength(1)
  })
})

describe('a message', () => {
  test('joins an answer of which nothing was shown, whatever was made of it by then', async () => {
    const scripts: Script[] = []
    const kit = await open({
      inbox: { quietMs: 0 },
      platform: new MemoryPlatform({ edits: false }),
      turns: { during: 'join' },
      responder: () => {
        const script = new Script()
        scripts.push(script)
        return script
      },
    })
    await kit.say('one')
    await until(kit, () => expect(scripts).toHaveLength(1))
    scripts[0]!.say('Hm')
    await new Promise(resolve => setImmediate(resolve))
    await kit.say('two')
    await until(kit, () => expect(scripts).toHaveLength(2))
    scripts[1]!.say('both')
    scripts[1]!.say(null)
    await quiet(kit)
    expect(kit.platform.texts).toEqual(['both'])
  })

  test('whose storing nobody heard of is answered when it comes again', async () => {
    const kit = await open({ inbox: { quietMs: 0 } })
    const session = kit.palimpsest.session('memory:42')
    const append = Object.getPrototypeOf(session).append
    vi.spyOn(Object.getPrototypeOf(session), 'append').mockImplementationOnce(async function (
      this: unknown,
      ...given
    ) {
      await append.apply(this, given)
      throw new Error('connection lost after COMMIT')
    })
    await expect(kit.say('hello', { id: 'a' })).rejects.toThrow('connection lost')
    vi.restoreAllMocks()
    expect(await kit.say('hello', { id: 'a' })).toMatchObject({ duplicate: true })
    await quiet(kit)
    expect(kit.platform.texts).toEqual(['answer to hello'])
  })

  test('of the same person that comes when the answer is about to begin belongs to it', async () => {
    const kit = await open({ inbox: { quietMs: 5 } })
    const group = { kind: 'group' as const, sender: { id: 'ann' } }
    await kit.say('@bot hello', { ...group, mentionsBot: true })
    await kit.clock.advance(4)
    const session = kit.palimpsest.session('memory:42')
    const note = Object.getPrototypeOf(session).noteWaiting
    let added: Promise<unknown> | null = null
    vi.spyOn(Object.getPrototypeOf(session), 'noteWaiting').mockImplementationOnce(async function (
      this: unknown,
      ...given
    ) {
      added = kit.say('and one more thing', group)
      expect(await added).toMatchObject({ triggers: 'mention' })
      return note.apply(this, given)
    })
    await quiet(kit)
    vi.restoreAllMocks()
    expect(kit.platform.texts).toEqual(['answer to @bot hello + and one more thing'])
  })
})
