import type { NewMessage } from 'palimpsest/internals/log/index'

const TURNS = 200
const MINUTE = 60_000
const START = Date.UTC(2026, 0, 12, 9)

/** After each `every` turns the user is away for `ms` milliseconds: for a night or for a meal. */
const PAUSES = [
  { every: 45, ms: 10 * 60 * MINUTE },
  { every: 15, ms: 70 * MINUTE },
]

const SUBJECTS = [
  'the garden',
  'our move',
  'the invoice',
  'the bicycle',
  'dinner on Sunday',
  'the harbour trip',
]
const PEOPLE = ['Mara', 'Jonas', 'my sister', 'the neighbours', 'the landlord', 'Dr. Osei']
const DOINGS = [
  'asked for another date',
  'found a better offer',
  'wants to know the exact price',
  'has not answered since Tuesday',
  'sent the measurements again',
  'would rather wait until spring',
]
const THOUGHTS = [
  'That leaves two ways to go on, and the cheaper one takes a week longer',
  'I would write down the three numbers first and compare them afterwards',
  'The old contract says otherwise on its second page, so it is worth a call',
  'If it rains, the second plan works without any change at all',
  'It costs about as much as last year, with the delivery included',
  'Nothing of this is urgent, but the deposit is due at the end of the month',
]

const QUESTION_SENTENCES = 6
const ANSWER_SENTENCES = 17

/**
 * A user and an assistant, 200 turns of about 400 tokens. The conversation is the same each time, so that
 * policies can be compared.
 */
export function sampleConversation(): readonly NewMessage[] {
  const next = numbers()
  const pick = (from: readonly string[]) => from[next() % from.length]!
  const happening = () => `About ${pick(SUBJECTS)}: ${pick(PEOPLE)} ${pick(DOINGS)} (no. ${next() % 900}).`
  const thought = () => `${pick(THOUGHTS)}.`
  const sentences = (count: number, ...makers: readonly (() => string)[]) =>
    Array.from({ length: count }, (_, index) => makers[index % makers.length]!()).join(' ')
  const messages: NewMessage[] = []
  let at = START
  for (let turn = 1; turn <= TURNS; turn += 1) {
    messages.push(said('user', `${sentences(QUESTION_SENTENCES, happening)} What would you do?`, at))
    at += MINUTE
    messages.push(said('assistant', sentences(ANSWER_SENTENCES, thought, thought, happening), at))
    at += PAUSES.find(({ every }) => turn % every === 0)?.ms ?? MINUTE
  }
  return messages
}

function said(role: 'user' | 'assistant', content: string, at: number): NewMessage {
  return { role, content, at, sender: null, zone: null, externalId: null, replyTo: null }
}

/** Random numbers, the same sequence each time: a linear congruential generator. */
function numbers(): () => number {
  let state = 1
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state >>> 8
  }
}
