import { inert } from '../../context/index.ts'
import { type Language, textsOf } from '../../language/index.ts'
import { rankLines } from '../../search/index.ts'
import { isCondensedLine, type LayerName } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { listLines } from '../document/index.ts'
import { BLOCKS } from './blocks.ts'

/** All lines of a document, shown or not, with the lines that its condensed lines replaced. */
export interface LinesOfLayer {
  readonly layer: LayerName
  readonly content: string
  readonly condensed: readonly string[]
}

const OPENING = '<recalled_memory>'
const CLOSING = '</recalled_memory>'
/** The tokens of a message beside its text. The extra tokens of joined lines are included. */
const FRAME_TOKENS = 12
/** With more lines, it would be unclear which of them matter. */
const MAX_LINES = 12
/** A line is one note. A longer line is a pasted text. */
const MAX_CHARACTERS = 600

/**
 * Finds lines that memory has no room to show, but that concern the present question. The best lines get the
 * room, and they are shown oldest first. `null`: there are none, or no line fits. `shown` is the text that
 * the context has already.
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
  // All lines count for how rare a word is, even those that are shown already.
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
  // A line begins with its day, `2026-02-10: …`, so this order is by time within a layer.
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
