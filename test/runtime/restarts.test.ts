import { afterEach, describe, expect, test, vi } from 'vitest'
import { contentText } from '../../packages/palimpsest/src/log/index.ts'
import { type Kit, type KitOptions, runtimeKit, Script } from './runtime-kit.ts'

const kits: Kit[] = []

async function open(options: KitOptions = {}): Promise<Kit> {
  const kit = await runtimeKit(options)
  kits.push(kit)
  return kit
}

/** As after `kill -9`: nobody told the first process, and it does nothing any more. */
async function successorOf(kit: Kit, options: KitOptions = {}): Promise<Kit> {
  const { place, platform, clock } = kit
  const successor = await runtimeKit({ place, platform, clock, inbox: { quietMs: 0 }, ...options })
  kits.unshift({ ...successor, close: successor.end })
  return successor
}

afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.close()
})

const silent = () => new Script()

describe('after a restart', () => {
  test('what waited is answered, once, to its first message', async () => {
    const dying = await open({ inbox: { quietMs: 60_000 } })
    await dying.say('one', { id: 'a' })
    await dying.say('two', { id: 'b' })
    const { clock, runtime, platform, palimpsest } = await successorOf(dying)
    await clock.advance(1_500)
    await runtime.quiet()
    expect([...platform.shown.values()]).toMatchObject([{ text: 'answer to one + two', replyTo: 'a' }])
    const third = await successorOf(dying)
    await clock.advance(600_000)
    await third.runtime.quiet()
    expect(platform.texts).toHaveLength(1)
    expect(await palimpsest.session('memory:42').count()).toBe(3)
  })

  test('what was being answered is answered anew, in the place of what the platform shows', async () => {
    const script = silent()
    const dying = await open({ inbox: { quietMs: 0 }, responder: () => script })
    await dying.say('hello', { id: 'a' })
    await dying.clock.advance(1)
    script.say('Good mor')
    await vi.waitFor(async () => expect((await dying.palimpsest.waiting())[0]?.sent).toEqual(['out-1']))
    const { clock, runtime, platform, reports } = await successorOf(dying)
    await clock.advance(1)
    await runtime.quiet()
    expect(platform.texts).toEqual(['answer to hello'])
    expect(platform.calls.at(-1)).toBe('edit answer to hello')
    expect(reports).toMatchObject([{ outcome: 'delivered', attempts: 2 }])
  })

  test('an answer that was stored and not delivered is delivered, and the model is not asked', async () => {
    const dying = await open({ inbox: { quietMs: 0 } })
    dying.platform.failures.push(...Array.from({ length: 9 }, () => new Error('down')))
    await dying.say('hello', { id: 'a' })
    await dying.clock.advance(1)
    await vi.waitFor(async () => expect((await dying.palimpsest.waiting())[0]?.reply).toEqual([2]))
    dying.platform.failures.length = 0
    let asked = 0
    const responder = () => {
      asked += 1
      return Promise.resolve('again?')
    }
    const { clock, runtime, platform, palimpsest } = await successorOf(dying, { responder })
    await clock.advance(1)
    await runtime.quiet()
    expect([...platform.shown.values()]).toMatchObject([{ text: 'answer to hello', replyTo: 'a' }])
    expect(asked).toBe(0)
    expect(await palimpsest.waiting()).toEqual([])
  })

  test('of two processes that answer the same, one does: the other one says nothing', async () => {
    const script = silent()
    const slow = await open({ inbox: { quietMs: 0 }, responder: () => script })
    await slow.say('hello')
    await slow.clock.advance(1)
    const quick = await successorOf(slow)
    await quick.clock.advance(1)
    await quick.runtime.quiet()
    script.say('too late')
    script.say(null)
    await slow.runtime.quiet()
    expect(slow.reports).toMatchObject([{ outcome: 'elsewhere' }])
    const log = await quick.palimpsest.session('memory:42').messages()
    expect(log.map(({ content }) => contentText(content))).toEqual(['hello', 'answer to hello'])
  })

  test('a message that takes the process down with it is given up some time', async () => {
    const first = await open({ inbox: { quietMs: 0 }, responder: silent })
    await first.say('poison', { id: 'a' })
    await first.clock.advance(1)
    for (let restarts = 0; restarts < 3; restarts++) {
      const next = await successorOf(first, { responder: silent })
      await vi.waitFor(async () => {
        await next.clock.advance(1)
        expect((await next.palimpsest.waiting())[0]?.attempts).toBe(restarts + 2)
      })
    }
    const last = await successorOf(first, { responder: silent })
    await last.clock.advance(1)
    await last.runtime.quiet()
    expect(last.reports).toMatchObject([{ outcome: 'failed', attempts: 5 }])
    expect(last.platform.texts.at(-1)).toMatch(/could not answer/)
  })

  test('what another bot on the same database owes is left to it', async () => {
    const one = await open({ inbox: { quietMs: 60_000 } })
    await one.say('hello')
    const { MemoryPlatform } = await import('./runtime-kit.ts')
    const other = await successorOf(one, { platform: new MemoryPlatform({ name: 'other' }) })
    await other.clock.advance(1_500)
    await other.runtime.quiet()
    expect(other.platform.texts).toEqual([])
    expect(await other.palimpsest.waiting()).toHaveLength(1)
  })

  test('what a channel of the same name serves elsewhere is left there', async () => {
    const one = await open({ inbox: { quietMs: 60_000 } })
    await one.say('mine', { chat: '1' })
    await one.say('yours', { chat: '2' })
    const { platform } = one
    Object.assign(platform, { serves: ({ chat }: { chat: string }) => chat === '1' })
    const next = await successorOf(one)
    await next.clock.advance(1)
    await next.runtime.quiet()
    expect(platform.texts).toEqual(['answer to mine'])
    expect(await next.palimpsest.waiting()).toMatchObject([{ sessionId: 'memory:2' }])
  })

  test('what was taken back or erased meanwhile is not answered', async () => {
    const dying = await open({ inbox: { quietMs: 60_000 } })
    await dying.say('one', { chat: '1' })
    await dying.say('two', { chat: '2' })
    await dying.palimpsest.session('memory:1').rollback(0)
    await dying.palimpsest.forget({ kind: 'session', sessionId: 'memory:2' })
    const { clock, runtime, platform } = await successorOf(dying)
    await clock.advance(60_000)
    await runtime.quiet()
    expect(platform.texts).toEqual([])
  })
})

describe('a shutdown', () => {
  test('lets an answer that is under way end, and leaves what was not begun to the next process', async () => {
    const scripts: Script[] = []
    const responder = () => {
      const script = silent()
      scripts.push(script)
      return script
    }
    const kit = await open({ inbox: { quietMs: 0 }, responder })
    await kit.say('one')
    await kit.clock.advance(1)
    await vi.waitFor(() => expect(scripts).toHaveLength(1))
    await kit.say('two')
    const stopping = kit.runtime.stop()
    await expect(kit.say('three')).rejects.toMatchObject({ code: 'closed' })
    scripts[0]!.say('1')
    scripts[0]!.say(null)
    await stopping
    expect(kit.platform.texts).toEqual(['1'])
    expect((await kit.palimpsest.waiting()).map(({ seq }) => seq)).toEqual([2])
    const next = await successorOf(kit)
    await next.clock.advance(1)
    await next.runtime.quiet()
    expect(kit.platform.texts).toEqual(['1', 'answer to two'])
  })

  test('ends what takes too long: it is stored as far as it came, and answered by the next process', async () => {
    const script = silent()
    const kit = await open({ inbox: { quietMs: 0 }, responder: () => script })
    await kit.say('one')
    await kit.clock.advance(1)
    script.say('Let me')
    await vi.waitFor(() => expect(kit.platform.texts).toEqual(['Let me']))
    const stopping = kit.runtime.stop({ drainMs: 2_000 })
    await kit.clock.advance(2_000)
    await kit.clock.advance(2_000)
    await stopping
    expect(await kit.palimpsest.waiting()).toMatchObject([{ seq: 1, attempts: 0 }])
    const next = await successorOf(kit)
    await next.clock.advance(1)
    await next.runtime.quiet()
    expect(kit.platform.texts).toEqual(['answer to one'])
    const log = await next.palimpsest.session('memory:42').messages()
    expect(log.map(({ content }) => contentText(content))).toEqual(['one', 'Let me', 'answer to one'])
  })

  test('does not wait for a channel or a responder that hangs', async () => {
    const kit = await open({ inbox: { quietMs: 0 }, responder: () => new Promise(() => {}) })
    kit.platform.stop = () => new Promise(() => {})
    await kit.say('one')
    await kit.clock.advance(1)
    const stopping = kit.runtime.stop()
    for (let second = 0; second < 5; second++) await kit.clock.advance(1_000)
    await stopping
    await kit.runtime.stop()
  })
})

test('what the platform took in the instant before the process died is shown once, and whole in the end', async () => {
  const script = silent()
  const dying = await open({ inbox: { quietMs: 0 }, responder: () => script })
  const { platform } = dying
  const send = platform.send.bind(platform)
  platform.send = async message => {
    await send(message)
    return new Promise(() => {})
  }
  await dying.say('hello', { id: 'a' })
  await dying.clock.advance(1)
  script.say('Good mor')
  await vi.waitFor(() => expect(platform.texts).toEqual(['Good mor']))
  platform.send = send
  const { clock, runtime, palimpsest } = await successorOf(dying)
  expect(await palimpsest.waiting()).toMatchObject([{ sent: null, attempts: 1 }])
  await clock.advance(1)
  await runtime.quiet()
  expect(platform.texts).toEqual(['answer to hello'])
})
