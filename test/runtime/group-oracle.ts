import assert from 'node:assert/strict'
import type { OutgoingMessage } from '../../packages/bot/src/index.ts'
import {
  createPalimpsest,
  type Message,
  type Palimpsest,
  type Store,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { contentText, interruptionOf } from '../../packages/palimpsest/src/log/index.ts'
import type { ChatMessage } from './group-chat.ts'
import { findHeadingProblem } from './group-headings.ts'
import { BUDGET, CHANNEL, SESSION } from './group-protocol.ts'
import type { Delivered, Moment } from './group-simulation.ts'

export interface Ground {
  readonly store: Store
  /** In the order in which they were accepted. */
  readonly delivered: readonly Delivered[]
  /** What people wrote. */
  readonly all: readonly ChatMessage[]
  /** When the bot began the latest attempt to answer these, by their places in the log. */
  readonly begun: ReadonlyMap<string, Moment>
  readonly shown: readonly OutgoingMessage[]
  readonly problems: readonly string[]
}

/** Compares what is in the database with what people wrote and with what they see. Throws where they differ. */
export async function checkGroup({ store, delivered, all, begun, shown, problems }: Ground) {
  const palimpsest = await createPalimpsest({
    store,
    policy: tokens({ budget: BUDGET }),
    folding: 'manual',
    indexing: 'off',
  })
  try {
    assert.deepEqual(problems.slice(0, 5), [])
    const log = await readLog(palimpsest)
    checkMessages(log, delivered, all)
    const replies = checkReplies(log, delivered)
    checkBursts(replies, delivered, begun)
    checkShown(log, replies, shown)
    assert.deepEqual(await palimpsest.waiting(), [], 'Something waits for an answer')
    const context = await palimpsest.session(SESSION).context()
    assert.equal(findHeadingProblem(context, log), null)
    const segments = await palimpsest.session(SESSION).segments('all')
    return {
      replies: replies.length,
      answered: replies.reduce((sum, { answers }) => sum + answers.length, 0),
      interrupted: log.filter(({ content }) => interruptionOf(content) !== null).length,
      maxContextTokens: context.report.tokens,
      folds: segments.filter(({ level }) => level === 1).length,
    }
  } finally {
    await palimpsest.close()
  }
}

async function readLog(palimpsest: Palimpsest): Promise<readonly Message[]> {
  const log: Message[] = []
  for (;;) {
    const page = await palimpsest.session(SESSION).messages({ after: log.at(-1)?.seq ?? 0, limit: 1_000 })
    if (page.length === 0) return log
    log.push(...page)
  }
}

/** Every message once, as it was written, in the order of its arrival. */
function checkMessages(
  log: readonly Message[],
  delivered: readonly Delivered[],
  all: readonly ChatMessage[],
): void {
  const received = log.filter(({ role }) => role === 'user')
  sameLists(
    received.map(({ externalId }) => externalId),
    delivered.map(({ message }) => message.id),
    'The log is not what arrived, in the order in which it did',
  )
  sameLists(
    received.map(asWritten).sort(byId),
    all
      .map(({ id, sender, text, at }) => ({
        ...{ id, text, at },
        sender: { ...sender, id: `${CHANNEL}:${sender.id.replace(/[%:/]/g, encodeURIComponent)}` },
      }))
      .sort(byId),
    'A message is not as it was written',
  )
  sameLists(
    received.map(({ seq }) => seq),
    delivered.map(({ seq }) => seq),
    'A message is not where the runtime said',
  )
}

function asWritten({ externalId, sender, content, at }: Message) {
  const { id, name } = sender!
  return {
    ...{ id: externalId!, text: contentText(content), at: at.getTime() },
    sender: { id, ...(name !== undefined && name !== null && { name }) },
  }
}

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1
}

interface CheckedReply {
  readonly message: Message
  readonly answers: readonly number[]
}

/** What is owed an answer is answered once, with what the same person said just before and after it. */
function checkReplies(log: readonly Message[], delivered: readonly Delivered[]): readonly CheckedReply[] {
  const replies = log
    .filter(({ role, content }) => role === 'assistant' && interruptionOf(content) === null)
    .map(message => ({ message, answers: answersOf(message) }))
  const answered = replies.flatMap(({ answers }) => answers)
  assert.equal(new Set(answered).size, answered.length, 'A message was answered twice')
  const isAnswered = new Set(answered)
  for (const { message, seq, isOwed } of delivered)
    assert.equal(isAnswered.has(seq!), isOwed, `${message.id} (${seq}) is answered, is to be`)
  const bySeq = new Map(log.map(message => [message.seq, message]))
  const turnsOf = new Map<string, number[]>()
  for (const { message, answers } of replies) {
    const people = new Set(answers.map(seq => bySeq.get(seq)!.sender!.id))
    assert.equal(people.size, 1, `Reply ${message.seq} answers several people`)
    assert.equal(message.replyTo, Math.min(...answers), `Reply ${message.seq} points to another message`)
    assert.ok(message.seq > Math.max(...answers), `Reply ${message.seq} is before what it answers`)
    const [person] = people
    turnsOf.set(person!, [...(turnsOf.get(person!) ?? []), ...answers])
  }
  for (const [person, seqs] of turnsOf)
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
      `${person} was not answered in the order of asking`,
    )
  return replies
}

function answersOf({ seq, content }: Message): readonly number[] {
  const [, seqs] = /^re ([\d ]+):/.exec(contentText(content)) ?? []
  assert.ok(seqs, `Reply ${seq} does not say what it answers`)
  return seqs.split(' ').map(Number)
}

/** What somebody had said when an answer to them was begun is answered by it, or was before. */
function checkBursts(
  replies: readonly CheckedReply[],
  delivered: readonly Delivered[],
  begun: ReadonlyMap<string, Moment>,
): void {
  const bySeq = new Map(delivered.map(each => [each.seq!, each]))
  const later = new Map<string, Delivered>()
  for (const { message, answers } of replies.toReversed()) {
    const first = bySeq.get(answers[0]!)!
    const person = first.message.sender.id
    const next = later.get(person)
    const begins = begun.get(answers.join(' '))!
    if (next)
      assert.ok(
        !isBefore(next.moment!, begins),
        `${next.message.id} belongs to what reply ${message.seq} answers`,
      )
    later.set(person, first)
  }
}

function isBefore(one: Moment, other: Moment): boolean {
  return one.life < other.life || (one.life === other.life && one.calms < other.calms)
}

/** People see each reply once, whole, under the first message that it answers. */
function checkShown(
  log: readonly Message[],
  replies: readonly CheckedReply[],
  shown: readonly OutgoingMessage[],
): void {
  const bySeq = new Map(log.map(message => [message.seq, message]))
  const expected = replies.map(({ message, answers }) => ({
    id: bySeq.get(answers[0]!)!.externalId!,
    text: contentText(message.content),
  }))
  const seen = shown.map(({ replyTo, text }) => ({ id: replyTo!, text }))
  sameLists(seen.sort(byId), expected.sort(byId), 'People do not see what is in the log')
}

/** Says where they begin to differ, and not all of both. */
function sameLists<Item>(actual: readonly Item[], expected: readonly Item[], what: string): void {
  const length = Math.max(actual.length, expected.length)
  for (let index = 0; index < length; index++)
    assert.deepEqual(actual[index], expected[index], `${what}: the ${index + 1}th of ${length}`)
}
