import { z } from '@hono/zod-openapi'
import type { Session } from 'palimpsest/internals/session'
import type { Scope } from 'palimpsest/internals/store/index'
import type { Access } from './access.ts'
import type { EventsOf } from './event-feed.ts'
import type { Repeat } from './idempotency.ts'
import type { Tenant } from './tenants.ts'
import type { UnderWay } from './under-way.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Fields = z.ZodObject

/** What a call can use. Everything belongs to the caller's namespace, and nothing leads to another one. */
export interface Call<Query, Body> extends Tenant {
  readonly access: Access
  readonly events: EventsOf
  /** Work that must finish even after the answer is sent. */
  readonly underWay: UnderWay
  readonly version: string
  /** A part of the path, decoded. */
  readonly part: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** A header of the request. `null`: the request does not have it. */
  readonly header: (name: string) => string | null
  /** Aborted when the caller has gone, or when the server closes and no longer waits. */
  readonly signal: AbortSignal
  /** The raw request, for a call that reads its headers in its own way. */
  readonly request: Request
  /** The body as text, for a call without a schema. If there is a schema, the body has been read already. */
  readonly bodyText: () => Promise<string>
  /** Gets the errors that no code foresaw. */
  readonly onError: (error: unknown) => void
}

/**
 * The answer to a call. The default status is 200. Without `json` and `body`, the answer has headers only.
 */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Replaces `json` if the key has the scope `read`. It shows more than the caller has sent. */
  readonly readersJson?: unknown
  /** A body that is not JSON. A header gives its type. */
  readonly body?: string | ReadableStream<Uint8Array>
}

/** One call of the API: what it does and what it takes. The check and the OpenAPI document both read this. */
export interface Endpoint {
  readonly method: Method
  /** The path, with its variable parts in braces: `/v1/sessions/{id}`. */
  readonly path: string
  readonly summary: string
  /**
   * The scopes that a key needs, all of them. `any`: a key with any scope will do. Empty: no key is needed.
   */
  readonly scopes: readonly Scope[] | 'any'
  readonly query: Fields
  /** The schema of the body. `null`: the call reads the body in its own way. */
  readonly body: Fields | null
  /** The headers that the call reads, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * What `null` in a field means. `absent`, the default: the field is left
   * out, which is what many clients mean.
   */
  readonly nulls: 'absent' | 'kept'
  readonly answers: Readonly<Record<number, string>>
  /** The content type of the answer, if it is not JSON. */
  readonly answerType: string
  readonly handle: (call: Call<never, never>) => Promise<Answer>
  /**
   * How a call with the header `Idempotency-Key` is carried out only once. `null`: a repeat does no harm, or
   * the call detects it in another way.
   */
  readonly repeat: Repeat<Call<never, never>> | null
}

export function endpoint<Query extends Fields, Body extends Fields | null = null>(of: {
  readonly method: Method
  readonly path: string
  readonly summary: string
  /** The default: `read` for `GET`, `write` for other methods. */
  readonly scopes?: readonly Scope[] | 'any'
  readonly query?: Query
  readonly body?: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly nulls?: 'absent' | 'kept'
  readonly answers: Readonly<Record<number, string>>
  readonly answerType?: string
  readonly handle: (
    call: Call<z.output<Query>, Body extends Fields ? z.output<Body> : null>,
  ) => Promise<Answer>
  readonly repeat?: Repeat<Call<z.output<Query>, Body extends Fields ? z.output<Body> : null>>
}): Endpoint {
  const scopes = of.method === 'get' ? ['read'] : ['write']
  const body = of.method === 'get' ? null : NO_FIELDS
  const usual = { scopes, query: NO_FIELDS, body, nulls: 'absent', answerType: JSON_TYPE, repeat: null }
  const headers = { ...of.headers, ...(of.repeat && IDEMPOTENCY_HEADER) }
  return { ...usual, ...of, headers } as unknown as Endpoint
}

export const IDEMPOTENCY_HEADER = {
  'idempotency-key': "of the caller's choosing: a repeat with the same key is answered, and changes nothing",
}

export const JSON_TYPE = 'application/json'

/**
 * The schema of a call that takes no fields. A field that is sent all the same was
 * meant for another call, or is misspelt.
 */
export const NO_FIELDS = z.strictObject({})

export function sessionOf({
  palimpsest,
  part,
}: Pick<Call<unknown, unknown>, 'palimpsest' | 'part'>): Session {
  return palimpsest.session(part('id'))
}
