import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { PalimpsestError } from '../errors.ts'
import type { Session } from '../session.ts'
import type { Scope, Store } from '../store/index.ts'
import type { Access } from './access.ts'
import type { Admission } from './admission.ts'
import type { EventFeed } from './event-feed.ts'
import { methodNotAllowed, type OnError, requestIdOf, statusOf } from './http-errors.ts'
import { once, type Repeat, readIdempotencyKey } from './idempotency.ts'
import type { LiveSettings } from './live-settings.ts'
import { check, invalidArguments } from './problems.ts'
import { readBody } from './read-body.ts'
import type { Tenant, Tenants } from './tenants.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Fields = z.ZodObject

/** What a call has at hand: all of it belongs to the caller's namespace. */
export interface Call<Query, Body> extends Tenant {
  readonly access: Access
  readonly events: EventFeed
  readonly version: string
  /** A part of the path, decoded. */
  readonly part: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** A header of the request; `null`: it has none. */
  readonly header: (name: string) => string | null
  /** Aborted when the caller has gone, or the server closes and waits no longer. */
  readonly signal: AbortSignal
  /** For what reads it in its own way; where there is a schema, its body is read already. */
  readonly request: Request
  /** Hears of what nobody foresaw. */
  readonly onError: (error: unknown) => void
}

/** What it answers with: the status is 200 unless it says so. Without `json` and `body`, nothing but headers. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
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
  const usual = { scopes, query: NO_QUERY, body: null, nulls: 'absent', answerType: JSON_TYPE, repeat: null }
  const headers = { ...of.headers, ...(of.repeat && IDEMPOTENCY_HEADER) }
  return { ...usual, ...of, headers } as unknown as Endpoint
}

export const IDEMPOTENCY_HEADER = {
  'idempotency-key': "of the caller's choosing: a repeat with the same key is answered, and changes nothing",
}

const JSON_TYPE = 'application/json'

/** The one answer that has no body. */
const NOT_MODIFIED = '304'

const NO_QUERY = z.strictObject({})

const ERROR = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
  })
  .openapi('Error')

/** What all calls are made with. */
export interface Serving {
  readonly store: Store
  readonly tenants: Tenants
  readonly events: EventFeed
  readonly admission: Admission
  /** Where calls go that need no key. */
  readonly home: string
  readonly version: string
  readonly onError: OnError
}

/** Puts the calls into the app and into its document; any other method on their paths is a 405. */
export function register(app: OpenAPIHono, endpoints: readonly Endpoint[], serving: Serving): void {
  for (const endpoint of endpoints) {
    describeEndpoint(app, endpoint)
    app.on(endpoint.method.toUpperCase(), routePath(endpoint), async context => {
      const access = await admitted(context, endpoint, serving)
      const tenant = await serving.tenants.of(access.namespace)
      const noteEnd = tenant.metrics.begin(endpoint)
      try {
        const answer = await carryOut(context, endpoint, { ...serving, ...tenant, access })
        noteEnd(answer.status ?? 200)
        return toResponse(context, answer)
      } catch (error) {
        noteEnd(statusOf(error))
        throw error
      }
    })
  }
  for (const [path, methods] of Map.groupBy(endpoints, routePath))
    app.all(path, async context => {
      await admitted(context, methods.find(({ scopes }) => scopes.length === 0) ?? methods[0]!, serving)
      const allowed = methods.map(({ method }) => method.toUpperCase()).join(', ')
      context.header('allow', allowed)
      throw methodNotAllowed(context, allowed)
    })
}

/** Whoever may not call is told so before anything else is looked at. */
async function admitted(
  context: Context,
  { scopes }: Endpoint,
  { admission, home }: Serving,
): Promise<Access> {
  if (scopes.length === 0)
    return { namespace: home, scopes: new Set(), caller: 'everybody', isStillGood: async () => true }
  const access = await admission.admit(context)
  if (scopes !== 'any' && scopes.some(scope => !access.scopes.has(scope))) throw notAllowed(access, scopes)
  return access
}

function notAllowed({ caller, scopes }: Access, needed: readonly Scope[]): PalimpsestError {
  return new PalimpsestError(
    'key_not_allowed',
    `This call needs a key with the scope ${needed.join(' and ')}; ${caller} has ${[...scopes].join(', ')}.`,
    { needed, scopes: [...scopes] },
  )
}

async function carryOut(
  context: Context,
  endpoint: Endpoint,
  given: Serving & Tenant & { readonly access: Access },
): Promise<Answer> {
  const query = check(endpoint.query, readQuery(context), 'the query')
  const body = endpoint.body && (await readChecked(context, endpoint, given.settings))
  const { method, path } = context.req
  const onError = (error: unknown) => given.onError(error, { requestId: requestIdOf(context), method, path })
  const call = {
    ...given,
    onError,
    request: context.req.raw,
    part: (name: string) => context.req.param(name) ?? '',
    query,
    body,
    header: (name: string) => context.req.header(name) ?? null,
    get signal() {
      return context.req.raw.signal
    },
  } as unknown as Call<never, never>
  const { repeat, handle } = endpoint
  const key = repeat === null ? null : readIdempotencyKey(call.header('idempotency-key'))
  if (repeat === null || key === null) return handle(call)
  return once(
    { namespace: given.namespace, key, method, path, request: [query, body] },
    {
      store: given.store,
      onError,
      carryOut: () => handle(call),
      keep: repeat.keep,
      answerAgain: kept => repeat.answer(call, kept as never),
    },
  )
}

function toResponse(context: Context, { status = 200, headers = {}, json, body }: Answer): Response {
  if (json !== undefined) return context.json(json as never, status as never, headers)
  return context.body((body ?? null) as never, status as never, headers)
}

/** What is given once is text, what is given several times a list: only a schema that allows one takes it. */
function readQuery(context: Context): Record<string, string | readonly string[]> {
  const given = Object.entries(context.req.queries())
  return Object.fromEntries(given.map(([name, values]) => [name, values.length === 1 ? values[0]! : values]))
}

async function readChecked(
  context: Context,
  { body: schema, nulls }: Endpoint,
  settings: LiveSettings,
): Promise<unknown> {
  const body = (await readBody(context.req.raw, settings.current.values.maxBodyBytes)) ?? {}
  // Any other name a schema sees.
  if (Object.hasOwn(body, '__proto__'))
    throw invalidArguments([{ field: '__proto__', value: '…', allowed: 'no such field' }])
  const fields = Object.entries(body).filter(([, value]) => nulls === 'kept' || value !== null)
  return check(schema!, Object.fromEntries(fields), 'the body')
}

/** Parts that have to look so: a path with another one there is not meant. */
const SHAPES: Readonly<Record<string, string>> = { day: '{\\d{4}-\\d{2}-\\d{2}}' }

function routePath({ path }: Endpoint): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `:${name}${SHAPES[name] ?? ''}`)
}

function describeEndpoint(app: OpenAPIHono, endpoint: Endpoint): void {
  const { method, path, summary, query, body, headers, answers, answerType } = endpoint
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, z.string()])
  const headerFields = Object.entries(headers).map(([name, description]) => [
    name,
    z.string().optional().openapi({ description }),
  ])
  app.openAPIRegistry.registerPath({
    method,
    path,
    summary,
    request: {
      ...(parts.length > 0 && { params: z.object(Object.fromEntries(parts)) }),
      query,
      ...(headerFields.length > 0 && { headers: z.object(Object.fromEntries(headerFields)) }),
      ...(body && { body: { content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, description]) => [
          status,
          status === NOT_MODIFIED
            ? { description }
            : { description, content: { [answerType]: { schema: answerSchema(answerType) } } },
        ]),
      ),
      default: { description: 'What is wrong', content: { 'application/json': { schema: ERROR } } },
    },
  })
}

function answerSchema(type: string) {
  return type === JSON_TYPE ? z.looseObject({}) : z.string()
}

/** The session that the path names. */
export function sessionOf({
  palimpsest,
  part,
}: Pick<Call<unknown, unknown>, 'palimpsest' | 'part'>): Session {
  return palimpsest.session(part('id'))
}
