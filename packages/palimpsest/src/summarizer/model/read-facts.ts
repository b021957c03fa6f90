import { FACT_SECTIONS } from '../fact-sections.ts'
import { memoryLine } from '../memory-line.ts'
import type { ExtractedFact, FactRequest, FactSection } from '../summarizer.ts'
import { type Fields, isObject, readDay, readNumber, withoutThinking } from './answer-fields.ts'
import { findObject } from './find-object.ts'

/** What the model was shown, and what an answer can refer to. */
interface Shown {
  readonly layer: FactRequest['layer']
  /** The `seq` of each message that may be a source. */
  readonly sources: ReadonlySet<number>
  /** How many lines of the memory were shown. */
  readonly lines: number
}

/** The facts of an answer that are what was asked for; `null`: the answer holds no list of facts. */
export function readFacts(text: string, shown: Shown): ExtractedFact[] | null {
  const list = findList(withoutThinking(text))
  if (list === null) return null
  return list.filter(isObject).flatMap(fact => readFact(fact, shown) ?? [])
}

/** The list under its name, or alone. */
function findList(said: string): readonly unknown[] | null {
  const object = findObject(said, fields => listIn(fields) !== null)
  if (object !== null) return listIn(object)
  const from = said.indexOf('[')
  const alone = from < 0 ? null : findObject(`{"facts":${said.slice(from, said.lastIndexOf(']') + 1)}}`)
  return alone && listIn(alone)
}

/** The list of the object itself, or of the one object that it holds and nothing else. */
function listIn(object: Fields): readonly unknown[] | null {
  if (Array.isArray(object['facts'])) return object['facts']
  const values = Object.values(object)
  const inner = values.length === 1 ? values[0] : null
  return isObject(inner) && Array.isArray(inner['facts']) ? inner['facts'] : null
}

/** A fact without a source, or for another memory, is no fact. */
function readFact(
  { text, section, seq, on, replaces }: Fields,
  { layer, sources, lines }: Shown,
): ExtractedFact | null {
  const line = typeof text === 'string' ? memoryLine(text) : null
  const source = readNumber(seq)
  const isOfLayer = FACT_SECTIONS[layer].includes(section as FactSection)
  if (line === null || !isOfLayer || !sources.has(source)) return null
  const places = readPlaces(replaces, lines)
  return { text: line, section: section as FactSection, seq: source, on: readDay(on), replaces: places }
}

/** Counted from 0, each once. The lines are shown with numbers from 1. */
function readPlaces(value: unknown, lines: number): number[] {
  const numbers = (Array.isArray(value) ? value : [value]).map(readNumber)
  return [...new Set(numbers)]
    .filter(number => lines >= number && number >= 1 && Number.isInteger(number))
    .map(number => number - 1)
}
