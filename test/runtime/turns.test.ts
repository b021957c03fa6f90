import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { DeliveryError, type Reply, type ReplyRequest } from '../../packages/bot/src/index.ts'
import { contentText, interruptionOf } from '../../packages/palimpsest/src/log/index.ts'
import { codeBlocks } from '../frameworks/packed-project.ts'
import { type Kit, type KitOptions, MemoryPlatform, runtimeKit, Script } from './runtime-kit.ts'

const kits: Kit[] = []

/** Whoever answers says what the test lets it say. */
async function open(options: KitOptions = {}) {
  const scripts: Script[] = []
  const requests: ReplyRequest[] = []
  const responder = (request: ReplyRequest) => {
    requests.push(request)
    const script = new Script()
    scripts.push(script)
    return script
  }
  const kit = await runtimeKit({ inbox: { quietMs: 0 }, responder, ...options })
  kits.push(kit)
  const begun = async (count: number) => {
    await vi.waitFor(async () => {
      await kit.clock.advance(1)
      expect(scripts).toHaveLength(count)
    })
    return scripts[count - 1]!
  }
  return { ...kit, scripts, requests, begun }
}

afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.close()
})

async function logOf({ palimpsest }: Pick<Kit, 'palimpsest'>, id = 'memory:42') {
  const log = await palimpsest.session(id).messages()
  return log.map(({ role, content }) => {
    const interrupted = interruptionOf(content)
    return `${role}: ${contentText(content)}${interrupted ? ` [${interrupted}]` : ''}`
  })
}

const settle = () => new Promise(resolve => setImmediate(resolve))

describe('a reply', () => {
  test('is shown while it grows, seldom enough for the platform, and whole at its end', async () => {
    const { say, begun, clock, platform, runtime } = await open()
    await say('hello')
    const script = await begun(1)
    script.say('Good')
    await vi.waitFor(() => expect(platform.texts).toEqual(['Good']))
    script.say(' morning')
    script.say(', Ann')
    await settle()
    expect(platform.texts).toEqual(['Good'])
    await clock.advance(1_000)
    await vi.waitFor(() => expect(platform.texts).toEqual(['Good morning, Ann']))
    expect([...platform.shown.values()][0]).toMatchObject({ isPartial: true })
    script.say('!')
    script.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual(['Good morning, Ann!'])
    expect(platform.calls).toEqual([
      'typing',
      'send Good',
      'edit Good morning, Ann',
      'edit Good morning, Ann!',
    ])
    expect([...platform.shown.values()][0]).toMatchObject({ isPartial: false })
  })

  test('is sent when it is whole where the platform cannot change what it has, and typing is shown until then', async () => {
    const { say, begun, clock, platform, runtime } = await open({
      platform: new MemoryPlatform({ edits: false }),
    })
    await say('hello')
    const script = await begun(1)
    script.say('Good')
    await clock.advance(9_000)
    script.say(' morning')
    script.say(null)
    await runtime.quiet()
    expect(platform.calls).toEqual(['typing', 'typing', 'typing', 'send Good morning'])
    expect(clock.pending).toBe(0)
  })

  test('that is too long for one message goes on in the next', async () => {
    const { say, begun, platform, runtime } = await open({
      platform: new MemoryPlatform({ mostCharacters: 20 }),
    })
    await say('tell me', { id: 'q' })
    const script = await begun(1)
    script.say('One is here. Two is there. Three is gone.')
    script.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual(['One is here.', 'Two is there.', 'Three is gone.'])
    expect([...platform.shown.values()].map(({ replyTo }) => replyTo)).toEqual(['q', null, null])
  })

  test('of nothing is no message, and the matter is settled', async () => {
    const { say, begun, platform, runtime, reports, palimpsest } = await open()
    await say('hello')
    const script = await begun(1)
    script.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual([])
    expect(reports).toMatchObject([{ outcome: 'silent', seqs: [1] }])
    expect(await palimpsest.waiting()).toEqual([])
  })

  test('that somebody stops is stored as far as it came, marked, and is not begun anew', async () => {
    const kit = await open()
    const { say, begun, platform, runtime, reports, palimpsest } = kit
    expect(runtime.stopReply('memory:42')).toBe(false)
    await say('tell me everything')
    const script = await begun(1)
    script.say('In the beginning')
    await vi.waitFor(() => expect(platform.texts).toHaveLength(1))
    expect(runtime.stopReply('memory:42')).toBe(true)
    await runtime.quiet()
    expect(await logOf(kit)).toEqual(['user: tell me everything', 'assistant: In the beginning [aborted]'])
    expect(platform.texts).toEqual(['In the beginning …'])
    expect(reports).toMatchObject([{ outcome: 'interrupted' }])
    expect(await palimpsest.waiting()).toEqual([])
  })
})

describe('a message during a reply', () => {
  test('queues by default: it is answered afterwards, in a turn of its own', async () => {
    const kit = await open()
    const { say, begun, platform, runtime, scripts, requests } = kit
    await say('one')
    const first = await begun(1)
    await say('two')
    await say('three')
    await kit.clock.advance(60_000)
    expect(scripts).toHaveLength(1)
    first.say('1')
    first.say(null)
    const second = await begun(2)
    expect(requests[1]!.messages.map(({ content }) => content)).toEqual(['two', 'three'])
    second.say('2 and 3')
    second.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual(['1', '2 and 3'])
    expect(await logOf(kit)).toEqual([
      'user: one',
      'user: two',
      'user: three',
      'assistant: 1',
      'assistant: 2 and 3',
    ])
  })

  test('joins it as long as nothing was shown, and then queues', async () => {
    const kit = await open({ turns: { during: 'join' } })
    const { say, begun, platform, runtime, requests } = kit
    await say('one')
    await begun(1)
    await say('two')
    const second = await begun(2)
    expect(requests[0]!.signal.aborted).toBe(true)
    expect(requests[1]).toMatchObject({ attempt: 1 })
    expect(requests[1]!.messages.map(({ content }) => content)).toEqual(['one', 'two'])
    second.say('both')
    await vi.waitFor(() => expect(platform.texts).toEqual(['both']))
    await say('three')
    second.say(null)
    const third = await begun(3)
    expect(requests[1]!.signal.aborted).toBe(false)
    third.say('3')
    third.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual(['both', '3'])
  })

  test('interrupts it, where that is asked for: what was said stands, marked', async () => {
    const kit = await open({ turns: { during: 'interrupt' } })
    const { say, begun, platform, runtime, requests, reports } = kit
    await say('one', { id: 'a' })
    const first = await begun(1)
    first.say('Well, one')
    await vi.waitFor(() => expect(platform.texts).toHaveLength(1))
    await say('two', { id: 'b' })
    const second = await begun(2)
    expect(requests[1]!.messages.map(({ content }) => content)).toEqual(['two'])
    second.say('2')
    second.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual(['Well, one …', '2'])
    expect(await logOf(kit)).toEqual([
      'user: one',
      'user: two',
      'assistant: Well, one [aborted]',
      'assistant: 2',
    ])
    expect(reports.map(({ outcome }) => outcome)).toEqual(['interrupted', 'delivered'])
  })

  test('that interrupts before a word was said is answered with what it interrupted', async () => {
    const { say, begun, platform, runtime, requests } = await open({ turns: { during: 'interrupt' } })
    await say('one', { id: 'a' })
    await begun(1)
    await say('two', { id: 'b' })
    const second = await begun(2)
    expect(requests[1]!.messages.map(({ content }) => content)).toEqual(['one', 'two'])
    second.say('1 and 2')
    second.say(null)
    await runtime.quiet()
    expect([...platform.shown.values()]).toMatchObject([{ text: '1 and 2', replyTo: 'a' }])
  })

  test("of somebody else in a group does not interrupt another person's answer", async () => {
    const { say, begun, runtime, requests } = await open({ turns: { during: 'interrupt' } })
    const group = { kind: 'group', mentionsBot: true } as const
    await say('one', { ...group, sender: { id: 'ann' } })
    const first = await begun(1)
    await say('two', { ...group, sender: { id: 'bob' } })
    await settle()
    expect(requests[0]!.signal.aborted).toBe(false)
    first.say('1')
    first.say(null)
    const second = await begun(2)
    second.say(null)
    await runtime.quiet()
  })
})

describe('a reply that fails', () => {
  test('is tried again, each time after twice as long, and takes the place of what was shown', async () => {
    const kit = await open({ turns: { backoffMs: 2_000 } })
    const { say, begun, clock, platform, runtime, scripts, requests, errors, reports } = kit
    await say('hello')
    const first = await begun(1)
    first.say('Good mor')
    await vi.waitFor(() => expect(platform.texts).toEqual(['Good mor']))
    first.say(new Error('the line is down'))
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    await clock.advance(1_990)
    expect(scripts).toHaveLength(1)
    await clock.advance(10)
    const second = await begun(2)
    second.say(new Error('still down'))
    await vi.waitFor(() => expect(errors).toHaveLength(2))
    await clock.advance(3_990)
    expect(scripts).toHaveLength(2)
    await clock.advance(10)
    const third = await begun(3)
    expect(requests[2]!.attempt).toBe(3)
    third.say('Good morning')
    third.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual(['Good morning'])
    expect(await logOf(kit)).toEqual([
      'user: hello',
      'assistant: Good mor [failed]',
      'assistant: Good morning',
    ])
    expect(reports).toMatchObject([{ outcome: 'delivered', attempts: 3 }])
  })

  test('is given up after so many attempts, and the person is told', async () => {
    const kit = await open({ turns: { attempts: 2, backoffMs: 0, failureText: 'Sorry.' } })
    const { say, begun, platform, runtime, reports, palimpsest } = kit
    await say('hello', { id: 'q' })
    for (const attempt of [1, 2]) (await begun(attempt)).say(new Error('no'))
    await runtime.quiet()
    expect([...platform.shown.values()]).toMatchObject([{ text: 'Sorry.', replyTo: 'q' }])
    expect(reports).toMatchObject([{ outcome: 'failed', attempts: 2, error: new Error('no') }])
    expect(await palimpsest.waiting()).toEqual([])
    expect(await logOf(kit)).toEqual(['user: hello'])
  })

  test('says nothing to the person where that is asked for', async () => {
    const { say, begun, platform, runtime } = await open({ turns: { attempts: 1, failureText: null } })
    await say('hello')
    const script = await begun(1)
    script.say(new Error('no'))
    await runtime.quiet()
    expect(platform.texts).toEqual([])
  })

  test('for good is not tried again', async () => {
    const { say, begun, runtime, scripts, reports } = await open()
    await say('hello')
    const script = await begun(1)
    script.say(Object.assign(new Error('wrong key'), { isRetryable: false }))
    await runtime.quiet()
    expect(scripts).toHaveLength(1)
    expect(reports).toMatchObject([{ outcome: 'failed', attempts: 1 }])
  })

  test('because it takes too long is a failure, too, also where nobody heeds the signal', async () => {
    const kit = await open({ turns: { timeoutMs: 30_000, attempts: 2, backoffMs: 0 } })
    const { say, begun, clock, platform, runtime, requests } = kit
    await say('hello')
    const first = await begun(1)
    first.say('Hm')
    await clock.advance(30_000)
    expect(requests[0]!.signal.reason.message).toMatch(/timeoutMs/)
    await clock.advance(1_000)
    const second = await begun(2)
    second.say('Hello')
    second.say(null)
    await runtime.quiet()
    expect(platform.texts).toEqual(['Hello'])
    expect(await logOf(kit)).toEqual(['user: hello', 'assistant: Hm [aborted]', 'assistant: Hello'])
  })

  test('because the responder gives nonsense says what it may give', async () => {
    const { say, runtime, reports, clock } = await open({
      responder: (() => 7) as never,
      turns: { attempts: 1 },
    })
    await say('hello')
    await clock.advance(1)
    await runtime.quiet()
    expect(String(reports[0]!.error)).toMatch(/text, finish/)
  })
})

describe('the platform', () => {
  test('that refuses for a while gets it later, and the model is asked once', async () => {
    const kit = await open()
    const { say, begun, clock, platform, runtime, scripts } = kit
    await say('hello')
    const script = await begun(1)
    platform.failures.push(new Error('reset'), new DeliveryError('flood', { retryAfterMs: 7_000 }))
    script.say('Good')
    await vi.waitFor(() => expect(platform.calls).toContain('send Good (refused)'))
    script.say(' morning')
    script.say(null)
    await vi.waitFor(() => expect(platform.calls).toContain('send Good morning (refused)'))
    await clock.advance(6_990)
    expect(platform.texts).toEqual([])
    await clock.advance(10)
    await runtime.quiet()
    expect(platform.texts).toEqual(['Good morning'])
    expect(scripts).toHaveLength(1)
  })

  test('from which somebody deleted what was shown gets the whole anew', async () => {
    const { say, begun, platform, runtime } = await open()
    await say('hello', { id: 'q' })
    const script = await begun(1)
    script.say('Good')
    await vi.waitFor(() => expect(platform.texts).toEqual(['Good']))
    platform.shown.clear()
    platform.failures.push(new DeliveryError('message to edit not found', { isFinal: true }))
    script.say(' morning')
    script.say(null)
    await runtime.quiet()
    expect([...platform.shown.values()]).toMatchObject([{ text: 'Good morning', replyTo: 'q' }])
  })

  test('that will never take it is not asked again', async () => {
    const { say, begun, platform, runtime, reports, palimpsest } = await open()
    await say('hello')
    const script = await begun(1)
    platform.failures.push(new DeliveryError('blocked', { isFinal: true }))
    platform.failures.push(new DeliveryError('blocked', { isFinal: true }))
    script.say('Good morning')
    script.say(null)
    await runtime.quiet()
    expect(reports).toMatchObject([{ outcome: 'undeliverable' }])
    expect(await palimpsest.waiting()).toEqual([])
    expect(await palimpsest.session('memory:42').count()).toBe(2)
  })
})

describe('many chats', () => {
  test('do not wait for each other', async () => {
    const { say, begun, platform, runtime } = await open()
    await say('one', { chat: '1' })
    const slow = await begun(1)
    await say('two', { chat: '2' })
    const quick = await begun(2)
    quick.say('2')
    quick.say(null)
    await runtime.quiet('memory:2')
    expect(platform.texts).toEqual(['2'])
    slow.say('1')
    slow.say(null)
    await runtime.quiet()
  })

  test('are answered so many at a time, where there is a limit, each in its turn', async () => {
    const { say, begun, clock, runtime, scripts } = await open({ turns: { concurrency: 2 } })
    for (const chat of ['1', '2', '3', '4']) await say(chat, { chat })
    await begun(2)
    await clock.advance(60_000)
    expect(scripts).toHaveLength(2)
    scripts[0]!.say(null)
    await begun(3)
    scripts[1]!.say(null)
    await begun(4)
    for (const script of scripts.slice(2)) script.say(null)
    await runtime.quiet()
  })
})

test('who wants to stop a reply that is being stored comes too late: it is delivered', async () => {
  let letGo = () => {}
  const responder = (request: ReplyRequest): Reply => ({
    text: (async function* () {
      yield 'said'
    })(),
    finish: async () => {
      await new Promise<void>(resolve => (letGo = resolve))
      const { messages } = await request.session.append(
        { role: 'assistant', content: 'said' },
        { answers: { seqs: request.messages.map(({ seq }) => seq) } },
      )
      return { status: 'complete', seqs: messages.map(({ seq }) => seq), usage: null }
    },
  })
  const kit = await open({ responder, platform: new MemoryPlatform({ edits: false }) })
  await kit.say('hello')
  const resting = letGo
  await vi.waitFor(async () => {
    await kit.clock.advance(1)
    expect(letGo).not.toBe(resting)
  })
  kit.platform.failures.push(new DeliveryError('flood', { retryAfterMs: 500 }))
  expect(kit.runtime.stopReply('memory:42')).toBe(true)
  letGo()
  await vi.waitFor(async () => {
    await kit.clock.advance(500)
    expect(kit.platform.texts).toEqual(['said'])
  })
  await kit.runtime.quiet()
  expect(kit.reports).toMatchObject([{ outcome: 'delivered' }])
})

test('the responder of docs/bots.md answers', async () => {
  const [code] = codeBlocks('docs/bots.md', 'ts')
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-responder-'))
  const file = join(folder, 'parrot.ts')
  writeFileSync(file, code!)
  const { parrot } = await import(file)
  rmSync(folder, { recursive: true })
  const { say, clock, runtime, platform } = await open({ responder: parrot })
  await say('one')
  await say('two')
  await clock.advance(1)
  await runtime.quiet()
  expect(platform.texts).toEqual(['You said: one\nYou said: two'])
})
