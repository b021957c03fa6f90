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

/** What a call has at hand: all of it belongs to the caller's namespace, and nothing leads to another. */
export interface Call<Query, Body> extends Tenant {
  readonly access: Access
  readonly events: EventsOf
  /** For what has to be finished although the answer is out. */
  readonly underWay: UnderWay
  readonly version: string
  /** A part of the path, decoded. */
  readonly part: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** A header of the request; `null`: it has none. */
  readonly header: (name: string) => string | null
  /** Aborted when the caller has gone, or the server closes and waits no longer. */
  readonly signal: AbortSignal
  /** For what reads its headers in its own way. */
  readonly request: Request
  /** The body as text, for what has no schema: where there is one, it is read already. */
  readonly bodyText: () => Promise<string>
  /** Hears of what nobody foresaw. */
  readonly onError: (error: unknown) => void
}

/** What it answers with: the status is 200 unless it says so. Without `json` and `body`, nothing but headers. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** In place of `json` where the key may read as well: what shows more than the caller has sent. */
  readonly readersJson?: unknown
  /** What is no JSON; a header says what it is. */
  readonly body?: string | ReadableStream<Uint8Array>
}

/** One call: what it takes, for the check and for the document alike, and what it does. */
export interface Endpoint {
  readonly method: Method
  /** With the parts that vary in braces: `/v1/sessions/{id}`. */
  readonly path: string
  readonly summary: string
  /** What a key has to allow, all of it; `any`: whatever it allows. None: nobody is asked for a key. */
  readonly scopes: readonly Scope[] | 'any'
  readonly query: Fields
  /** `null`: the call reads it in its own way. */
  readonly body: Fields | null
  /** The headers that it reads, and what they are for. */
  readonly headers: Readonly<Record<string, string>>
  /** `absent`, the default: as though the field were left out, as many clients mean it. */
  readonly nulls: 'absent' | 'kept'
  readonly answers: Readonly<Record<number, string>>
  /** Of what it answers with, where that is no JSON. */
  readonly answerType: string
  readonly handle: (call: Call<never, never>) => Promise<Answer>
  /** With the header `Idempotency-Key` it is carried out once; `null`: a repeat does no harm, or is told by other means. */
  readonly repeat: Repeat<Call<never, never>> | null
}

export function endpoint<Query extends Fields, Body extends Fields | null = null>(of: {
  readonly method: Method
  readonly path: string
  readonly summary: string
  /** The default: to read for `GET`, to write for others. */
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

/** Of what takes nothing: what is sent all the same was meant for another call, or is misspelt. */
export const NO_FIELDS = z.strictObject({})

/** The session that the path names. */
export function sessionOf({
  palimpsest,
  part,
}: Pick<Call<unknown, unknown>, 'palimpsest' | 'part'>): Session {
  return palimpsest.session(part('id'))
}
