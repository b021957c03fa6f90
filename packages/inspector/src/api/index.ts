import { call, part } from './call.ts'
import type {
  ContextAnswer,
  DocumentHead,
  DocumentVersion,
  ErasureReceipt,
  Expanded,
  Fold,
  FoldOutcome,
  GrowthPoint,
  Layer,
  MemoryDocument,
  Message,
  ReplayAnswer,
  SearchResult,
  Segment,
  SessionFigures,
  SettingsAnswer,
} from './types.ts'

/** The calls that the page makes. Each follows the server's own API document. */

type Signal = { readonly signal?: AbortSignal }

const session = (id: string) => `/v1/sessions/${part(id)}`
const document = (layer: Layer, key: string) => `/v1/memory/${part(layer)}/${part(key)}`

export function listSessions(
  query: { q?: string; order?: 'id' | 'recent'; after?: string; limit?: number },
  options: Signal = {},
) {
  return call<{ sessions: readonly SessionFigures[]; next: string | null }>('GET', '/v1/sessions', {
    query,
    ...options,
  })
}

export function readSession(id: string, options: Signal = {}) {
  return call<SessionFigures>('GET', session(id), options)
}

export function readMessages(
  id: string,
  query: { after?: number; before?: number; from?: 'oldest' | 'newest'; limit?: number },
  options: Signal = {},
) {
  return call<{ messages: readonly Message[]; next: number | null }>('GET', `${session(id)}/messages`, {
    query,
    ...options,
  })
}

export function readSegments(id: string, { all = false, ...options }: Signal & { all?: boolean } = {}) {
  return call<{ segments: readonly Segment[] }>('GET', `${session(id)}/segments`, {
    query: { all: all || undefined },
    ...options,
  })
}

export function expandSegment(
  id: string,
  segment: number,
  query: { to?: 'level' | 'messages'; after?: number; limit?: number; tokens?: number } = {},
  options: Signal = {},
) {
  return call<Expanded>('GET', `${session(id)}/segments/${part(segment)}`, { query, ...options })
}

export function readGrowth(id: string, query: { points?: number } = {}, options: Signal = {}) {
  return call<{ points: readonly GrowthPoint[] }>('GET', `${session(id)}/growth`, { query, ...options })
}

export function readFolds(id: string, query: { before?: string; limit?: number } = {}, options: Signal = {}) {
  return call<{ folds: readonly Fold[]; next: string | null }>('GET', `${session(id)}/folds`, {
    query,
    ...options,
  })
}

/** The context as the next call would get it. The call only looks: it leaves no note on the server. */
export function readContext(
  id: string,
  body: { budget?: number; model?: string; query?: string } & Readonly<Record<string, unknown>> = {},
  options: Signal = {},
) {
  return call<ContextAnswer>('POST', `${session(id)}/context`, {
    body: { ...body, notes: false },
    ...options,
  })
}

export function compact(id: string, body: { force?: boolean | string; focus?: string } = {}) {
  return call<FoldOutcome>('POST', `${session(id)}/compact`, { body })
}

/**
 * Searches one session by the search of all sessions. There, half an id finds nothing and is no error, so the
 * reader can still be typing.
 */
export function searchMessages(
  query: { q: string; session?: string | null; limit?: number; cursor?: string | null },
  options: Signal = {},
) {
  return call<{ results: readonly SearchResult[]; next: string | null }>('GET', '/v1/search', {
    query,
    ...options,
  })
}

export function listDocuments(
  query: { layer?: Layer; after?: string; limit?: number },
  options: Signal = {},
) {
  return call<{ documents: readonly DocumentHead[]; next: string | null }>('GET', '/v1/memory', {
    query,
    ...options,
  })
}

export function readDocument(layer: Layer, key: string, options: Signal = {}) {
  return call<MemoryDocument>('GET', document(layer, key), options)
}

/**
 * `etag` is the one of the version that was read; `null`: there was none. If another writer was faster, the
 * server refuses the call.
 */
export function writeDocument(
  layer: Layer,
  key: string,
  { content, etag }: { content: string; etag: string | null },
) {
  return call<MemoryDocument>('PUT', document(layer, key), {
    body: { content },
    headers: etag === null ? { 'if-none-match': '*' } : { 'if-match': etag },
  })
}

/** The logs of all chats on one day. */
export function readDay(day: string, query: { after?: string; limit?: number } = {}, options: Signal = {}) {
  return call<{ documents: readonly DocumentHead[]; next: string | null }>(
    'GET',
    `/v1/memory/daily/${part(day)}`,
    { query, ...options },
  )
}

export function readVersions(
  layer: Layer,
  key: string,
  query: { before?: number; limit?: number } = {},
  options: Signal = {},
) {
  return call<{ versions: readonly DocumentVersion[]; next: number | null }>(
    'GET',
    `${document(layer, key)}/versions`,
    { query, ...options },
  )
}

export function undoVersion(layer: Layer, key: string, version?: number) {
  return call<MemoryDocument>('POST', `${document(layer, key)}/undo`, {
    body: version === undefined ? {} : { version },
  })
}

export function readSettings(options: Signal = {}) {
  return call<SettingsAnswer>('GET', '/v1/settings', { query: { schema: true }, ...options })
}

/** `null` removes a setting. */
export function changeSettings(changes: Readonly<Record<string, unknown>>) {
  return call<SettingsAnswer>('PUT', '/v1/settings', { body: changes })
}

export function replaySettings(
  body: { session?: string; prices?: string } & Readonly<Record<string, unknown>>,
  options: Signal = {},
) {
  return call<ReplayAnswer>('POST', '/v1/replay', { body, ...options })
}

export function eraseMessage(id: string, seq: number) {
  return call<ErasureReceipt>('DELETE', `${session(id)}/messages/${part(seq)}`)
}

export function eraseSession(id: string) {
  return call<ErasureReceipt>('DELETE', session(id))
}

export function erasePerson(id: string) {
  return call<ErasureReceipt>('DELETE', `/v1/users/${part(id)}`)
}

export function readErasure(id: number, options: Signal = {}) {
  return call<ErasureReceipt>('GET', `/v1/erasures/${part(id)}`, options)
}
