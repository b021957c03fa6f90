import fc from 'fast-check'
import type { Operation } from './fuzz-operations.ts'
import {
  HEADER_NAMES,
  HEADER_VALUES,
  HOSTILE_PARTS,
  knownParts,
  QUERY_VALUES,
  UNKNOWN_QUERIES,
} from './fuzz-parts.ts'
import { samplesOf } from './fuzz-samples.ts'
import { HOSTILE_VALUES, RAW_BODIES } from './fuzz-values.ts'

/** What is sent as a body, described shortly, so that a failure can be read. */
type Body =
  | { readonly kind: 'good'; readonly sample: object }
  | { readonly kind: 'raw'; readonly raw: string }
  | { readonly kind: 'broken'; readonly sample: object; readonly place: Place; readonly value: string | null }

/** Down to a field, by names and numbers. */
type Place = readonly (string | number)[]

export interface FuzzedRequest {
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body | null
}

/** Settings and fields that any body might have, whatever its schema says. */
const EXTRA_FIELDS = [
  ...['colour', '', '__proto__', 'constructor', 'toString', 'x'.repeat(10_000), '\ud800', 'a\u0000', '🙂'],
  ...[
    'policy',
    'budget',
    'threshold',
    'fullContextTurns',
    'zone',
    'model',
    'maxBodyBytes',
    'rateLimit',
    'session.resize.every_n_turns',
  ],
]

/** Whatever somebody might send to a route, most of it half right. */
export function requestsTo(operation: Operation): fc.Arbitrary<FuzzedRequest> {
  return fc.record({
    method: fc.constant(operation.method),
    path: pathOf(operation),
    query: queryOf(operation),
    headers: headersOf(operation),
    body: bodyOf(operation),
  })
}

/** The same to what is there: nothing but who asks, and for what, is in doubt. */
export function requestsToKnown(operation: Operation): fc.Arbitrary<FuzzedRequest> {
  return fc.record({
    method: fc.constant(operation.method),
    path: knownPathOf(operation),
    query: queryOf(operation).map(pairs => pairs.filter(([name, value]) => !/%(zz|ED)/.test(name + value))),
    headers: fc.constant(usualHeaders(operation)),
    body: bodyOf(operation),
  })
}

const mostly = <Value>(usual: fc.Arbitrary<Value>, seldom: fc.Arbitrary<Value>, weight = 3) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: seldom })

function pathOf(operation: Operation): fc.Arbitrary<string> {
  const hostile = fc.constantFrom(...HOSTILE_PARTS)
  return filledPath(operation, name => mostly(fc.constantFrom(...knownParts(name)), hostile))
}

function knownPathOf(operation: Operation): fc.Arbitrary<string> {
  return filledPath(operation, name => fc.constantFrom(...knownParts(name)))
}

function filledPath({ path, parts }: Operation, partOf: (name: string) => fc.Arbitrary<string>) {
  return fc
    .tuple(...parts.map(partOf))
    .map(given =>
      parts.reduce((filled, name, index) => filled.replace(`{${name}}`, () => given[index]!), path),
    )
}

function queryOf({ queries }: Operation): fc.Arbitrary<FuzzedRequest['query']> {
  const value = fc.constantFrom(...QUERY_VALUES)
  const unknown = fc.constantFrom(...UNKNOWN_QUERIES)
  const one = fc.array(fc.tuple(unknown, value), { maxLength: 1 })
  if (queries.length === 0) return mostly(fc.constant<[string, string][]>([]), one, 8)
  const known = fc.constantFrom(...queries)
  const needed = queries.includes('q') ? [['q', 'lemons'] as const] : []
  return fc
    .array(fc.tuple(mostly(known, unknown, 9), value), { maxLength: 3 })
    .map(pairs => (pairs.some(([name]) => name === 'q') ? pairs : [...needed, ...pairs]))
}

/** Without which nothing is answered at all. */
function usualHeaders({ path }: Operation): Record<string, string> {
  return path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {}
}

function headersOf(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const { headers } = operation
  const value = fc.constantFrom(...HEADER_VALUES)
  const names = headers.length === 0 ? HEADER_NAMES : [...headers, ...headers, ...HEADER_NAMES]
  return mostly(fc.constant({}), fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 2 }), 1).map(
    given => ({ ...usualHeaders(operation), ...given }),
  )
}

function bodyOf({ path, fields, method }: Operation): fc.Arbitrary<Body | null> {
  if (method === 'GET') return fc.constant(null)
  const raw = fc.constantFrom(...Object.keys(RAW_BODIES)).map((raw): Body => ({ kind: 'raw', raw }))
  if (fields === null && path !== '/mcp') return mostly(fc.constant(null), raw, 6)
  if (method === 'DELETE') return fc.constant(null)
  const value = fc.constantFrom(...Object.keys(HOSTILE_VALUES))
  return fc.constantFrom(...samplesOf(path)).chain(sample => {
    const places: Place[] = [...placesIn(sample), ...[...(fields ?? []), ...EXTRA_FIELDS].map(name => [name])]
    const place = mostly(fc.constantFrom(...placesIn(sample), []), fc.constantFrom(...places), 1)
    const broken = fc.record({ place, value: mostly(value, fc.constant(null), 12) })
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant<Body>({ kind: 'good', sample }) },
      { weight: 12, arbitrary: broken.map((given): Body => ({ kind: 'broken', sample, ...given })) },
      { weight: 2, arbitrary: raw },
    )
  })
}

/** Every field of a sample, at every depth. */
function placesIn(value: unknown, above: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const place = [...above, name]
    return [place, ...placesIn(field, place)]
  })
}

/** As it goes over the wire. */
export function written({ method, path, query, headers, body }: FuzzedRequest): {
  url: string
  init: RequestInit
} {
  const { body: bytes, headers: ofBody } = writtenBody(body)
  const search = query.map(([name, value]) => `${name}=${value}`).join('&')
  return {
    url: `http://localhost${path}${search && `?${search}`}`,
    init: { method, headers: { ...ofBody, ...headers }, ...(bytes !== undefined && { body: bytes }) },
  }
}

const MARK = '\u0001 here \u0001'

function writtenBody(body: Body | null): {
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
} {
  const json = { 'content-type': 'application/json' }
  if (body === null) return {}
  if (body.kind === 'good') return { body: JSON.stringify(body.sample), headers: json }
  if (body.kind === 'raw') {
    const { body: bytes, headers } = RAW_BODIES[body.raw]!()
    return { body: bytes, headers: { ...json, ...headers } }
  }
  const marked = JSON.stringify(withField(body.sample, body.place, body.value === null ? undefined : MARK))
  const value = body.value === null ? '' : HOSTILE_VALUES[body.value]!()
  return { body: (marked ?? '').replace(JSON.stringify(MARK), () => value), headers: json }
}

/** `undefined` leaves it out. */
function withField(value: unknown, place: Place, field: string | undefined): unknown {
  const [name, ...below] = place
  if (name === undefined) return field
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === name ? withField(each, below, field) : each))
  const given = value as Readonly<Record<string, unknown>>
  // A pair, as `{ ...given, __proto__ }` would set the prototype.
  return Object.fromEntries([...Object.entries(given), [name, withField(given[name], below, field)]])
}
