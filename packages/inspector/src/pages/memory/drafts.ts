import type { MemoryDocument } from '../../api/types.ts'
import type { DocumentName } from './layers.ts'

/** What somebody is writing, and what they have seen of the document; `seen` is `null` where there was none. */
export interface Draft {
  readonly content: string
  readonly seen: Pick<MemoryDocument, 'content' | 'etag' | 'version'> | null
}

/** Whoever looks at another page meanwhile finds what they typed when they come back. */
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

// The map goes with the tab: then somebody has to be asked first.
addEventListener('beforeunload', event => {
  if ([...drafts.values()].some(hasTyped)) event.preventDefault()
})
