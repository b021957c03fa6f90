import { PalimpsestError } from 'palimpsest/internals/errors'
import type { DocumentName } from './document-name.ts'
import { invalidArguments } from './problems.ts'

/** An entity tag is a version in quotes. RFC 9110, section 13, defines the headers that hold tags. */

export function entityTag(version: number | string): string {
  return `"${version}"`
}

interface Tags {
  /** The header is `*`: it fits any version. */
  readonly any: boolean
  /** The tags, with their quotes. */
  readonly strong: readonly string[]
  readonly weak: readonly string[]
}

const NO_TAGS: Tags = { any: false, strong: [], weak: [] }
const TAG = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

function readTags(field: string, header: string): Tags {
  if (header.trim() === '*') return { ...NO_TAGS, any: true }
  const [strong, weak]: [string[], string[]] = [[], []]
  TAG.lastIndex = 0
  while (TAG.lastIndex < header.length) {
    const [, isWeak, tag] = TAG.exec(header) ?? []
    if (tag === undefined)
      throw invalidArguments([{ field, value: header, allowed: `${entityTag(3)}, several of them, or *` }])
    ;(isWeak ? weak : strong).push(tag)
  }
  return { any: false, strong, weak }
}

const VERSION_TAG = /^"([1-9]\d{0,14})"$/

/** Whether the caller of a read has this version already. */
export function isKnown(ifNoneMatch: string | null, version: number | string): boolean {
  if (ifNoneMatch === null) return false
  const { any, strong, weak } = readTags('If-None-Match', ifNoneMatch)
  return any || [...strong, ...weak].includes(entityTag(version))
}

/** Whether a write may change a resource that always exists and is now at this version. */
export function mayChange(ifMatch: string, version: string): boolean {
  const { any, strong } = readTags('If-Match', ifMatch)
  return any || strong.includes(entityTag(version))
}

/**
 * The version that the document must have for this write. 0: the document must not exist. `null`: any
 * version will do. `document.version` is the version that was just read (0: the document did not
 * exist). A weak tag never fits a write.
 */
export function requiredVersion(
  document: DocumentName & { readonly version: number },
  { ifMatch, ifNoneMatch }: { readonly ifMatch: string | null; readonly ifNoneMatch: string | null },
): number | null {
  if (ifNoneMatch !== null) {
    if (ifMatch === null && ifNoneMatch.trim() === '*') return 0
    const allowed = '* with a write, to create only, and without If-Match'
    throw invalidArguments([{ field: 'If-None-Match', value: ifNoneMatch, allowed }])
  }
  if (ifMatch === null) return null
  // The write itself checks whether this version is still the current one.
  const only = VERSION_TAG.exec(ifMatch.trim())?.[1]
  if (only !== undefined) return Number(only)
  const { any, strong } = readTags('If-Match', ifMatch)
  const { layer, key, version: actual } = document
  if (actual > 0 && strong.includes(entityTag(actual))) return actual
  if (actual > 0 && any) return null
  const state = actual === 0 ? 'there is no such document yet' : `the document is at ${entityTag(actual)}`
  throw new PalimpsestError(
    'document_conflict',
    `If-Match: ${ifMatch} does not fit: ${state}. Nothing was changed; read it again.`,
    { layer, key, expected: ifMatch, actual },
  )
}
