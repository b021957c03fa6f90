import { type Language, textsOf } from '../../language/index.ts'
import { headOf } from '../../log/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { listLine } from './lines.ts'
import { scanLines } from './markdown-lines.ts'
import { dayOfLine } from './over-budget.ts'

/** With fewer tokens, no part of a document is worth showing. */
export const MIN_CLIPPED_TOKENS = 40
/**
 * The beginning of a document tells what it is about. Its end is newest. Each gets this share of the room.
 */
const HEAD_SHARE = 0.5

/**
 * The part of a document that fits into `tokens`. Lines in `yielding` are left out first, the oldest of them
 * first. If the other lines leave them less than half of the room, or if `yielding` is empty, whole lines
 * from the beginning and the end are shown. The first line is always shown, and cut if it is too long. One
 * line tells how many lines are missing.
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
  // The tokens of a text are only about the sum of its lines, so a smaller room is tried until the text fits.
  for (let room = tokens - estimateTokens(leftOut(lines.length)); room > 0; room = Math.floor(room * 0.9)) {
    const text = clipLines({ lines, costs }, room, leftOut)
    if (text !== null && estimateTokens(text) <= tokens) return { text, isClipped: true }
  }
  return { text: leftOut(lines.length), isClipped: true }
}

/** `null`: the other lines would leave too little room for the yielding ones. */
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

/** Makes the line that tells how many lines are missing. */
type LeftOut = (lines: number) => string

function cutLine(line: string, tokens: number): string {
  let length = Math.floor((line.length * tokens) / estimateTokens(line))
  for (; length > 0; length = Math.floor(length * 0.85)) {
    const cut = `${headOf(line, length)}…\n`
    if (estimateTokens(cut) <= tokens) return cut
  }
  return '…\n'
}
