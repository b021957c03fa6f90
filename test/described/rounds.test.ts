import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type MessageInput,
  type Palimpsest,
  type PalimpsestOptions,
  rounds,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { rawIn, said } from './long-text.ts'

/** Rounds: A in full, B at a time, in the words of the person who described it. */

const ANN = { kind: 'private', user: 'ann', scope: 'harbour' } as const

describe.each(Object.entries(PLACES))('rounds, on %s', (_, newPlace) => {
  let place: StorePlace
  let palimpsest: Palimpsest

  const open = async (options: Partial<PalimpsestOptions> = {}) => {
    palimpsest = await createPalimpsest({ store: await place.open(), policy: rounds(), ...options })
    return palimpsest
  }
  const round = async (chat: Session, number: number, content = said(number)) => {
    await chat.append([
      { role: 'user', content, sender: { id: 'ann', name: 'Ann' } },
      { role: 'assistant', content: said(number, 'assistant') },
    ])
    await palimpsest.settled()
  }

  beforeEach(async () => {
    place = newPlace()
    await open()
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  test('K = 1 … 10: at 7 rounds 1–3 are folded, at 10 rounds 4–6, exactly B at a time', async () => {
    const chat = palimpsest.session('chat')
    const folded: number[] = []
    for (let number = 1; number <= 10; number++) {
      await round(chat, number)
      folded.push((await chat.info())!.compactedThroughTurn)
    }
    expect(folded).toEqual([0, 0, 0, 0, 0, 0, 3, 3, 3, 6])
    expect((await chat.segments()).map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([
      [1, 6],
      [7, 12],
    ])
  })

  test('with fewer than A + B rounds everything is sent raw, and no session memory is extracted', async () => {
    const chat = palimpsest.session('chat', ANN)
    for (let number = 1; number <= 6; number++) await round(chat, number)
    const context = await chat.context()
    expect(rawIn(context)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(context.sessionMemory).toBeNull()
    expect(await chat.segments()).toEqual([])
    expect(await chat.memory.read()).toBeNull()
    expect(await chat.daily().read()).toBeNull()
  })

  test('a round may have several user messages, tool calls and two replies, and is complete with a reply', async () => {
    const chat = palimpsest.session('chat')
    const messages = (number: number): MessageInput[] => [
      { role: 'user', content: said(number) },
      { role: 'user', content: 'And one thing more.' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: `c${number}`, toolName: 'look', input: {} }],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: `c${number}`, toolName: 'look', output: 'x' }],
      },
      { role: 'assistant', content: said(number, 'assistant') },
      { role: 'assistant', content: 'And a second reply.' },
    ]
    for (let number = 1; number <= 6; number++) await chat.append(messages(number))
    const [ask, more, call, result, reply] = messages(7)
    for (const message of [ask!, more!, call!, result!])
      expect((await chat.append(message)).decision).toBeNull()
    expect((await chat.append(reply!)).decision).toMatchObject({ reason: 'rounds' })
    await palimpsest.settled()
    expect(await chat.segments()).toMatchObject([{ fromSeq: 1, toSeq: 18 }])
  })

  test('in a group a round is what several people say up to the reply, or twelve messages without one', async () => {
    const chat = palimpsest.session('group', { kind: 'group' })
    for (let number = 1; number <= 7; number++) {
      for (const name of ['ann', 'bob', 'cem'])
        await chat.append({ role: 'user', content: `${name}: ${said(number)}`, sender: { id: name } })
      await chat.append({ role: 'assistant', content: said(number, 'assistant') })
    }
    await palimpsest.settled()
    expect((await chat.info())!).toMatchObject({ compactedThroughTurn: 3, compactedThrough: 12, turns: 7 })
    const silent = palimpsest.session('silent', { kind: 'group' })
    for (let at = 1; at <= 84; at++)
      await silent.append({ role: 'user', content: said(at), sender: { id: 'ann' } })
    await palimpsest.settled()
    expect((await silent.info())!.compactedThrough).toBe(36)
  })

  test('the order is user memory, scope memory, session memory, raw, current', async () => {
    const chat = palimpsest.session('chat', ANN)
    await palimpsest.memory.user('ann').append('- Ann likes lemons')
    await palimpsest.memory.scope('harbour').append('- The harbour closes at nine')
    for (let number = 1; number <= 7; number++) await round(chat, number)
    await chat.append({ role: 'user', content: 'And now?' })
    const { report } = await chat.context()
    const names = report.blocks.map(({ name }) => name as string)
    const order = ['user_memory', 'scope_memory', 'session_memory', 'raw', 'current']
    expect(names.filter(name => order.includes(name))).toEqual(order)
  })

  test('after folding, raw is only the rest: nothing folded comes back word for word by itself', async () => {
    const chat = palimpsest.session('chat', ANN)
    for (let number = 1; number <= 10; number++) await round(chat, number)
    await chat.append({ role: 'user', content: 'And now?' })
    const context = await chat.context()
    expect(rawIn(context)[0]).toBe(13)
    const beside = JSON.stringify(context.messages.slice(1)) + context.instructions
    for (let number = 1; number <= 6; number++) {
      expect(beside).not.toContain(said(number))
      expect(beside).not.toContain(said(number, 'assistant'))
    }
    expect(context.report.blocks.map(({ name }) => name)).not.toContain('recall')
    const whole = context.instructions + JSON.stringify(context.messages)
    for (let number = 7; number <= 10; number++) expect(whole.split(said(number)).length).toBe(2)
  })

  test('user and scope memory have what was said after each round, both in one session', async () => {
    await palimpsest.close()
    await open({ memory: { scopeLearnsFrom: 'all' } })
    const chat = palimpsest.session('chat', ANN)
    const facts = [
      ['My birthday is on 3 May.', 'We decided to ship the crates to Porto on Friday.', /3 May/, /Porto/],
      ['I live in Hangzhou with my dog.', 'We decided to paint the crane green.', /Hangzhou/, /crane green/],
      ['I am allergic to peanuts.', 'We decided to sell the tug to Faro.', /peanuts/, /Faro/],
    ] as const
    for (const [number, [own, shared, ofUser, ofScope]] of facts.entries()) {
      await round(chat, number + 1, `${own} ${shared}`)
      const content = async (document: { read(): Promise<{ content: string } | null> }) => {
        await palimpsest.settled()
        return (await document.read())?.content ?? ''
      }
      await expect.poll(() => content(palimpsest.memory.user('ann'))).toMatch(ofUser)
      await expect.poll(() => content(palimpsest.memory.scope('harbour'))).toMatch(ofScope)
    }
    // Session memory waits for a batch.
    expect(await chat.memory.read()).toBeNull()
  })

  test('session memory is extracted when a batch is folded, and in no round before', async () => {
    const chat = palimpsest.session('chat', ANN)
    const extracted: boolean[] = []
    for (let number = 1; number <= 8; number++) {
      await round(chat, number, `We decided to ship crate ${number} to Porto on Friday. ${said(number)}`)
      extracted.push((await chat.memory.read()) !== null)
    }
    expect(extracted).toEqual([false, false, false, false, false, false, true, true])
    const { content } = (await chat.memory.read())!
    expect(content).toContain('crate 1 to Porto')
    expect(content).not.toMatch(/crate [4-8] to Porto/)
  })

  test('there is an event log of what was folded', async () => {
    const chat = palimpsest.session('chat')
    for (let number = 1; number <= 10; number++) await round(chat, number)
    const folds = await chat.folds()
    expect(folds.map(({ fromSeq, toSeq, reason }) => [fromSeq, toSeq, reason])).toEqual([
      [7, 12, 'rounds'],
      [1, 6, 'rounds'],
    ])
  })

  test('the progress of folding is stored with the session, over a restart', async () => {
    for (let number = 1; number <= 8; number++) await round(palimpsest.session('chat'), number)
    await palimpsest.close()
    await open()
    const chat = palimpsest.session('chat')
    expect(await chat.info()).toMatchObject({ compactedThroughTurn: 3, compactedThrough: 6 })
    await round(chat, 9)
    expect((await chat.info())!.compactedThroughTurn).toBe(3)
    await round(chat, 10)
    expect((await chat.info())!.compactedThroughTurn).toBe(6)
  })
})
