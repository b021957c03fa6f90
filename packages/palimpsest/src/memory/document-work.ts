import { InvalidArgumentError } from '../errors.ts'
import { normalizeMarkdown } from './document/index.ts'

/** The code that `MemoryDocument` needs for its first read or write. It is loaded only then. */

export { estimateTokens } from '../tokens/index.ts'
export { condenseDocument, isCondensing } from './condense-document.ts'
export {
  appendText,
  checkBody,
  checkSectionName,
  listSections,
  normalizeMarkdown,
  readSection,
  replaceSection,
  sectionIn,
} from './document/index.ts'
export { initialContent } from './initial-content.ts'
export { mergeDocuments } from './workspace/merge.ts'

export const MAX_DOCUMENT_CHARACTERS = 400_000

export function checkText(content: unknown): string {
  if (typeof content !== 'string') throw new InvalidArgumentError('content', content, 'text')
  // White space is removed below, but a much longer text is refused first. A look at each character of a book
  // takes a while.
  if (content.length > 2 * MAX_DOCUMENT_CHARACTERS) checkSize(content)
  return normalizeMarkdown(content)
}

export function checkSize(content: string): string {
  if (content.length <= MAX_DOCUMENT_CHARACTERS) return content
  throw new InvalidArgumentError(
    'content',
    `${content.length} characters`,
    `a document of at most ${MAX_DOCUMENT_CHARACTERS} characters`,
  )
}
