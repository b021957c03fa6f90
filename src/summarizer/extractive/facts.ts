import { shortLine } from '../memory-line.ts'
import { type MemoryLine, MemoryLines } from '../memory-lines.ts'
import { findDates, type Moment } from '../relative-dates.ts'
import { speakerName } from '../speaker-name.ts'
import type { ExtractedFact, FactRequest } from '../summarizer.ts'
import { isWorthKeeping } from '../worth-keeping.ts'
import { isPasted, isQuotation } from './not-quoted.ts'
import { findPersonal, type Slot, type Statement, slotsOf } from './personal-statements.ts'
import { findOfPlace } from './place-statements.ts'
import { readPassages } from './readable.ts'
import { type Sentence, splitSentences } from './sentences.ts'
import { withDays } from './units.ts'

/**
 * Facts by the words in which people mostly tell them, in English and Chinese: a sentence that says something of
 * its speaker, or of what was decided and planned, is taken as it was said. What is asked, supposed or quoted is
 * not, and nothing that a bot says.
 */
export function* extractFacts(request: FactRequest): Generator<void, ExtractedFact[], void> {
  const { messages, sources, zone, layer, known, subject } = request
  const memory = new MemoryLines(known)
  const filled = layer === 'user' ? yield* filledSlots(memory.current(), subject?.name ?? null) : []
  let work = 0
  for (const message of messages) {
    if (!sources.has(message.seq) || message.role !== 'user') continue
    const moment = { at: message.at, zone: message.zone ?? zone }
    const before = layer === 'user' ? '' : `${speakerName(message)}: `
    for (const { kind, text } of readPassages(message.content)) {
      if (kind !== 'prose' || isQuotation(text) || (layer === 'user' && isPasted(text))) continue
      for (const sentence of splitSentences(text)) {
        work += 20 + sentence.clauses.join('').length
        if (work > STEP_CHARACTERS) {
          yield
          work = 0
        }
        const found = sentence.isQuestion ? null : findFact(sentence, layer)
        if (found === null) continue
        const fact = { ...datedLine(found.text, moment, before), section: found.section, seq: message.seq }
        keep(memory, filled, fact, found)
      }
    }
  }
  return memory.facts()
}

const STEP_CHARACTERS = 300
const STEP_LINES = 10

/** A line that says which of the things that somebody has one of. */
interface Filled {
  readonly line: MemoryLine
  readonly slots: ReadonlySet<Slot>
}

function* filledSlots(lines: readonly MemoryLine[], name: string | null): Generator<void, Filled[], void> {
  const filled: Filled[] = []
  for (const [index, line] of lines.entries()) {
    const slots = slotsOf(line.text, name)
    if (slots.size > 0) filled.push({ line, slots })
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

/** A line goes only where all that it says of these things is said anew. */
function keep(
  memory: MemoryLines,
  filled: Filled[],
  fact: Omit<ExtractedFact, 'replaces'>,
  { slots, saysMore }: Found,
): void {
  const replaced = filled.filter(({ slots: said }) => [...said].every(slot => slots.has(slot)))
  const line = memory.add(
    fact,
    replaced.map(each => each.line),
  )
  if (line === null) return
  for (const each of replaced) filled.splice(filled.indexOf(each), 1)
  if (slots.size > 0 && !saysMore) filled.push({ line, slots })
}
