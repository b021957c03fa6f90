import type { Layer, ServerEvent } from '../../api/types.ts'

/** In the order in which a context shows them. */
export const LAYERS = [
  'persona',
  'global',
  'user',
  'scope',
  'chat',
  'daily',
] as const satisfies readonly Layer[]

/** The key in a layer that has only one document. */
export const ONLY_KEY = 'default'

export function isLayer(name: string | undefined): name is Layer {
  return LAYERS.some(layer => layer === name)
}

export function hasOneDocument(layer: Layer): layer is 'persona' | 'global' {
  return layer === 'persona' || layer === 'global'
}

export interface DocumentName {
  readonly layer: Layer
  readonly key: string
}

/** A daily log's key is a day and a session. */
export function splitDailyKey(key: string): { readonly day: string; readonly session: string } | null {
  const [, day, session] = /^(\d{4}-\d{2}-\d{2})\/([\s\S]+)$/.exec(key) ?? []
  return day === undefined || session === undefined ? null : { day, session }
}

/** The session that a document belongs to; `null`: it belongs to no single session. */
export function sessionOf({ layer, key }: DocumentName): string | null {
  if (layer === 'chat') return key
  return layer === 'daily' ? (splitDailyKey(key)?.session ?? null) : null
}

export function isChangeIn(event: ServerEvent, layer: Layer): boolean {
  return event.type === 'memory-changed' && event.data?.['layer'] === layer
}

export function isChangeOf(event: ServerEvent, { layer, key }: DocumentName): boolean {
  // For a layer with one document, an event has no key.
  return isChangeIn(event, layer) && (hasOneDocument(layer) || event.data?.['key'] === key)
}
