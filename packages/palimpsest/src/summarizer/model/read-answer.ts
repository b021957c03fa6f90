import { oneLine, splitLines } from '../../log/index.ts'
import { memoryLine } from '../memory-line.ts'
import type { DatedEvent, Extract } from '../summarizer.ts'
import { findTextProblem, type TextProblem } from '../text-problem.ts'
import { type Fields, isObject, readDay, readNumber, withoutThinking } from './answer-fields.ts'
import { findObject } from './find-object.ts'

/** What was read from an answer. It is taken as it was meant, with any text around it. */
export interface Answer {
  readonly summary: string
  readonly events: readonly DatedEvent[]
  readonly details: readonly string[]
  readonly extracts: readonly Omit<Extract, 'on'>[]
  /** `null`: no memo, or none that can be used. */
  readonly memo: Readonly<Record<string, unknown>> | null
}

export type AnswerProblem = TextProblem | 'no_summary'

/** An object that breaks off, that cannot be read, or that holds something else. */
const BROKEN_OBJECT = /^[{[]|^```|\{\s*"(?:summary|events|details|extracts|memo)"/
const FENCED = /^\s*```[\w-]*\n([\s\S]*?)\n?```\s*$/

/**
 * Servers without structured output wrap the object in a code fence or in words, or give plain text. A text
 * that could be a summary is taken as one. An object that holds no summary is not.
 */
export function readAnswer(text: string, seqs: readonly number[]): Answer | AnswerProblem {
  const said = withoutThinking(text)
  const object = findObject(said, fields => withSummary(fields) !== null)
  if (object === null) return plainText(said)
  const answer = withSummary(object)!
  const summary = cleanLines(textOf(answer['summary'])!)
  const problem = findTextProblem(summary)
  if (problem !== null) return problem
  return {
    summary,
    events: readEvents(answer['events'], seqs),
    details: readDetails(answer['details']),
    extracts: readExtracts(answer['extracts'], seqs),
    memo: readMemo(answer['memo']),
  }
}

/** The memo alone; `null`: the answer holds none. */
export function readMemoAnswer(text: string): Readonly<Record<string, unknown>> | null {
  const object = findObject(withoutThinking(text), fields => readMemo(fields['memo']) !== null)
  return object && readMemo(object['memo'])
}

function plainText(said: string): Answer | AnswerProblem {
  const text = FENCED.exec(said)?.[1]?.trim() ?? said
  const problem = findTextProblem(text)
  if (problem !== null) return problem
  if (BROKEN_OBJECT.test(text)) return 'no_summary'
  return { summary: cleanLines(text), events: [], details: [], extracts: [], memo: null }
}

/** The object itself, or the one object that it holds and nothing else. */
function withSummary(object: Fields): Fields | null {
  if (textOf(object['summary']) !== null) return object
  const values = Object.values(object)
  const inner = values.length === 1 ? values[0] : null
  return isObject(inner) && textOf(inner['summary']) !== null ? inner : null
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  const isLines = Array.isArray(value) && value.length > 0 && value.every(line => typeof line === 'string')
  return isLines ? value.join('\n') : null
}

/** Takes out control characters and half characters, but keeps the lines and their indentation. */
function cleanLines(text: string): string {
  return splitLines(text)
    .map(line => `${/^ */.exec(line)![0]}${oneLine(line)}`.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Leaves out events that name no real day. A message that was not shown is taken as the nearest that was. */
function readEvents(value: unknown, seqs: readonly number[]): DatedEvent[] {
  if (!Array.isArray(value) || seqs.length === 0) return []
  return value.filter(isObject).flatMap(event => {
    const on = readDay(event['on'])
    const text = typeof event['text'] === 'string' ? oneLine(event['text']) : ''
    return on === null || text === '' ? [] : [{ on, text, seq: nearest(seqs, readNumber(event['seq'])) }]
  })
}

/**
 * Leaves out extracts that say nothing. Takes bare strings too: models that are not held to a schema give
 * them.
 */
function readExtracts(value: unknown, seqs: readonly number[]): Omit<Extract, 'on'>[] {
  if (!Array.isArray(value) || seqs.length === 0) return []
  return value.flatMap((extract: unknown) => {
    const { text, seq } = isObject(extract) ? extract : { text: extract, seq: null }
    const line = typeof text === 'string' ? memoryLine(text) : null
    return line === null ? [] : [{ text: line, seq: nearest(seqs, readNumber(seq)) }]
  })
}

/** The last one, where the answer does not say which. */
function nearest(seqs: readonly number[], wanted: number): number {
  if (!Number.isFinite(wanted)) return seqs.at(-1)!
  return seqs.reduce((best, seq) => (Math.abs(seq - wanted) < Math.abs(best - wanted) ? seq : best))
}

function readDetails(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  const lines = value.filter(detail => typeof detail === 'string' || typeof detail === 'number')
  return [...new Set(lines.map(detail => oneLine(String(detail)).replace(/^[-*•]\s+/, '')))].filter(Boolean)
}

function readMemo(value: unknown): Fields | null {
  if (isObject(value)) return value
  if (typeof value !== 'string') return null
  return findObject(value)
}
