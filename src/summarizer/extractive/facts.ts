import { shortLine } from '../memory-line.ts'
import { type MemoryLine, MemoryLines } from '../memory-lines.ts'
import { findDates, type Moment } from '../relative-dates.ts'
import { speakerName } from '../speaker-name.ts'
import type { ExtractedFact, FactRequest, SourceMessage } from '../summarizer.ts'
import { isWorthKeeping } from '../worth-keeping.ts'
import { isEndedBy } from './ended-statements.ts'
import { isPasted, isQuotation } from './not-quoted.ts'
import type { Slot } from './personal-patterns.ts'
import { findPersonal, readLine, type Statement } from './personal-statements.ts'
import { findOfPlace } from './place-statements.ts'
import { readPassages } from './readable.ts'
import { type Sentence, splitSentences } from './sentences.ts'
import { isTakenBack, takesBack } from './taken-back.ts'
import { withDays } from './units.ts'

/**
 * Facts by the words in which people mostly tell them, in English and Chinese: a sentence that says something of
 * its speaker, or of what was decided and planned, is taken as it was said. What is asked, supposed or quoted is
 * not, and nothing that a bot says.
 */
export function* extractFacts(request: FactRequest): Generator<void, ExtractedFact[], void> {
  const { layer, known, subject } = request
  const memory = new MemoryLines(known)
  const filled = layer === 'user' ? yield* filledSlots(memory.current(), subject?.name ?? null) : []
  for (const { fact, found } of yield* statementsOf(request)) keep(memory, filled, fact, found)
  return memory.facts()
}

type NewFact = Omit<ExtractedFact, 'replaces'>

interface Told {
  readonly fact: NewFact
  readonly found: Found
}

/** What was said, in its order, without what its speaker took back right after it. */
function* statementsOf({ messages, sources, zone, layer }: FactRequest): Generator<void, Told[], void> {
  let told: Told[] = []
  const lastOf = new Map<string, number>()
  let work = 0
  for (const message of messages) {
    if (message.role !== 'user') continue
    const { seq } = message
    const moment = { at: message.at, zone: message.zone ?? zone }
    const before = layer === 'user' ? '' : `${speakerName(message)}: `
    const speaker = message.sender?.id ?? ''
    let last = lastOf.get(speaker)
    for (const sentence of sentencesOf(message, layer)) {
      const text = sentence.clauses.join('')
      work += 20 + text.length
      if (work > STEP_CHARACTERS) {
        yield
        work = 0
      }
      if (takesBack(text)) told = told.filter(each => each.fact.seq !== last)
      last = seq
      const isMeant = sources.has(seq) && !sentence.isQuestion && !isTakenBack(text)
      const found = isMeant ? findFact(sentence, layer) : null
      if (found === null) continue
      const fact = { ...datedLine(found.text, moment, before), section: found.section, seq }
      told.push({ fact, found })
    }
    lastOf.set(speaker, seq)
  }
  return told
}

/** Those that its sender wrote. */
function* sentencesOf({ content }: SourceMessage, layer: FactRequest['layer']): Generator<Sentence> {
  for (const { kind, text } of readPassages(content))
    if (kind === 'prose' && !isQuotation(text) && !(layer === 'user' && isPasted(text)))
      yield* splitSentences(text)
}

const STEP_CHARACTERS = 300
const STEP_LINES = 10

/** A line, and which it says of the things that a person has one of. */
interface Filled {
  readonly line: MemoryLine
  /** Of that person, without their name. */
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

function findFact({ clauses }: Sentence, layer: FactRequest['layer']): Found | null {
  const text = clauses.join('')
  const statement = layer === 'user' ? findPersonal(text) : findOfPlace(text)
  if (statement === null || !isWorthKeeping(text)) return null
  const { at, ...rest } = statement
  return { ...rest, text: text.length > LONG_CHARACTERS ? fromClause(clauses, at) : text }
}

/** From the clause in which it begins: what is too long is cut at the end. */
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

/** A line goes only where all that it says of these things is said anew, or has ended. */
function keep(memory: MemoryLines, filled: Filled[], fact: NewFact, found: Found): void {
  const { slots, saysMore, ended } = found
  const goes = (each: Filled) => (ended ? isEndedBy(ended, each) : isCovered(each.slots, slots))
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
