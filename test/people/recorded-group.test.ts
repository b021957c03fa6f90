import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { telegram } from '../../packages/bot/src/channels/telegram/index.ts'
import { readUpdate } from '../../packages/bot/src/channels/telegram/read-update.ts'
import { createRuntime } from '../../packages/bot/src/index.ts'
import { createPalimpsest, type Message } from '../../packages/palimpsest/src/index.ts'
import { sqlitePlace } from '../stores.ts'
import { startTelegramServer } from '../telegram/telegram-server.ts'
import { RECORDED_BOT, RECORDED_GROUP, RECORDED_SUPERGROUP, recordedUpdates } from './recorded-group.ts'
import { recordedQuestions } from './recorded-group-questions.ts'
import { recordedStatements } from './recorded-group-statements.ts'

/** That the recorded group is what its statements and questions say. */

const bot = { id: RECORDED_BOT.id, username: RECORDED_BOT.username! }

/** What was said last in each message, by its id in the log. */
const texts = new Map<string, { text: string; from: string; day: string }>()
for (const { message, edited_message: edited } of recordedUpdates) {
  const said = message ?? edited!
  const { text, chat, message_id: id, date, from } = said
  if (text === undefined) continue
  const externalId = chat.id === RECORDED_SUPERGROUP.id ? `${chat.id}/${id}` : String(id)
  const day = new Date(date * 1_000).toISOString().slice(0, 10)
  texts.set(externalId, { text, from: String(from.id), day })
}

test('the channel reads every update, in order, and sees the upgrade', () => {
  const read = recordedUpdates.map(update => readUpdate(update, bot)?.type ?? null)
  expect(read.filter(type => type === 'message').length).toBeGreaterThan(150)
  expect(read.filter(type => type === 'edited')).toHaveLength(1)
  expect(read.filter(type => type === 'moved')).toHaveLength(2)
  // Who came in is no message.
  expect(read.filter(type => type === null)).toHaveLength(1)
  expect(readUpdate(recordedUpdates.find(isUpgrade)!, bot)).toEqual({
    type: 'moved',
    from: String(RECORDED_GROUP.id),
    to: String(RECORDED_SUPERGROUP.id),
  })
  const dates = recordedUpdates.map(
    ({ message, edited_message: edited }) => edited?.edit_date ?? message!.date,
  )
  expect(dates).toEqual([...dates].sort((left, right) => left - right))
})

function isUpgrade({ message }: Update): boolean {
  return message?.migrate_to_chat_id !== undefined
}

test('the words of a statement stand in its message, on its day, and in no other one', () => {
  expect(recordedStatements.length).toBeGreaterThanOrEqual(60)
  for (const statement of recordedStatements) {
    const { externalId, speaker, day, words, wrongSpeakers, wrongDays, passedOnBy } = statement
    const said = texts.get(externalId)
    expect(said, words).toMatchObject({ from: passedOnBy ?? speaker, day })
    const holding = [...texts].filter(([, { text }]) => text.includes(words)).map(([id]) => id)
    expect(holding, words).toEqual([externalId])
    expect(wrongSpeakers, words).not.toContain(speaker)
    expect(wrongDays, words).not.toContain(day)
  }
})

test('what a statement refers to is there', () => {
  for (const { holdsUntil, answers, negation, externalId, words } of recordedStatements) {
    for (const id of [holdsUntil, answers]) if (id !== undefined) expect(texts.has(id), words).toBe(true)
    if (negation)
      for (const part of [negation.part, negation.with]) expect(texts.get(externalId)!.text).toContain(part)
  }
})

test('there are 40 questions, each with its evidence', () => {
  expect(new Set(recordedQuestions.map(({ question }) => question)).size).toBe(40)
  for (const { question, evidence } of recordedQuestions)
    for (const id of evidence) expect(texts.has(id), question).toBe(true)
})

test('a bot that was in it has all of it in one session, under the ids that the statements name', async () => {
  const errors: unknown[] = []
  await using server = await startTelegramServer()
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', indexing: 'off' })
  const runtime = createRuntime({
    palimpsest,
    channels: [telegram({ token: server.token, apiRoot: server.url })],
    responder: async () => 'approved',
    inbox: { quietMs: 0 },
    onError: error => errors.push(error),
  })
  try {
    await runtime.start()
    for (const { message, edited_message: edited } of recordedUpdates)
      if (message) server.say(message)
      else server.update({ edited_message: edited! })
    const last = server.pending.at(-1)!.update_id
    await server.until(() => server.confirmedThrough >= last && server.isPolled)
    await runtime.quiet()
    const session = palimpsest.session(`telegram:${RECORDED_GROUP.id}`)
    const log = new Map<string | null, Message>()
    for (let after = 0; after < (await session.count()); after += 100)
      for (const message of await session.messages({ after, limit: 100 }))
        log.set(message.externalId, message)
    expect([...texts.keys()].filter(id => !log.has(id))).toEqual([])
    for (const { externalId, speaker, passedOnBy, day, words } of recordedStatements) {
      const { sender, at, content } = log.get(externalId)!
      expect(sender?.id, words).toBe(`telegram:${passedOnBy ?? speaker}`)
      expect(new Date(at).toISOString().slice(0, 10), words).toBe(day)
      // Nothing of it is taken for a secret.
      expect(JSON.stringify(content), words).toContain(JSON.stringify(words).slice(1, -1))
    }
    expect(errors).toEqual([])
  } finally {
    await runtime.stop()
    await palimpsest.close()
    await place.remove()
  }
})
