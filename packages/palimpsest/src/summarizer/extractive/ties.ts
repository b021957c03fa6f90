import { estimateTokens } from '../../tokens/index.ts'
import type { SourceMessage } from '../summarizer.ts'
import { isForeign } from '../told-apart.ts'
import { isAssent } from './assent.ts'
import { type Correction, findCorrections, type Told } from './corrections.ts'
import { isVerdict, leavesOpen } from './negations.ts'
import { asksWithoutMark, isBare, isFragment, OpenQuestions } from './questions.ts'
import { isVote, saysNothing, worthOf } from './signals.ts'
import type { Vocabulary } from './terms.ts'
import type { Unit } from './units.ts'

/**
 * Ties what is told together or not at all: a correction with what it corrects, an answer with its question,
 * a "not" with what it negates. They are tied where they are sentences or messages of their own.
 */

const STEP = 50
/** A person writes one sentence over several messages within so long. */
const BURST_MILLISECONDS = 3 * 60_000
const AGREES_WITHIN_MESSAGES = 6
const MAX_NEEDS = 4
const MAX_ANSWER_CHARACTERS = 40
const MAX_BARE_QUESTION = 8
const MAX_TERMS = 48
const SETTLED_FACTOR = 1.3

export interface Person {
  readonly id: string
  /** The name by which a question may call them. */
  readonly name: string
}

export function* tieUnits(
  units: readonly Unit[],
  messages: readonly SourceMessage[],
  { persons, vocabulary }: { persons: readonly Person[]; vocabulary: Vocabulary },
): Generator<void, Unit[], void> {
  const drafts = units.map(unit => ({ ...unit, needs: [] as number[] }))
  const texts = units.map(({ clauses }) => joined(clauses).replace(RESOLVED_DAY, ''))
  yield
  const replies = replyTargets(messages)
  yield* tieQuestions(drafts, texts, { persons, replies, messages })
  yield* tieVerdicts(drafts, texts, { persons, messages })
  const told = drafts.map(
    (unit, index): Told => ({
      message: unit.message,
      person: persons[unit.message]!.id,
      // What a person passed on corrects nothing. Only the person who said it can put it right.
      text: unit.kind === 'prose' && !isForeign(messages[unit.message]!) ? texts[index]! : '',
      isPerson: messages[unit.message]!.role === 'user',
      terms: unit.clauses
        .flatMap(({ terms }) => terms)
        .slice(0, MAX_TERMS)
        .filter(term => !vocabulary.isFigure(term)),
      asks: unit.isQuestion,
      repliesTo: replies[unit.message] ?? null,
    }),
  )
  yield
  applyCorrections(drafts, yield* findCorrections(told), told)
  yield* weigh(drafts, texts, persons)
  return drafts
}

type Draft = { -readonly [Key in keyof Unit]: Unit[Key] } & { needs: number[] }

function joined(clauses: Unit['clauses']): string {
  return clauses.length === 1
    ? clauses[0]!.text.trim()
    : clauses
        .map(({ text }) => text)
        .join('')
        .trim()
}

/** For each message, the index of the message that it answers. */
function replyTargets(messages: readonly SourceMessage[]): (number | null)[] {
  const bySeq = new Map<number, number>()
  const byId = new Map<string, number>()
  return messages.map(({ seq, externalId, replyTo }, index) => {
    const target =
      replyTo == null ? undefined : typeof replyTo === 'number' ? bySeq.get(replyTo) : byId.get(replyTo)
    bySeq.set(seq, index)
    if (externalId != null) byId.set(externalId, index)
    return target ?? null
  })
}

interface Around {
  readonly persons: readonly Person[]
  readonly replies: readonly (number | null)[]
  readonly messages: readonly SourceMessage[]
}

function* tieQuestions(
  drafts: Draft[],
  texts: readonly string[],
  { persons, replies, messages }: Around,
): Generator<void, void, void> {
  const open = new OpenQuestions()
  for (const [index, unit] of drafts.entries()) {
    if (index % STEP === STEP - 1) yield
    const { message, kind } = unit
    const text = texts[index]!
    if (kind !== 'prose') continue
    const person = persons[message]!
    if (!unit.isQuestion && asksWithoutMark(text)) unit.isQuestion = true
    const begins = index === 0 || drafts[index - 1]!.message !== message
    const isShort = text.length <= MAX_ANSWER_CHARACTERS
    unit.question = null
    if (
      begins &&
      !isVote(text) &&
      (isShort || replies[message] !== null) &&
      !(unit.isQuestion && !isBare(text))
    )
      unit.question = open.answered({
        message,
        person: person.id,
        name: person.name,
        text,
        repliesTo: replies[message] ?? null,
      })
    if (unit.question !== null && isShort && isFragment(text)) unit.needs.push(unit.question)
    // With `answered`, what it answers stands before it, where its question is not told.
    else if (isShort && isBare(text))
      unit.isLost = unit.question === null && messages[message]!.answered === undefined
    if (unit.question !== null) drafts[unit.question]!.isAnswered = true
    // "When?" asks for something only together with what it is about.
    if (unit.isQuestion && isShort && text.length <= MAX_BARE_QUESTION && isFragment(text)) unit.isLost = true
    if (unit.isQuestion) open.ask({ unit: index, message, person: person.id, text })
  }
}

/**
 * Ties a verdict to its sentence, and the halves of one sentence to each other: "640 euros?" "No way.", and
 * "I will not" "pay that" in two messages.
 */
function* tieVerdicts(
  drafts: Draft[],
  texts: readonly string[],
  { persons, messages }: { persons: readonly Person[]; messages: readonly SourceMessage[] },
): Generator<void, void, void> {
  const lastOf = new Map<string, number>()
  for (const [index, unit] of drafts.entries()) {
    if (index % STEP === STEP - 1) yield
    if (unit.kind !== 'prose') continue
    const { id } = persons[unit.message]!
    const before = lastOf.get(id)
    lastOf.set(id, index)
    if (before === undefined) continue
    const earlier = drafts[before]!
    const isSame = earlier.message === unit.message
    const apart = messages[unit.message]!.at.getTime() - messages[earlier.message]!.at.getTime()
    const isBurst = isSame || (unit.message - earlier.message <= 3 && apart <= BURST_MILLISECONDS)
    if (!isBurst) continue
    if (leavesOpen(texts[before]!, { isNextTheirs: unit.message - earlier.message <= 1 })) {
      // It is half of a sentence, and no answer.
      earlier.needs = earlier.needs.filter(need => need !== earlier.question)
      earlier.question = null
      bind(drafts, before, index)
    } else if (isVerdict(texts[index]!) && (isSame || unit.question === null) && !earlier.isQuestion)
      bind(drafts, before, index)
    else if (isVerdict(texts[index]!) && isSame) bind(drafts, before, index)
  }
}

function bind(drafts: Draft[], one: number, other: number): void {
  need(drafts[one]!, other)
  need(drafts[other]!, one)
  drafts[other]!.isLost = false
}

function need(unit: Draft, other: number): void {
  if (unit.needs.length < MAX_NEEDS && !unit.needs.includes(other)) unit.needs.push(other)
}

function applyCorrections(drafts: Draft[], corrections: readonly Correction[], told: readonly Told[]): void {
  /** The last correction of each sentence. */
  const final = new Map<number, Correction>()
  for (const correction of corrections)
    if (correction.later !== null) final.set(correction.earlier, correction)
  const resolve = (correction: Correction): Correction => {
    let last = correction
    for (let steps = 0; steps < MAX_CHAIN && last.later !== null; steps++) {
      const next = final.get(last.later)
      if (next?.old == null || next.old.key !== last.new?.key || next.later === null) break
      last = next
    }
    return last
  }
  for (const correction of corrections) {
    const { earlier, later, old, isPlain, isSure, isBare } = correction
    const unit = drafts[earlier]!
    if (later === null) {
      unit.isStale = true
      unit.isLost = true
      continue
    }
    const last = resolve(correction)
    if (isPlain && last.isPlain && old !== null && annotate(unit, old.text, last.new!.text)) {
      // The later sentence says no more than the corrected one tells now.
      if (isBare && later !== earlier) drafts[later]!.isLost = true
      continue
    }
    if (later === earlier) continue
    need(unit, last.later!)
    if (isSure) unit.isStale = true
    // Only the earlier sentence tells what the value is a value of.
    if (isBare && told[earlier]!.terms.length > told[later]!.terms.length + 1) need(drafts[later]!, earlier)
  }
}

const MAX_CHAIN = 8
/** A day that this package has put into the text. */
const RESOLVED_DAY = / \(\d{4}[-–/\d]*\)/g

/** Puts the value that holds behind the value that does not. */
function annotate(unit: Draft, old: string, now: string): boolean {
  const at = unit.clauses.findIndex(({ text }) => indexOfWhole(text, old) >= 0)
  if (at < 0 || old.includes(now)) return false
  const clause = unit.clauses[at]!
  const end = indexOfWhole(clause.text, old) + old.length
  const rest = clause.text.slice(end)
  const said = ARROW.test(rest)
    ? `${clause.text.slice(0, end)}${rest.replace(ARROW, ` (→ ${now})`)}`
    : `${clause.text.slice(0, end)} (→ ${now})${rest}`
  unit.clauses = unit.clauses.with(at, {
    ...clause,
    text: said,
    tokens: estimateTokens(said),
    mayHoldDetails: true,
    isCorrected: true,
  })
  return true
}

/** Where the value stands whole, not as a part of a longer word or number. */
function indexOfWhole(text: string, value: string): number {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
    if (!joins(text[at - 1], value[0]!) && !joins(value.at(-1)!, text[at + value.length])) return at
  return -1
}

function joins(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false
  return (/\d/.test(before) && /\d/.test(after)) || (/[a-z]/i.test(before) && /[a-z]/i.test(after))
}

const ARROW = /^(?: \([\d/-]+\))? \(→ [^)]*\)/u

function* weigh(
  drafts: Draft[],
  texts: readonly string[],
  persons: readonly Person[],
): Generator<void, void, void> {
  const agreed = new Float64Array(drafts.length)
  /** The last sentence that said something. */
  let proposal: number | null = null
  for (const [index, unit] of drafts.entries()) {
    if (index % STEP === STEP - 1) yield
    if (unit.kind !== 'prose') continue
    const text = texts[index]!
    if (isAssent(text)) {
      if (
        proposal !== null &&
        unit.message - drafts[proposal]!.message <= AGREES_WITHIN_MESSAGES &&
        persons[drafts[proposal]!.message]!.id !== persons[unit.message]!.id
      )
        agreed[proposal]!++
      continue
    }
    if (!saysNothing(text)) proposal = index
  }
  for (const [index, unit] of drafts.entries()) {
    if (index % STEP === STEP - 1) yield
    if (unit.kind !== 'prose') continue
    const text = texts[index]!
    if (unit.needs.length === 0 && saysNothing(text)) unit.isLost = true
    unit.worth = worthOf(text, agreed[index]!)
    // It was proposed and agreed to, so it is settled.
    if (unit.isAnswered && agreed[index]! > 0) unit.worth *= SETTLED_FACTOR
  }
}
