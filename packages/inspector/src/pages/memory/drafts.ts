import type { MemoryDocument } from '../../api/types.ts'
import type { DocumentName } from './layers.ts'

/**
 * What the reader is writing, and which version of the document the reader has seen. `seen` is `null` if
 * there was none.
 */
export interface Draft {
  readonly content: string
  readonly seen: Pick<MemoryDocument, 'content' | 'etag' | 'version'> | null
}

/** A reader who visits another page and comes back finds the typed text here. */
const drafts = new Map<string, Draft>()

const nameOf = ({ layer, key }: DocumentName) => `${layer}/${key}`

export function readDraft(name: DocumentName): Draft | null {
  return drafts.get(nameOf(name)) ?? null
}

export function keepDraft(name: DocumentName, draft: Draft): void {
  drafts.set(nameOf(name), draft)
}

export function dropDraft(name: DocumentName): void {
  drafts.delete(nameOf(name))
}

export function hasTyped({ content, seen }: Draft): boolean {
  return content !== (seen?.content ?? '')
}

// The map is lost with the tab, so the browser asks the reader first.
addEventListener('beforeunload', event => {
  if ([...drafts.values()].some(hasTyped)) event.preventDefault()
})
