import type { SearchResult } from '../../api/types.ts'
import { highlightPieces } from './highlight-pieces.ts'

/** Makes text nodes and marks, never HTML: the author of a found message may have written anything. */
export function Highlighted({ excerpt, highlights }: Pick<SearchResult, 'excerpt' | 'highlights'>) {
  return highlightPieces(excerpt, highlights).map(({ text, isMarked }, place) =>
    isMarked ? <mark key={place}>{text}</mark> : text,
  )
}
