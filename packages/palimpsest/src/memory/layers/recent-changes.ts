import { inert, type VolatileBlock } from '../../context/index.ts'
import { type Language, textsOf } from '../../language/index.ts'
import type { LayerText } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { maySee, type SessionIdentity } from '../visibility.ts'
import { BLOCKS } from './blocks.ts'

export interface RecentChanges {
  /** `null`: nothing of it fits. */
  readonly text: string | null
  /** Whether some changes did not fit. */
  readonly isClipped: boolean
}

/**
 * Renders what was written into memory since the epoch began, for the volatile end of a context. `null`:
 * nothing was written. It compares line by line, since a document is a list of notes and a moved note has not
 * changed.
 */
export function renderRecentChanges(
  { frozen, current }: { frozen: readonly LayerText[]; current: readonly LayerText[] },
  { session, language, mostTokens }: { session: SessionIdentity; language: Language; mostTokens: number },
): RecentChanges | null {
  const changes = current
    .filter(text => maySee(session, text))
    .flatMap(text => {
      const before = frozen.find(({ layer, key }) => layer === text.layer && key === text.key)
      return before?.version === text.version ? [] : changedLines(before?.content ?? '', text, language)
    })
  if (changes.length === 0) return null
  const { opening: begins, more } = textsOf(language).changes
  const opening = [OPENING, begins]
  const closing = CLOSING
  let left = mostTokens - estimateTokens([...opening, more, closing].join('\n')) - 4
  const shown: string[] = []
  // The newest lines are last, and matter most.
  for (const line of changes.toReversed()) {
    left -= estimateTokens(line) + 1
    if (left < 0) break
    shown.unshift(line)
  }
  const isClipped = shown.length < changes.length
  const lines = [...opening, ...(isClipped ? [more] : []), ...shown, closing]
  return { text: shown.length === 0 ? null : lines.join('\n'), isClipped }
}

/** Adds corrections to the block with the changes in memory, before these. */
export function withCorrections(
  volatile: readonly VolatileBlock[],
  lines: readonly string[],
): readonly VolatileBlock[] {
  const isChanges = ({ name }: VolatileBlock) => name === 'recent_changes'
  const changes = volatile.find(isChanges)
  const rest = changes === undefined ? [CLOSING] : changes.text.split('\n').slice(1)
  const block: VolatileBlock = { name: 'recent_changes', text: [OPENING, ...lines, ...rest].join('\n') }
  return [block, ...volatile.filter(each => !isChanges(each))]
}

const OPENING = '<recent_changes>'
const CLOSING = '</recent_changes>'

function changedLines(before: string, { layer, content }: LayerText, language: Language): string[] {
  const [earlier, later] = [new Set(notesIn(before)), new Set(notesIn(content))]
  const added = [...later].filter(note => !earlier.has(note))
  const removed = [...earlier].filter(note => !later.has(note))
  const texts = textsOf(language).changes
  const say = (what: string) => (note: string) => `${BLOCKS[layer]}, ${what}: ${inert(note)}`
  return [...removed.map(say(texts.removed)), ...added.map(say(texts.added))]
}

function notesIn(content: string): string[] {
  return content
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !/^#{1,6}(?:\s|$)/.test(line))
    .map(line => line.replace(/^[-*] /, ''))
}
