import { generateText, streamText, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPalimpsest, type PalimpsestOptions, tokens } from '../../packages/palimpsest/src/index.ts'
import { contentText, type Message } from '../../packages/palimpsest/src/log/index.ts'
import {
  type ModelRequest,
  type ModelScript,
  scriptedModel,
} from '../../packages/palimpsest/src/testing/index.ts'
import { modelMessageViolations } from '../provider-rules.ts'
import { PLACES, sqlitePlace } from '../stores.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(place = sqlitePlace(), options: Partial<PalimpsestOptions> = {}) {
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', ...options })
  cleanups.push(
    () => place.remove(),
    () => palimpsest.close(),
  )
  return { palimpsest, chat: palimpsest.session('chat', { user: 'ann' }), place }
}

/** Answers the question that stands last. */
const answering: ModelScript = ({ said }) => `Answer to ${lastText(said)}`

const lastText = (said: ModelRequest['said']) => said.at(-1)!.text
const numbers = [1, 2, 3, 4] as const
const question = (number: number) => `Question ${number}?`
const user = (content: string) => ({ role: 'user', content }) as const

/** Of all that the assistant said: what it answers, as it is in the log. */
function answersIn(messages: readonly Message[]): [question: string, answer: string][] {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map(({ replyTo, content }) => [
      contentText(messages.find(({ seq }) => seq === replyTo)!.content),
      contentText(content),
    ])
}

const ALL_ANSWERED = numbers.map(number => [question(number), `Answer to ${question(number)}`])

describe.each(Object.entries(PLACES))('four requests at once in one session, on %s', (_, newPlace) => {
  test('each handle answers what was said through it, however they interleave', async () => {
    const { palimpsest, chat } = await start(newPlace())
    const model = scriptedModel(answering)
    await Promise.all(
      numbers.map(async number => {
        const own = palimpsest.session('chat', { user: 'ann' })
        await own.append(user(question(number)))
        const turn = await own.turn({ memoryTools: false })
        await turn.finish(await generateText({ model, ...turn.prompt }))
      }),
    )
    expect(model.requests.map(({ said }) => lastText(said)).sort()).toEqual(numbers.map(question))
    expect(answersIn(await chat.messages()).sort()).toEqual(ALL_ANSWERED)
  })

  test('one handle for all of them, and none says which message it answers', async () => {
    const { chat } = await start(newPlace())
    const model = scriptedModel(async request => {
      await new Promise(resolve => setTimeout(resolve, 5 * (request.said.length % 3)))
      return `Answer to ${lastText(request.said)}`
    })
    const answered = await Promise.all(
      numbers.map(async number => {
        await chat.append(user(question(number)))
        if (number % 2 === 0) await new Promise(resolve => setTimeout(resolve, 20))
        const turn = await chat.turn({ memoryTools: false })
        const result = await generateText({ model, ...turn.prompt })
        await turn.finish(result)
        return result.text
      }),
    )
    expect(answered).toEqual(numbers.map(number => `Answer to ${question(number)}`))
    expect(answersIn(await chat.messages()).sort()).toEqual(ALL_ANSWERED)
  })

  test('a new handle for each call, and none says which message it answers', async () => {
    const { palimpsest, chat } = await start(newPlace())
    const model = scriptedModel(answering)
    const handle = () => palimpsest.session('chat', { user: 'ann' })
    await Promise.all(
      numbers.map(async number => {
        await handle().append(user(question(number)))
        const turn = await handle().turn({ memoryTools: false })
        await turn.finish(await generateText({ model, ...turn.prompt }))
      }),
    )
    expect(answersIn(await chat.messages()).sort()).toEqual(ALL_ANSWERED)
  })

  test('one handle for all of them, of which each writes in other sessions, too', async () => {
    const { palimpsest, chat } = await start(newPlace())
    const [audit, copy] = [palimpsest.session('audit'), palimpsest.session('copy')]
    const model = scriptedModel(answering)
    await Promise.all(
      numbers.map(async number => {
        await chat.append(user(question(number)))
        await audit.append(user(`Ann asked ${number}`))
        await copy.append(user(question(number)))
        const turn = await chat.turn({ memoryTools: false })
        await turn.finish(await generateText({ model, ...turn.prompt }))
      }),
    )
    expect(answersIn(await chat.messages()).sort()).toEqual(ALL_ANSWERED)
  })

  test('one handle for all of them: each says which message it answers', async () => {
    const { chat } = await start(newPlace())
    const model = scriptedModel(answering)
    await Promise.all(
      numbers.map(async number => {
        const [asked] = (await chat.append(user(question(number)))).messages
        const turn = await chat.turn({ throughSeq: asked!.seq, memoryTools: false })
        expect(turn.seq).toBe(asked!.seq)
        const { text } = await generateText({ model, ...turn.prompt }).then(async result => {
          await turn.finish(result)
          return result
        })
        expect(text).toBe(`Answer to ${question(number)}`)
      }),
    )
    expect(answersIn(await chat.messages()).sort()).toEqual(ALL_ANSWERED)
  })

  test('two processes', async () => {
    const place = newPlace()
    const first = await start(place)
    const second = await createPalimpsest({ store: await place.open(), folding: 'manual' })
    cleanups.push(() => second.close())
    const model = scriptedModel(answering)
    await Promise.all(
      numbers.map(async number => {
        const own = (number % 2 === 0 ? second : first.palimpsest).session('chat', { user: 'ann' })
        const [asked] = (await own.append(user(question(number)))).messages
        const turn = await own.turn({ throughSeq: asked!.seq, memoryTools: false })
        const result = streamText({ model, ...turn.prompt })
        await turn.finish(result)
      }),
    )
    expect(answersIn(await first.chat.messages()).sort()).toEqual(ALL_ANSWERED)
  })
})

/** What the model is sent, without instructions: who says what. */
const sent = ({ said }: ModelRequest) =>
  said.filter(({ role }) => role !== 'system').map(({ role, text }) => `${role}: ${text}`)

describe('forced orders', () => {
  test('a question stored before the turn of another one begins is not in its prompt', async () => {
    const { palimpsest } = await start()
    const model = scriptedModel(answering)
    const one = palimpsest.session('chat', { user: 'ann' })
    const two = palimpsest.session('chat', { user: 'ann' })
    await one.append(user(question(1)))
    await two.append(user(question(2)))
    for (const own of [one, two]) {
      const turn = await own.turn({ memoryTools: false })
      // Neither is stored yet when the other one begins.
      await generateText({ model, ...turn.prompt })
    }
    expect(model.requests.map(sent)).toEqual([
      ['user: Question 1?'],
      ['user: Question 1?', 'user: Question 2?'],
    ])
  })

  test('an answer to an earlier question, stored before a turn begins, stands before its question', async () => {
    const { palimpsest, chat } = await start()
    const model = scriptedModel(answering)
    const one = palimpsest.session('chat', { user: 'ann' })
    const two = palimpsest.session('chat', { user: 'ann' })
    await one.append(user(question(1)))
    await two.append(user(question(2)))
    const first = await one.turn({ memoryTools: false })
    await first.finish(await generateText({ model, ...first.prompt }))
    const second = await two.turn({ memoryTools: false })
    await second.finish(await generateText({ model, ...second.prompt }))
    expect(sent(model.requests[1]!)).toEqual([
      'user: Question 1?',
      'assistant: Answer to Question 1?',
      'user: Question 2?',
    ])
    expect((await chat.messages()).map(({ replyTo }) => replyTo)).toEqual([null, null, 1, 2])
    // What others asked later is not, and neither is its answer.
    const third = await chat.turn({ throughSeq: 1, memoryTools: false })
    await generateText({ model, ...third.prompt })
    expect(sent(model.requests[2]!)).toEqual(['user: Question 1?'])
  })

  const look = (execute: () => Promise<string>) => ({
    look: tool({ inputSchema: z.object({}), execute }),
  })

  test('a loop of tool calls keeps its question while others are asked and answered', async () => {
    const { palimpsest, chat } = await start()
    const model = scriptedModel(({ said }) =>
      said.some(({ role }) => role === 'tool') ? 'Seen.' : { toolCalls: [{ name: 'look', arguments: {} }] },
    )
    const other = scriptedModel(answering)
    const one = palimpsest.session('chat', { user: 'ann' })
    await one.append(user(question(1)))
    const turn = await one.turn({
      memoryTools: false,
      tools: look(async () => {
        const two = palimpsest.session('chat', { user: 'ann' })
        await two.append(user(question(2)))
        const second = await two.turn({ memoryTools: false })
        await second.finish(await generateText({ model: other, ...second.prompt }))
        return 'A tree.'
      }),
    })
    await turn.finish(await generateText({ model, ...turn.prompt }))
    expect(lastText(other.requests[0]!.said)).toBe('Question 2?')
    expect(model.requests[1]!.said.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    const messages = await chat.messages()
    const replies = messages.map(({ role, replyTo }) => `${role} ${replyTo}`)
    expect(replies).toEqual(['user null', 'user null', 'assistant 2', 'assistant 1', 'tool 1', 'assistant 1'])
    const { messages: all } = await chat.context()
    expect(modelMessageViolations(all)).toEqual([])
  })

  test('a retry goes on from what its tools gave, and not from what others said', async () => {
    const { palimpsest, chat } = await start()
    let looked = 0
    const tools = look(async () => `Tree ${++looked}.`)
    const model = scriptedModel(({ said }) => {
      if (!said.some(({ role }) => role === 'tool')) return { toolCalls: [{ name: 'look', arguments: {} }] }
      return model.requests.length === 2 ? { status: 400 } : 'Seen.'
    })
    const one = palimpsest.session('chat', { user: 'ann' })
    await one.append(user(question(1)))
    const turn = await one.turn({ memoryTools: false, tools })
    await generateText({ model, ...turn.prompt, maxRetries: 0 }).catch(error => turn.fail(error))
    const two = palimpsest.session('chat', { user: 'ann' })
    await two.append(user(question(2)))
    const other = scriptedModel(answering)
    const second = await two.turn({ memoryTools: false })
    await second.finish(await generateText({ model: other, ...second.prompt }))
    const again = await one.turn({ throughSeq: 1, memoryTools: false, tools })
    expect(await again.finish(await generateText({ model, ...again.prompt }))).toMatchObject({
      status: 'complete',
    })
    expect(looked).toBe(1)
    expect(model.requests[2]!.said.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect((await chat.messages()).at(-1)).toMatchObject({ replyTo: 1, content: [{ text: 'Seen.' }] })
  })

  test('an answer that is asked for anew is made from its question', async () => {
    const { chat } = await start()
    const model = scriptedModel(answering)
    for (const number of [1, 2]) {
      await chat.append(user(question(number)))
      const turn = await chat.turn({ memoryTools: false })
      await turn.finish(await generateText({ model, ...turn.prompt }))
    }
    const again = await chat.turn({ throughSeq: 1, memoryTools: false })
    await again.finish(await generateText({ model, ...again.prompt }))
    expect(sent(model.requests[2]!)).toEqual(['user: Question 1?'])
    expect((await chat.messages()).map(({ replyTo }) => replyTo)).toEqual([null, 1, null, 3, 1])
  })

  test('a turn with nothing left to answer goes on from the newest message, as before', async () => {
    const { chat } = await start()
    const model = scriptedModel(answering)
    await chat.append(user(question(1)))
    const turn = await chat.turn({ memoryTools: false })
    await turn.finish(await generateText({ model, ...turn.prompt }))
    const more = await chat.turn({ memoryTools: false })
    await generateText({ model, ...more.prompt })
    expect(sent(model.requests[1]!)).toEqual([
      'user: Question 1?',
      'assistant: Answer to Question 1?',
      'user: [system]: (no new message)',
    ])
  })

  test('several messages in a row have one answer, as before', async () => {
    const { chat } = await start()
    const model = scriptedModel(answering)
    await chat.append(user('Hello.'))
    await chat.append(user(question(1)))
    const turn = await chat.turn({ memoryTools: false })
    await turn.finish(await generateText({ model, ...turn.prompt }))
    expect(sent(model.requests[0]!)).toEqual(['user: Hello.', 'user: Question 1?'])
    expect((await chat.messages()).at(-1)!.replyTo).toBe(2)
  })
})

describe.each(Object.entries(PLACES))('a context for an earlier message, on %s', (_, newPlace) => {
  test('is the one that there was when it was the newest, however much came since', async () => {
    const { chat } = await start(newPlace(), { policy: tokens({ budget: 2_000 }) })
    const earlier = new Map<number, string>()
    for (let number = 1; number <= 60; number++) {
      await chat.append({
        role: 'user',
        content: `${question(number)} ${'Why and how? '.repeat(number % 9)}`,
      })
      const { messages, report } = await chat.context()
      earlier.set(report.throughSeq, JSON.stringify(messages))
      await chat.append({ role: 'assistant', content: `It is ${number}. `.repeat(10), replyTo: null })
    }
    for (const [seq, messages] of earlier) {
      const context = await chat.context({ throughSeq: seq })
      expect(context.report.throughSeq).toBe(seq)
      expect(context.report.tokens).toBeLessThanOrEqual(2_000)
      expect(JSON.stringify(context.messages)).toBe(messages)
    }
  })
})

describe('the message that is answered', () => {
  test('folded meanwhile: it stands word for word after the segments', async () => {
    const { chat } = await start(sqlitePlace(), { policy: tokens({ budget: 2_000 }) })
    for (let number = 1; number <= 30; number++)
      await chat.append([
        user(question(number)),
        { role: 'assistant', content: `It is ${number}. `.repeat(20) },
      ])
    await chat.compact({ force: true })
    const { compactedThrough } = (await chat.info())!
    expect(compactedThrough).toBeGreaterThan(20)
    const model = scriptedModel(answering)
    const turn = await chat.turn({ throughSeq: 11, memoryTools: false })
    await turn.finish(await generateText({ model, ...turn.prompt }))
    const { said } = model.requests[0]!
    expect(said.at(-1)!.text).toMatch(/Question 6\?$/)
    expect(said.filter(({ role }) => role !== 'system')).toHaveLength(2)
    expect(turn.context.sessionMemory).not.toBeNull()
    expect((await chat.messages({ from: 'newest', limit: 1 }))[0]!.replyTo).toBe(11)
  })

  test.each([
    ['never was', 99],
    ['was taken back', 2],
  ])('%s: it is refused', async (_, seq) => {
    const { chat } = await start()
    await chat.append([user(question(1)), user(question(2)), user(question(3))])
    await chat.rollback(1)
    await expect(chat.turn({ throughSeq: seq })).rejects.toMatchObject({ code: 'message_not_found' })
    await expect(chat.context({ throughSeq: seq })).rejects.toMatchObject({ code: 'message_not_found' })
  })

  test.each([0, -1, 1.5, '1', null])('%j is no seq', async seq => {
    const { chat } = await start()
    await chat.append(user(question(1)))
    await expect(chat.turn({ throughSeq: seq as never })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  test('taken back or erased while the turn runs: nothing is stored of it', async () => {
    for (const [code, go] of [
      ['taken_back', 'rollback'],
      ['erased_meanwhile', 'erase'],
    ] as const) {
      const { chat, palimpsest } = await start()
      await chat.append([user(question(1)), user(question(2)), user(question(3))])
      const turn = await chat.turn({ throughSeq: 2, memoryTools: false })
      if (go === 'rollback') await chat.rollback(1)
      else await palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [2] })
      const result = await generateText({ model: scriptedModel('Late.'), ...turn.prompt })
      await expect(turn.finish(result)).rejects.toMatchObject({ code })
    }
  })
})
