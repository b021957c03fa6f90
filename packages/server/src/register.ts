import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { MAX_AT_ONCE, runInSlices } from 'palimpsest/internals/slices'
import type { Scope, Store } from 'palimpsest/internals/store/index'
import type { Access } from './access.ts'
import type { Admission } from './admission.ts'
import { describeEndpoint } from './describe-endpoint.ts'
import type { Answer, Call, Endpoint } from './endpoint.ts'
import type { EventFeed } from './event-feed.ts'
import type { Held, HeldBytes } from './held-bytes.ts'
import { methodNotAllowed, type OnError, requestIdOf, statusOf } from './http-errors.ts'
import { once, readIdempotencyKey } from './idempotency.ts'
import { check, invalidArguments } from './problems.ts'
import { type BodyLimits, readBody, readText } from './read-body.ts'
import type { Revisions } from './revisions.ts'
import type { Tenant, Tenants } from './tenants.ts'
import type { UnderWay } from './under-way.ts'
import { isLongJson, writeJsonInSteps } from './write-json.ts'

/** What all calls share. */
export interface Serving {
  readonly store: Store
  readonly revisions: Revisions
  readonly tenants: Tenants
  readonly events: EventFeed
  readonly underWay: UnderWay
  readonly admission: Admission
  readonly heldBytes: HeldBytes
  /** The namespace of calls that need no key. */
  readonly home: string
  readonly version: string
  readonly onError: OnError
}

/** Adds the calls to the app and to its document. Other methods on their paths get a 405. */
export function register(app: OpenAPIHono, endpoints: readonly Endpoint[], serving: Serving): void {
  for (const endpoint of endpoints) {
    describeEndpoint(app, endpoint)
    app.on(endpoint.method.toUpperCase(), routePath(endpoint), async context => {
      // One read of the revision serves both keys and settings: no change before this call is missed.
      const revision = await serving.revisions.current()
      const access = await admitted(context, endpoint, { serving, revision })
      const tenant = await serving.tenants.of(access.namespace, revision)
      const noteEnd = tenant.metrics.begin(endpoint)
      const held = serving.heldBytes.open(access.account)
      try {
        requireScopes(endpoint, access)
        const answer = await carryOut(context, endpoint, { serving, tenant, access, held })
        noteEnd(answer.status ?? 200)
        return await toResponse(context, heldUntilSent(answer, { context, held }), access)
      } catch (error) {
        held.release()
        noteEnd(statusOf(error))
        throw error
      }
    })
  }
  for (const [path, methods] of Map.groupBy(endpoints, routePath))
    app.all(path, async context => {
      const revision = await serving.revisions.current()
      const endpoint = methods.find(needsNoKey) ?? methods[0]!
      requireScopes(endpoint, await admitted(context, endpoint, { serving, revision }))
      const allowed = methods.map(({ method }) => method.toUpperCase()).join(', ')
      context.header('allow', allowed)
      throw methodNotAllowed(context, allowed)
    })
}

function needsNoKey({ scopes }: Endpoint): boolean {
  return scopes !== 'any' && scopes.length === 0
}

/** A caller who may not call is told so before anything else is looked at. */
async function admitted(
  context: Context,
  endpoint: Endpoint,
  { serving, revision }: { readonly serving: Serving; readonly revision: number },
): Promise<Access> {
  const { admission, home } = serving
  if (needsNoKey(endpoint)) {
    await admission.admitAnybody(context)
    return {
      ...{ namespace: home, scopes: new Set(), caller: 'everybody', account: 'everybody' },
      ...{ countBatch: async () => {}, isStillGood: async () => true },
    }
  }
  return admission.admit(context, revision)
}

function requireScopes({ scopes }: Endpoint, access: Access): void {
  if (scopes !== 'any' && scopes.some(scope => !access.scopes.has(scope))) throw notAllowed(access, scopes)
}

function notAllowed({ caller, scopes }: Access, needed: readonly Scope[]): PalimpsestError {
  return new PalimpsestError(
    'key_not_allowed',
    `This call needs a key with the scope ${needed.join(' and ')}; ${caller} has ${[...scopes].join(', ')}.`,
    { needed, scopes: [...scopes] },
  )
}

interface Admitted {
  readonly serving: Serving
  readonly tenant: Tenant
  readonly access: Access
  readonly held: Held
}

async function carryOut(context: Context, endpoint: Endpoint, admitted: Admitted): Promise<Answer> {
  const { serving, tenant, access, held } = admitted
  const { namespace } = tenant
  const { method, path } = context.req
  const query = check(endpoint.query, readQuery(context), 'the query')
  const limits = { mostBytes: tenant.settings.current.values.maxBodyBytes, held }
  const body = endpoint.body && (await readChecked(context, endpoint, limits))
  const onError = (error: unknown) =>
    serving.onError(error, { requestId: requestIdOf(context), method, path })
  const call = {
    ...tenant,
    access,
    events: serving.events.of(namespace),
    underWay: serving.underWay,
    version: serving.version,
    part: (name: string) => context.req.param(name) ?? '',
    query,
    body,
    header: (name: string) => context.req.header(name) ?? null,
    get signal() {
      return context.req.raw.signal
    },
    request: context.req.raw,
    bodyText: () => readText(context.req.raw, limits),
    onError,
  } as unknown as Call<never, never>
  const { repeat, handle } = endpoint
  const key = repeat === null ? null : readIdempotencyKey(call.header('idempotency-key'))
  if (repeat === null || key === null) return handle(call)
  return once(
    { namespace, key, method, path, request: [query, body] },
    {
      store: serving.store,
      longestMs: repeat.longestMs?.(call),
      onError,
      carryOut: () => handle(call),
      keep: repeat.keep,
      answerAgain: kept => repeat.answer(call, kept as never),
    },
  )
}

/**
 * Keeps the body of the request counted until the answer is sent: a streamed
 * answer is still made from that body.
 */
function heldUntilSent(
  answer: Answer,
  { context, held }: { readonly context: Context; readonly held: Held },
): Answer {
  const { body } = answer
  if (!(body instanceof ReadableStream) || held.bytes === 0) {
    held.release()
    return answer
  }
  // If the caller leaves before the first piece, the stream is never read and its end never comes.
  context.req.raw.signal.addEventListener('abort', held.release, { once: true })
  return { ...answer, body: endingWith(body, held.release) }
}

/**
 * The same stream, read piece by piece as it is asked for. `end` is called when the
 * stream is over, for whatever reason.
 */
function endingWith(stream: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: reason => {
        end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

async function toResponse(
  context: Context,
  { status = 200, headers = {}, json, readersJson, body }: Answer,
  { scopes }: Access,
): Promise<Response> {
  const shown = scopes.has('read') ? (readersJson ?? json) : json
  if (shown !== undefined && isLongJson(shown, MAX_AT_ONCE)) {
    const parts = await runInSlices(writeJsonInSteps(shown))
    return context.body(streamOf(parts), status as never, {
      'content-type': 'application/json',
      'content-length': String(parts.reduce((sum, part) => sum + part.length, 0)),
      ...headers,
    })
  }
  if (shown !== undefined) return context.json(shown as never, status as never, headers)
  return context.body((body ?? null) as never, status as never, headers)
}

function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts) as ReadableStream<Uint8Array>
}

/**
 * The parameters of the query. A name given once is text, a name given several times is a list. Only a schema
 * that allows lists accepts one.
 */
function readQuery(context: Context): Record<string, string | readonly string[]> {
  const given = Object.entries(context.req.queries())
  return Object.fromEntries(given.map(([name, values]) => [name, values.length === 1 ? values[0]! : values]))
}

async function readChecked(
  context: Context,
  { body: schema, nulls }: Endpoint,
  limits: BodyLimits,
): Promise<unknown> {
  const body = (await readBody(context.req.raw, limits)) ?? {}
  // The schema checks every other name, but it never sees this one.
  if (Object.hasOwn(body, '__proto__'))
    throw invalidArguments([{ field: '__proto__', value: '…', allowed: 'no such field' }])
  const fields = Object.entries(body).filter(([, value]) => nulls === 'kept' || value !== null)
  return check(schema!, Object.fromEntries(fields), 'the body')
}

/** The form of some path parts. A part of another form belongs to another route. */
const SHAPES: Readonly<Record<string, string>> = { day: '{\\d{4}-\\d{2}-\\d{2}}' }

function routePath({ path }: Endpoint): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `:${name}${SHAPES[name] ?? ''}`)
}
