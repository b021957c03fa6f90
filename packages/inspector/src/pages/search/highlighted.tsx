import type { SearchResult } from '../../api/types.ts'
import { highlightPieces } from './highlight-pieces.ts'

/** Text nodes and marks, never HTML: whoever was found may have written anything. */
export function Highlighted({ excerpt, highlights }: Pick<SearchResult, 'excerpt' | 'highlights'>) {
  return highlightPieces(excerpt, highlights).map(({ text, isMarked }, place) =>
    isMarked ? <mark key={place}>{text}</mark> : text,
  )
}
