import type { MemoryContent } from 'palimpsest/internals/memory/index'
import { writtenKey } from './document-name.ts'
import { entityTag } from './entity-tags.ts'

/** The shape that `documentJson` gives, in words for the OpenAPI document. */
export const DOCUMENT =
  '{ layer, key, owner?, content, sections, version, etag, tokens, budget, createdAt, updatedAt }'

export function documentJson({ layer, key, content, sections, version, ...rest }: MemoryContent) {
  const { owner, tokens, budget, createdAt, updatedAt } = rest
  return {
    ...{
      layer,
      key: writtenKey({ layer, key }),
      ...(owner !== undefined && { owner }),
      content,
      sections,
      version,
      etag: entityTag(version),
    },
    ...{ tokens, budget, createdAt, updatedAt },
  }
}
