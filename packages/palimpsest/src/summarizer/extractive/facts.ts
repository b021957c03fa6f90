import { contentText, ownText } from '../../log/index.ts'
import { shortLine } from '../memory-line.ts'
import { type MemoryLine, MemoryLines } from '../memory-lines.ts'
import { findDates, type Moment } from '../relative-dates.ts'
import { speakerIn, whoSpeaks } from '../speakers.ts'
import type { ExtractedFact, ExtractedFacts, FactRequest, SourceMessage } from '../summarizer.ts'
import { isForeign, toldApart } from '../told-apart.ts'
import { isWorthKeeping } from '../worth-keeping.ts'
import { isEndedBy } from './ended-statements.ts'
import { opensMaterial, treatsText, unquoted } from './material.ts'
import { isPasted, isQuotation } from './not-quoted.ts'
import type { Slot } from './personal-patterns.ts'
import { findPersonal, readLine, type Statement } from './personal-statements.ts'
import { findOfPlace } from './place-statements.ts'
import { type Correction, readCorrection } from './put-right.ts'
import { readPassages } from './readable.ts'
import { type Sentence, splitSentences } from './sentences.ts'
import { isTakenBack, takesBack } from './taken-back.ts'
import { withDays } from './units.ts'

/**
 * Finds facts by the words in which people mostly tell them, in English and Chinese. A sentence that says
 * something of its speaker, or of what was decided and planned, is taken as it was said. Questions,
 * suppositions and quotations are not taken, and nothing that a bot says.
 */
export function* extractFacts(request: FactRequest): Generator<void, ExtractedFacts, void> {
  const { layer, known, subject, sources } = request
  const memory = new MemoryLines(known)
  const { told, takenBack } = yield* statementsOf(request)
  const filled = layer === 'user' ? yield* filledSlots(memory.current(), subject?.name ?? null) : []
  for (const { fact, found, corrects } of told) {
    if (!sources.has(fact.seq) && !sources.has(fact.firstSeq ?? fact.seq)) continue
    const wrong = corrects === null ? null : memory.find(corrects)
    keep(memory, filled, fact, { ...found, wrong })
  }
  return { facts: memory.facts(), takenBack: [...takenBack] }
}

type NewFact = Omit<ExtractedFact, 'replaces'>

interface Told {
  readonly fact: NewFact
  readonly found: Found
  /** The text of a line in the memory, told with a wrong word, that this fact puts right; `null`: none. */
  readonly corrects: string | null
}

interface Statements {
  /** In their order, without what the speaker took back right after it. */
  readonly told: readonly Told[]
  /** Messages that were read before, and that are now taken back. */
  readonly takenBack: ReadonlySet<number>
}

/** Also reads the messages that are no sources, because a source may take back or put right what they say. */
function* statementsOf(request: FactRequest): Generator<void, Statements, void> {
  const { messages, sources, zone, layer, people, marksAll = false } = request
  let told: Told[] = []
  const takenBack = new Set<number>()
  const lastOf = new Map<string, number>()
  const who = whoSpeaks(messages, people, { marksAll })
  const takeBack = (seq: number | undefined, instead: readonly Told[] = []) => {
    if (seq !== undefined && !sources.has(seq) && instead.length === 0) takenBack.add(seq)
    told = [...told.filter(each => each.fact.seq !== seq), ...instead]
  }
  let work = 0
  for (const message of messages) {
    if (message.role !== 'user' || !mayTell(message, request)) continue
    const { seq } = message
    const moment = { at: message.at, zone: message.zone ?? zone }
    const before = layer === 'user' ? '' : `${speakerIn(who, message)}: `
    const speaker = message.sender?.id ?? ''
    let last = lastOf.get(speaker)
    lastOf.set(speaker, seq)
    const correction = layer === 'user' ? readCorrection(ownText(message.content)) : null
    if (correction !== null) {
      const wrong = told.filter(({ fact }) => fact.seq === last)
      const right = wrong.map(each => corrected(each, correction, seq))
      const isRight = right.some(each => each !== null)
      if (isRight || (correction.isCertain && wrong.length > 0)) {
        takeBack(last, isRight ? wrong.map((each, place) => right[place] ?? each) : [])
        continue
      }
    }
    for (const sentence of sentencesOf(message, layer)) {
      const text = sentence.clauses.join('')
      work += 20 + text.length
      if (work > STEP_CHARACTERS) {
        yield
        work = 0
      }
      if (takesBack(text)) takeBack(last)
      last = seq
      const found = isTakenBack(text) ? null : findFact(sentence, layer)
      if (found === null) continue
      const fact = { ...datedLine(found.text, moment, before), section: found.section, seq }
      told.push({ fact, found, corrects: null })
    }
  }
  return { told, takenBack }
}

/** A person's memory learns from that person alone. The caller has checked the sources. */
function mayTell({ seq, sender }: SourceMessage, { sources, subject }: FactRequest): boolean {
  return sources.has(seq) || subject === null || sender === null || sender.id === subject.id
}

/** The same statement with the right word; `null`: the right word is of another kind than the wrong one. */
function corrected(told: Told, { from, to }: Correction, seq: number): Told | null {
  const { fact, found } = told
  const wrong = from ?? (found.named.length === 1 ? found.named[0]! : null)
  const at = wrong === null ? -1 : fact.text.toLowerCase().indexOf(wrong.toLowerCase())
  if (wrong === null || at < 0) return null
  const text = shortLine(fact.text.slice(0, at) + to + fact.text.slice(at + wrong.length))
  const statement = findPersonal(text)
  const isAlike =
    statement !== null &&
    statement.ended === undefined &&
    statement.section === found.section &&
    [...found.slots].every(slot => statement.slots.has(slot))
  if (!isAlike) return null
  const firstSeq = fact.firstSeq ?? fact.seq
  const { at: _, ...rest } = statement
  return { fact: { ...fact, text, seq, firstSeq }, found: { ...rest, text }, corrects: fact.text }
}

/**
 * The sentences that are the sender's own words for their readers: not passed on, not quoted, no text to work
 * on.
 */
function* sentencesOf(message: SourceMessage, layer: FactRequest['layer']): Generator<Sentence> {
  if (treatsText(contentText(message.content))) return
  for (const piece of toldApart([message])) {
    if (isForeign(piece)) continue
    for (const { kind, text } of readPassages(piece.content)) {
      if (kind !== 'prose' || isQuotation(text)) continue
      if (layer === 'user' && isPasted(text)) return
      for (const sentence of unquoted(splitSentences(text))) {
        if (layer === 'user' && opensMaterial(sentence.clauses.join(''))) return
        yield sentence
      }
    }
  }
}

const STEP_CHARACTERS = 300
const STEP_LINES = 10

/** A line, and the slots that it fills. A person has one thing in each slot. */
interface Filled {
  readonly line: MemoryLine
  /** What the line says of that person, without their name. */
  readonly said: string
  readonly slots: ReadonlySet<Slot>
}

function* filledSlots(lines: readonly MemoryLine[], name: string | null): Generator<void, Filled[], void> {
  const filled: Filled[] = []
  for (const [index, line] of lines.entries()) {
    filled.push({ line, ...readLine(line.text, name) })
    if (index % STEP_LINES === STEP_LINES - 1) yield
  }
  return filled
}

interface Found extends Omit<Statement, 'at'> {
  readonly text: string
}

const LONG_CHARACTERS = 280

function findFact({ clauses, isQuestion }: Sentence, layer: FactRequest['layer']): Found | null {
  const text = clauses.join('')
  const statement =
    layer === 'user' ? findPersonal(text, { isQuestion }) : isQuestion ? null : findOfPlace(text)
  if (statement === null || !isWorthKeeping(text)) return null
  const { at, ...rest } = statement
  return { ...rest, text: text.length > LONG_CHARACTERS ? fromClause(clauses, at) : text }
}

/**
 * The sentence from the clause in which the statement begins. A long line is cut at its end later, so the
 * words before the statement go first.
 */
function fromClause(clauses: readonly string[], at: number): string {
  let start = 0
  for (const [index, clause] of clauses.entries()) {
    start += clause.length
    if (at < start) return clauses.slice(index).join('')
  }
  return clauses.join('')
}

function datedLine(text: string, moment: Moment, before: string): { text: string; on: string | null } {
  const said = text.trim()
  const dates = findDates(said, moment)
  const only = dates.length === 1 && dates[0]!.from === dates[0]!.to ? dates[0]!.from : null
  return { text: shortLine(before + withDays(said, 0, dates)), on: only }
}

interface Kept extends Found {
  /** The line that says the same with a wrong word. */
  readonly wrong: MemoryLine | null
}

/** A line goes only where all that it says in its slots is said anew, was wrong, or has ended. */
function keep(memory: MemoryLines, filled: Filled[], fact: NewFact, found: Kept): void {
  const { slots, saysMore, ended, wrong } = found
  const goes = (each: Filled) =>
    each.line === wrong || (ended ? isEndedBy(ended, each) : isCovered(each.slots, slots))
  const gone = filled.filter(goes)
  const line = memory.add(
    fact,
    gone.map(each => each.line),
  )
  if (line === null) return
  for (const each of gone) filled.splice(filled.indexOf(each), 1)
  filled.push({ line, said: fact.text, slots: saysMore ? NO_SLOTS : slots })
}

const NO_SLOTS: ReadonlySet<Slot> = new Set()

function isCovered(told: ReadonlySet<Slot>, slots: ReadonlySet<Slot>): boolean {
  return told.size > 0 && [...told].every(slot => slots.has(slot))
}
