import { chatRequest, SAME, saidBy, thresholdOf } from './namespaces-fill.ts'
import type { Tenant } from './namespaces-house.ts'

interface Call {
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** The answer shows the caller's own canary: what proves that the other's is looked for in the right place. */
  readonly shows?: true
}

interface Known {
  readonly caller: Tenant
  readonly other: Tenant
  /** Of the caller's own erasure. */
  readonly erasure: number
}

type Calls = (known: Known) => readonly Call[]

const { session, group, user, scope, day } = SAME
const S = `/v1/sessions/${session}`
const FILTERS = `session=${session}&session=${group}`

const reading =
  (path: string, more: Omit<Call, 'path'> = {}): Calls =>
  () => [{ path, ...more, shows: true }]

/** Of one document, at its path. */
function documentCalls(template: string, paths: readonly string[]): Readonly<Record<string, Calls>> {
  const at =
    (call: (path: string, known: Known) => Call): Calls =>
    known =>
      paths.map(path => call(`/v1/memory/${path}`, known))
  return {
    [`GET ${template}`]: at(path => ({ path, shows: true })),
    [`GET ${template}/versions`]: at(path => ({ path: `${path}/versions`, shows: true })),
    [`PUT ${template}`]: at((path, { caller: { canary } }) => ({
      path,
      body: { content: `# Other\n- ${canary} as it is now` },
      shows: true,
    })),
    [`PATCH ${template}`]: at((path, { caller: { canary } }) => ({
      path,
      body: { append: `- ${canary} and more` },
      headers: { 'idempotency-key': 'append-once' },
      shows: true,
    })),
    [`POST ${template}/undo`]: at(path => ({
      path: `${path}/undo`,
      body: {},
      headers: { 'idempotency-key': 'undo-once' },
      shows: true,
    })),
  }
}

/** Those that take away what others read come last. */
export const CALLS: Readonly<Record<string, Calls>> = {
  'GET /healthz': () => [{ path: '/healthz' }],
  'GET /openapi.json': () => [{ path: '/openapi.json' }],
  'GET /metrics': () => [{ path: '/metrics' }],
  'GET /v1/models': () => [{ path: '/v1/models' }],
  'GET /v1/models/{model}': () => [{ path: '/v1/models/qwen3' }],
  'GET /v1/sessions': ({ other }) => [
    ...['', '?after=a&limit=1', '?q=E', '?order=recent', '?order=recent&q=s'].map(query => ({
      path: `/v1/sessions${query}`,
    })),
    { path: `/v1/sessions?q=only-${other.namespace}` },
    { path: `/v1/sessions?order=recent&q=only-${other.namespace}` },
  ],
  'GET /v1/sessions/{id}': reading(S),
  'GET /v1/sessions/{id}/messages': () => [
    { path: `${S}/messages?limit=100`, shows: true },
    { path: `${S}/messages?limit=100&from=newest&before=14`, shows: true },
  ],
  'GET /v1/sessions/{id}/folds': ({ other }) => [
    { path: `${S}/folds` },
    { path: `${S}/folds?before=999999&limit=1` },
    { path: `/v1/sessions/only-${other.namespace}/folds` },
  ],
  'GET /v1/sessions/{id}/growth': ({ other }) => [
    { path: `${S}/growth?points=2` },
    { path: `/v1/sessions/only-${other.namespace}/growth` },
  ],
  'GET /v1/sessions/{id}/segments': reading(`${S}/segments?all=true`),
  'GET /v1/sessions/{id}/segments/{segment}': () => [
    { path: `${S}/segments/1?to=messages`, shows: true },
    { path: `${S}/segments/2` },
    { path: `${S}/segments/99` },
  ],
  'GET /v1/sessions/{id}/settings': () => [{ path: `${S}/settings` }],
  'GET /v1/settings': reading('/v1/settings?schema=true'),
  'GET /v1/sessions/{id}/search': ({ caller, other }) => [
    { path: `${S}/search?q=${caller.canary}&limit=100&neighbours=5`, shows: true },
    { path: `${S}/search?q=lemons&sender=${user}&limit=100`, shows: true },
    { path: `${S}/search?q=${other.canary}` },
  ],
  'GET /v1/search': ({ caller, other }) => [
    { path: `/v1/search?q=${caller.canary}&limit=100&neighbours=5`, shows: true },
    { path: `/v1/search?q=lemons&${FILTERS}&limit=100`, shows: true },
    { path: `/v1/search?q=lemons&user=${user}`, shows: true },
    { path: `/v1/search?q=lemons&scope=${scope}&sender=${user}`, shows: true },
    { path: `/v1/search?q=${other.canary}&${FILTERS}&user=${user}` },
    { path: `/v1/search?q=lemons&session=only-${other.namespace}` },
  ],
  'GET /v1/memory': () => [{ path: '/v1/memory' }, { path: '/v1/memory?layer=user&limit=1' }],
  'GET /v1/memory/daily/{day}': reading(`/v1/memory/daily/${day}`),
  'GET /v1/erasures/{id}': ({ erasure }) => [{ path: `/v1/erasures/${erasure}` }],
  'POST /v1/sessions/{id}/context': ({ caller, other }) => [
    { path: `${S}/context`, body: { query: caller.canary, budget: 8_000 }, shows: true },
    { path: `${S}/context`, body: { format: 'text' }, shows: true },
    { path: `/v1/sessions/${group}/context`, body: { query: 'lemons', format: 'openai' }, shows: true },
    { path: `/v1/sessions/only-${other.namespace}/context`, body: {} },
  ],
  'POST /v1/replay': ({ other }) => [
    { path: '/v1/replay', body: { session, policy: 'rounds' } },
    { path: '/v1/replay', body: { session: `only-${other.namespace}` } },
    { path: '/v1/replay', body: { policy: 'count', threshold: 9, keepLast: 3 } },
  ],
  'POST /v1/sessions/{id}/messages': ({ caller }) => [
    {
      path: `${S}/messages`,
      body: { messages: saidBy(caller, 14), user },
      headers: { 'idempotency-key': 'once' },
    },
    { path: `${S}/messages`, body: { role: 'user', text: `${caller.canary} again`, externalId: 'again' } },
  ],
  'POST /v1/chat/completions': ({ caller }) => [
    { path: '/v1/chat/completions', body: chatRequest(caller), shows: true },
    { path: '/v1/chat/completions', body: chatRequest(caller, { stream: true, user: session }), shows: true },
  ],
  'PATCH /v1/sessions/{id}/messages/{seq}': ({ caller }) => [
    { path: `${S}/messages/13`, body: { text: `${caller.canary} once more` } },
  ],
  'PUT /v1/sessions/{id}/settings': ({ caller }) => [
    { path: `${S}/settings`, body: { threshold: thresholdOf(caller), keepLast: 3 } },
  ],
  'PUT /v1/settings': ({ caller }) => [
    { path: '/v1/settings', body: { memoInstructions: `of late ${caller.canary}` }, shows: true },
  ],
  'POST /v1/sessions/{id}/compact': () => [
    { path: `${S}/compact`, body: { force: true }, headers: { 'idempotency-key': 'fold-once' } },
  ],
  ...documentCalls('/v1/memory/persona', ['persona']),
  ...documentCalls('/v1/memory/global', ['global']),
  ...documentCalls('/v1/memory/{layer}/{key}', [
    ...[`user/${user}`, `scope/${scope}`, `chat/${session}`, `daily/${day}%2F${session}`],
  ]),
  'GET /v1/events': () => [],
  'POST /mcp': () => [],
  'GET /mcp': () => [{ path: '/mcp' }],
  'DELETE /mcp': () => [{ path: '/mcp' }],
  'POST /v1/sessions/{id}/fork': () => [
    {
      path: `${S}/fork`,
      body: { id: 'forked-again', atSeq: 5 },
      headers: { 'idempotency-key': 'fork-once' },
    },
    { path: '/v1/sessions/forked-again/messages' },
  ],
  'POST /v1/sessions/{id}/rollback': () => [
    { path: `${S}/rollback`, body: { toSeq: 6 }, headers: { 'idempotency-key': 'roll-once' } },
  ],
  'POST /v1/sessions/{id}/new-beginning': () => [{ path: `${S}/new-beginning` }],
  'DELETE /v1/sessions/{id}/new-beginning': () => [{ path: `${S}/new-beginning` }],
  'PATCH /v1/sessions/{id}': () => [{ path: `/v1/sessions/${group}`, body: { user } }],
  'DELETE /v1/sessions/{id}/messages/{seq}': () => [{ path: `${S}/messages/3` }],
  'DELETE /v1/sessions/{id}': () => [{ path: `/v1/sessions/${group}` }],
  'DELETE /v1/users/{id}': () => [{ path: `/v1/users/${user}` }],
}
