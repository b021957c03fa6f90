import { inert } from '../../context/index.ts'
import { type Language, textsOf } from '../../language/index.ts'
import { rankLines } from '../../search/index.ts'
import { isCondensedLine, type LayerName } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { listLines } from '../document/index.ts'
import { BLOCKS } from './blocks.ts'

/** What a document has, shown or not: its own lines, and those that its condensed lines stand for. */
export interface LinesOfLayer {
  readonly layer: LayerName
  readonly content: string
  readonly condensed: readonly string[]
}

const OPENING = '<recalled_memory>'
const CLOSING = '</recalled_memory>'
/** What a message takes beside its text, and lines more together than one by one. */
const FRAME_TOKENS = 12
/** More than so many say nothing of which is meant. */
const MAX_LINES = 12
/** A line is one note; what is longer is a text that somebody pasted. */
const MAX_CHARACTERS = 600

/**
 * Of what memory has no room to show, the lines that have to do with what is asked now, as much of the best as fits, the
 * oldest first; `null`: there are none, or no room for one. `shown`: what the context says already.
 */
export function renderRecalledLines(
  layers: readonly LinesOfLayer[],
  {
    question,
    shown,
    language,
    mostTokens,
  }: {
    readonly question: string
    readonly shown: readonly string[]
    readonly language: Language
    readonly mostTokens: number
  },
): string | null {
  const candidates = layers.flatMap(linesOf)
  const lines = candidates.map(({ line }) => line)
  // All of them count for how rare a word is, shown or not.
  const found = [...new Set(rankLines(question, lines))]
  const isShown = (line: string) => shown.some(text => text.includes(inert(saying(line))))
  const opening = [OPENING, textsOf(language).recalledMemory]
  let left = mostTokens - estimateTokens([...opening, CLOSING].join('\n')) - FRAME_TOKENS
  const chosen = new Map<string, string>()
  for (const line of found) {
    if (chosen.size >= MAX_LINES || line.length > MAX_CHARACTERS || isShown(line)) continue
    const { layer } = candidates.find(each => each.line === line)!
    const text = `${BLOCKS[layer]}: ${inert(saying(line))}`
    const tokens = estimateTokens(text) + 1
    if (tokens > left) continue
    left -= tokens
    chosen.set(line, text)
  }
  if (chosen.size === 0) return null
  // As they stand: `2026-02-10: …`, so that their order is that of time within a layer.
  const inOrder = candidates.filter(({ line }) => chosen.has(line)).map(({ line }) => line)
  const texts = [...new Set(inOrder)].toSorted(byDay).map(line => chosen.get(line)!)
  return [...opening, ...texts, CLOSING].join('\n')
}

function linesOf({ layer, content, condensed }: LinesOfLayer): readonly { layer: LayerName; line: string }[] {
  return [...condensed, ...listLines(content)]
    .filter(line => !isCondensedLine(line))
    .map(line => ({ layer, line }))
}

function saying(line: string): string {
  return line.replace(/^\s*- /, '')
}

function byDay(one: string, other: string): number {
  const [first, second] = [dayOf(one), dayOf(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

function dayOf(line: string): string {
  return /^\s*- (\d{4}-\d{2}-\d{2})/.exec(line)?.[1] ?? ''
}
