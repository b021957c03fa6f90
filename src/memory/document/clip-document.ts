import { headOf } from '../../log/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { scanLines } from './markdown-lines.ts'

/** Below this nothing of a document is worth showing. */
const LEAST_TOKENS = 40
/** A document begins with what it is about and ends with what is newest. */
const HEAD_SHARE = 0.5

/**
 * A document for showing, within so many tokens: where it does not fit, whole lines of its beginning and of its
 * end, with a line between them that says how many are missing. Its first line is always there; one that is
 * too long by itself is cut.
 */
export function clipDocument(content: string, tokens: number): { text: string; isClipped: boolean } {
  if (tokens < LEAST_TOKENS) return { text: '', isClipped: content !== '' }
  if (estimateTokens(content) <= tokens) return { text: content, isClipped: false }
  const lines = Array.from(scanLines(content), ({ start, next }) => content.slice(start, next))
  const costs = lines.map(estimateTokens)
  // Lines cost about what they cost one by one, but not exactly.
  for (let room = tokens - estimateTokens(leftOut(lines.length)); room > 0; room = Math.floor(room * 0.9)) {
    const text = clipLines(lines, costs, room)
    if (text !== null && estimateTokens(text) <= tokens) return { text, isClipped: true }
  }
  return { text: leftOut(lines.length), isClipped: true }
}

/** `null`: all of the lines would fit. */
function clipLines(lines: readonly string[], costs: readonly number[], room: number): string | null {
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

function leftOut(lines: number): string {
  return lines === 1 ? '[… 1 line is left out here …]\n' : `[… ${lines} lines are left out here …]\n`
}

function cutLine(line: string, tokens: number): string {
  let length = Math.floor((line.length * tokens) / estimateTokens(line))
  for (; length > 0; length = Math.floor(length * 0.85)) {
    const cut = `${headOf(line, length)}…\n`
    if (estimateTokens(cut) <= tokens) return cut
  }
  return '…\n'
}
