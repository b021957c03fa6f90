import { type Language, textsOf } from '../../language/index.ts'
import { headOf } from '../../log/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { listLine } from './lines.ts'
import { scanLines } from './markdown-lines.ts'
import { dayOfLine } from './over-budget.ts'

/** Below this nothing of a document is worth showing. */
export const MIN_CLIPPED_TOKENS = 40
/** A document begins with what it is about and ends with what is newest. */
const HEAD_SHARE = 0.5

/**
 * A document for showing, within so many tokens: where it does not fit, the lines that may give way (`yielding`) do
 * so, the oldest of them first. Where the others leave them less than half of the room, or none may give way, whole
 * lines of its beginning and of its end are shown; its first line is always there, and one that is too long by
 * itself is cut. A line says how many are missing.
 */
export function clipDocument(
  content: string,
  tokens: number,
  {
    yielding = new Set(),
    language = 'en',
  }: { readonly yielding?: ReadonlySet<string>; readonly language?: Language } = {},
): { text: string; isClipped: boolean } {
  if (tokens < MIN_CLIPPED_TOKENS) return { text: '', isClipped: content !== '' }
  if (estimateTokens(content) <= tokens) return { text: content, isClipped: false }
  const leftOut = (count: number) => `${textsOf(language).documents.linesLeftOut(count)}\n`
  const scanned = [...scanLines(content)]
  const lines = scanned.map(({ start, next }) => content.slice(start, next))
  const costs = lines.map(estimateTokens)
  const oldestFirst = scanned
    .map((line, place) => ({ place, item: listLine(line) }))
    .filter(({ item }) => item !== null && yielding.has(item))
    .map(({ place, item }) => ({ place, day: dayOfLine(item!) ?? '' }))
    .toSorted((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0))
    .map(({ place }) => place)
  const newest = withoutOldest({ lines, costs, oldestFirst }, tokens, leftOut)
  if (newest !== null) return { text: newest, isClipped: true }
  // Lines cost about what they cost one by one, but not exactly.
  for (let room = tokens - estimateTokens(leftOut(lines.length)); room > 0; room = Math.floor(room * 0.9)) {
    const text = clipLines({ lines, costs }, room, leftOut)
    if (text !== null && estimateTokens(text) <= tokens) return { text, isClipped: true }
  }
  return { text: leftOut(lines.length), isClipped: true }
}

/** `null`: the lines that stay would leave too little room for those that may give way. */
function withoutOldest(
  {
    lines,
    costs,
    oldestFirst,
  }: { lines: readonly string[]; costs: readonly number[]; oldestFirst: readonly number[] },
  tokens: number,
  leftOut: LeftOut,
): string | null {
  const whole = costs.reduce((sum, cost) => sum + cost, 0)
  const mayGo = oldestFirst.reduce((sum, place) => sum + costs[place]!, 0)
  if (whole - mayGo > tokens - Math.min(mayGo, tokens * HEAD_SHARE)) return null
  for (let room = tokens - estimateTokens(leftOut(lines.length)); room > 0; room = Math.floor(room * 0.9)) {
    const gone = new Set<number>()
    let left = whole
    for (const place of oldestFirst) {
      if (left <= room) break
      gone.add(place)
      left -= costs[place]!
    }
    if (left > room || gone.size === 0) continue
    const first = Math.min(...gone)
    const kept = lines.map((line, place) => (gone.has(place) ? '' : line))
    const text = kept.with(first, leftOut(gone.size)).join('')
    if (estimateTokens(text) <= tokens) return text
  }
  return null
}

/** `null`: all of the lines would fit. */
function clipLines(
  { lines, costs }: { lines: readonly string[]; costs: readonly number[] },
  room: number,
  leftOut: LeftOut,
): string | null {
  const count = lines.length
  const isCut = costs[0]! > room
  const first = isCut ? cutLine(lines[0]!, count > 1 ? room * HEAD_SHARE : room) : lines[0]!
  let left = room - (isCut ? estimateTokens(first) : costs[0]!)
  let head = 1
  let tail = 0
  for (const share of [room * (1 - HEAD_SHARE), 0]) {
    while (head + tail < count && costs[head]! <= left - share) left -= costs[head++]!
    while (head + tail < count && costs[count - 1 - tail]! <= left) left -= costs[count - 1 - tail++]!
  }
  const missing = count - head - tail
  if (missing === 0 && !isCut) return null
  const between = missing === 0 ? [] : [leftOut(missing)]
  return [first, ...lines.slice(1, head), ...between, ...lines.slice(count - tail)].join('')
}

/** The line that says how many are missing. */
type LeftOut = (lines: number) => string

function cutLine(line: string, tokens: number): string {
  let length = Math.floor((line.length * tokens) / estimateTokens(line))
  for (; length > 0; length = Math.floor(length * 0.85)) {
    const cut = `${headOf(line, length)}…\n`
    if (estimateTokens(cut) <= tokens) return cut
  }
  return '…\n'
}
