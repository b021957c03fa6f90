import { estimateTokens } from '../../tokens/index.ts'
import type { Entry } from './render-source.ts'

export interface Piece {
  readonly text: string
  readonly seqs: readonly number[]
  /** The entries that are left for the next piece. */
  readonly rest: readonly Entry[]
}

/** Added for each entry: for line breaks, and because the sum of estimates is not the estimate of the sum. */
const LINE_TOKENS = 2

/**
 * As many entries from the front as fit into `room` tokens, and at least a part of one. A message that is
 * larger than the room is cut, and each part stands under the message's head.
 */
export function takePiece(entries: readonly Entry[], room: number): Piece {
  const lines: string[] = []
  const seqs: number[] = []
  let left = room
  let day = ''
  for (const [index, entry] of entries.entries()) {
    const dayLine = entry.day !== '' && entry.day !== day ? [entry.day] : []
    const rendered = renderEntry(entry)
    // With unlimited room, nothing has to be measured.
    const tokens = left === Infinity ? 0 : tokensWithin([...dayLine, rendered].join('\n'), room) + LINE_TOKENS
    if (tokens <= left) {
      lines.push(...dayLine, rendered)
      seqs.push(entry.seq)
      left -= tokens
      day = entry.day
      continue
    }
    // An entry that fits whole into the next piece goes there.
    if (lines.length > 0 && tokens <= room)
      return { text: lines.join('\n'), seqs, rest: entries.slice(index) }
    const headTokens = estimateTokens([...dayLine, entry.head].join('\n')) + LINE_TOKENS
    const [first, others] = cutText(entry.text, Math.max(MIN_TOKENS, left - headTokens))
    lines.push(...dayLine, renderEntry({ ...entry, text: first }))
    seqs.push(entry.seq)
    const rest = entries.slice(index + 1)
    const remainder = { ...entry, head: continued(entry.head), text: others }
    return { text: lines.join('\n'), seqs, rest: others === '' ? rest : [remainder, ...rest] }
  }
  return { text: lines.join('\n'), seqs, rest: [] }
}

/** A part of a message gets at least this much: every piece has to bring the work forward. */
const MIN_TOKENS = 50

function renderEntry({ head, text }: Entry): string {
  return head === '' ? text : `${head}: ${text}`
}

function continued(head: string): string {
  return head === '' || head.endsWith(' (continued)') ? head : `${head} (continued)`
}

/**
 * A text of so many tokens holds at most so many characters for each, on average, unless it is mostly blank.
 */
const CHARACTERS_PER_TOKEN = 8

/**
 * A text that is far longer than the room is not measured: it is cut, and the rest of it comes back here each
 * time.
 */
function tokensWithin(text: string, room: number): number {
  return text.length > room * CHARACTERS_PER_TOKEN ? Infinity : estimateTokens(text)
}

/**
 * The head of a text within `tokens`, and the rest. The cut falls at the end of a line or a word where one is
 * near.
 */
export function cutText(text: string, tokens: number): [string, string] {
  let head = text.slice(0, tokens * CHARACTERS_PER_TOKEN)
  for (let size = estimateTokens(head); size > tokens && head.length > 1; size = estimateTokens(head))
    head = head.slice(0, Math.max(1, Math.floor(head.length * Math.min(0.95, tokens / size))))
  if (head.length === text.length) return [text, '']
  const end = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '))
  if (end > head.length * 0.8) head = head.slice(0, end)
  else if (/[\ud800-\udbff]$/.test(head)) head = head.length === 1 ? text.slice(0, 2) : head.slice(0, -1)
  return [head, text.slice(head.length).trimStart()]
}
