import { InvalidArgumentError } from './errors.ts'
import { GROUP_TURN_MESSAGES, ID_RULE, isId, isZone, type SessionKind } from './log/index.ts'
import {
  BUILT_IN_TYPES,
  type CustomJudge,
  compose,
  count,
  custom,
  type Policy,
  resize,
  rounds,
  tokens,
  window,
} from './policy/index.ts'
import { type Engine, Session, type SessionInfo, toSessionInfo } from './session.ts'
import { parseSessionFile, type SessionKey, type Store } from './store/index.ts'
import { measureMessage } from './tokens/index.ts'

export interface PalimpsestOptions {
  readonly store: Store
  /** A preset, several of them composed, or a function of your own. The default: `tokens()`. */
  readonly policy?: Policy | CustomJudge
  /** A tenant: nothing is ever seen from another one. */
  readonly namespace?: string
  /** IANA zone in which times without an offset are taken. The default: UTC. */
  readonly zone?: string
  /** In groups a turn is also complete after so many messages without a reply. The default: 12. */
  readonly groupTurnMessages?: number
  /** Milliseconds since 1970; for tests. */
  readonly clock?: () => number
  /** Hears of what went wrong after a message was safely stored, such as a policy of your own that threw. */
  readonly onError?: (error: unknown, details: { readonly sessionId: string }) => void
}

export interface SessionOptions {
  /** The default: private. */
  readonly kind?: SessionKind
  /** Whose chat it is; for private chats. */
  readonly user?: string
  /** A workspace or project that several sessions share. */
  readonly scope?: string
}

/** Opens the store and puts everything together. */
export async function createPalimpsest(options: PalimpsestOptions): Promise<Palimpsest> {
  checkOptions(options)
  const { policy = tokens(), namespace = 'default', zone = 'UTC' } = options
  const groupTurnMessages = options.groupTurnMessages ?? GROUP_TURN_MESSAGES
  if (!isZone(zone)) throw new InvalidArgumentError('zone', zone, 'an IANA time zone such as "Asia/Shanghai"')
  if (!Number.isSafeInteger(groupTurnMessages) || groupTurnMessages < 1)
    throw new InvalidArgumentError('groupTurnMessages', groupTurnMessages, 'a whole number of at least 1')
  await options.store.open()
  return new Palimpsest({
    store: options.store,
    policy: typeof policy === 'function' ? custom(policy) : policy,
    types: BUILT_IN_TYPES,
    namespace: checkNamespace(namespace),
    zone,
    groupTurnMessages,
    clock: options.clock ?? Date.now,
    onError: options.onError ?? warnAboutError,
  })
}

const OPTIONS = ['store', 'policy', 'namespace', 'zone', 'groupTurnMessages', 'clock', 'onError']

/** What types would have caught, for those who do without. */
function checkOptions(options: PalimpsestOptions): void {
  const { store, policy } = options ?? {}
  if (typeof store?.append !== 'function')
    throw new InvalidArgumentError('store', store, "sqlite('./palimpsest.db') or postgres('postgres://…')")
  const isPolicy = typeof policy === 'function' || Array.isArray(policy?.rules)
  if (policy !== undefined && (!isPolicy || isPreset(policy)))
    throw new InvalidArgumentError(
      'policy',
      String(policy),
      'a preset such as rounds(), compose(…), or a function of yours',
    )
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError('options', unknown, OPTIONS.join(', '))
}

/** `policy: rounds` instead of `policy: rounds()`. */
function isPreset(policy: unknown): boolean {
  return [resize, count, rounds, window, tokens, custom, compose].includes(policy as never)
}

function checkArgumentId(field: string, value: unknown): string {
  if (isId(value)) return value
  throw new InvalidArgumentError(field, value, ID_RULE)
}

/** Part of every key as it is, so it must fit into an index. */
function checkNamespace(namespace: string): string {
  if (checkArgumentId('namespace', namespace).length <= 200) return namespace
  throw new InvalidArgumentError('namespace', namespace, 'at most 200 characters')
}

function warnAboutError(error: unknown, { sessionId }: { sessionId: string }): void {
  process.emitWarning(`Session ${JSON.stringify(sessionId)}: ${String(error)}`, 'PalimpsestWarning')
}

export class Palimpsest implements AsyncDisposable {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** A handle on one conversation. It costs nothing; the first append creates the session. */
  session(id: string = crypto.randomUUID(), options: SessionOptions = {}): Session {
    const { kind = 'private', user, scope } = options
    if (!['private', 'group', 'agent'].includes(kind))
      throw new InvalidArgumentError('kind', kind, 'private, group, agent')
    return new Session(this.#engine, this.#key(id), {
      kind,
      user: user === undefined ? null : checkArgumentId('user', user),
      scope: scope === undefined ? null : checkArgumentId('scope', scope),
    })
  }

  /** In the order of their ids, those after `after`. */
  async sessions(page: { after?: string; limit?: number } = {}): Promise<readonly SessionInfo[]> {
    const { store, namespace, clock } = this.#engine
    const { after, limit = 100 } = page
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw new InvalidArgumentError('limit', limit, 'a whole number of at least 0')
    const records = await store.listSessions(namespace, { limit, ...(after !== undefined && { after }) })
    const now = clock()
    return records.map(record => toSessionInfo(record, now))
  }

  /** Reads what `session.export()` gave, under its own id or another. */
  async import(
    json: unknown,
    options: { id?: string } = {},
  ): Promise<{ session: Session; warnings: readonly string[] }> {
    const { store, policy, groupTurnMessages, clock } = this.#engine
    const { file, warnings } = parseSessionFile(json)
    const key = this.#key(options.id ?? (file.id || crypto.randomUUID()))
    await store.importSession(key, file, { measure: measureMessage, groupTurnMessages, now: clock() })
    await store.judge(key, { policy, now: clock() })
    const { kind, user, scope } = file
    return { session: new Session(this.#engine, key, { kind, user, scope }), warnings }
  }

  async close(): Promise<void> {
    await this.#engine.store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #key(id: string): SessionKey {
    return { namespace: this.#engine.namespace, id: checkArgumentId('session', id) }
  }
}
