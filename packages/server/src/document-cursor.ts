import { type DocumentRecord, LAYERS, type LayerName } from 'palimpsest/internals/store/index'
import { invalidArguments } from './problems.ts'

type Place = Pick<DocumentRecord, 'layer' | 'key'>

/** A cursor for the end of a page of documents. It is opaque to callers. */
export function cursorOf({ layer, key }: Place): string {
  return Buffer.from(JSON.stringify([layer, key])).toString('base64url')
}

export function readCursor(cursor: string): Place {
  const place = parse(Buffer.from(cursor, 'base64url').toString())
  const [layer, key] = Array.isArray(place) ? place : []
  if (LAYERS.includes(layer as LayerName) && typeof key === 'string') return { layer, key }
  throw invalidArguments([{ field: 'after', value: cursor, allowed: 'the `next` of the page before' }])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
