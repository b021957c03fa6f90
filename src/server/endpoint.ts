import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Palimpsest } from '../palimpsest.ts'
import type { Session } from '../session.ts'
import { methodNotAllowed } from './http-errors.ts'
import type { LiveSettings } from './live-settings.ts'
import { check, invalidArguments } from './problems.ts'
import { readBody } from './read-body.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Fields = z.ZodObject

/** What a call has at hand. */
export interface Call<Query, Body> {
  readonly palimpsest: Palimpsest
  readonly settings: LiveSettings
  readonly version: string
  /** A part of the path, decoded. */
  readonly part: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** A header of the request; `null`: it has none. */
  readonly header: (name: string) => string | null
}

/** What it answers with: the status is 200 unless it says so. Without `json`, nothing but headers. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/** One call: what it takes, for the check and for the document alike, and what it does. */
export interface Endpoint {
  readonly method: Method
  /** With the parts that vary in braces: `/v1/sessions/{id}`. */
  readonly path: string
  readonly summary: string
  readonly query: Fields
  readonly body: Fields | null
  /** The headers that it reads, and what they are for. */
  readonly headers: Readonly<Record<string, string>>
  /** `absent`, the default: as though the field were left out, as many clients mean it. */
  readonly nulls: 'absent' | 'kept'
  readonly answers: Readonly<Record<number, string>>
  readonly handle: (call: Call<never, never>) => Promise<Answer>
}

export function endpoint<Query extends Fields, Body extends Fields | null = null>(of: {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly query?: Query
  readonly body?: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly nulls?: 'absent' | 'kept'
  readonly answers: Readonly<Record<number, string>>
  readonly handle: (
    call: Call<z.output<Query>, Body extends Fields ? z.output<Body> : null>,
  ) => Promise<Answer>
}): Endpoint {
  return { query: NO_QUERY, body: null, headers: {}, nulls: 'absent', ...of } as Endpoint
}

/** The one answer that has no body. */
const NOT_MODIFIED = '304'

const NO_QUERY = z.strictObject({})

const ERROR = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
  })
  .openapi('Error')

/** Puts the calls into the app and into its document; any other method on their paths is a 405. */
export function register(
  app: OpenAPIHono,
  endpoints: readonly Endpoint[],
  deps: Pick<Call<never, never>, 'palimpsest' | 'settings' | 'version'>,
): void {
  for (const endpoint of endpoints) {
    describeEndpoint(app, endpoint)
    app.on(endpoint.method.toUpperCase(), routePath(endpoint), async context => {
      const query = check(endpoint.query, readQuery(context), 'the query')
      const body = endpoint.body && (await readChecked(context, endpoint, deps.settings))
      const part = (name: string) => context.req.param(name) ?? ''
      const header = (name: string) => context.req.header(name) ?? null
      const call = { ...deps, part, query, body, header } as unknown as Call<never, never>
      const { status = 200, headers = {}, json } = await endpoint.handle(call)
      return json === undefined
        ? context.body(null, status as never, headers)
        : context.json(json as never, status as never, headers)
    })
  }
  for (const [path, methods] of Map.groupBy(endpoints, routePath))
    app.all(path, context => {
      const allowed = methods.map(({ method }) => method.toUpperCase()).join(', ')
      context.header('allow', allowed)
      throw methodNotAllowed(context, allowed)
    })
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
  const { method, path, summary, query, body, headers, answers } = endpoint
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
            : { description, content: { 'application/json': { schema: z.looseObject({}) } } },
        ]),
      ),
      default: { description: 'What is wrong', content: { 'application/json': { schema: ERROR } } },
    },
  })
}

/** The session that the path names. */
export function sessionOf({
  palimpsest,
  part,
}: Pick<Call<unknown, unknown>, 'palimpsest' | 'part'>): Session {
  return palimpsest.session(part('id'))
}
