import {
  type FoldEngine,
  type FoldHandler,
  type FoldOutcome,
  FoldScheduler,
  handledTypes,
  ManualFolds,
} from './compaction/index.ts'
import { InvalidArgumentError } from './errors.ts'
import { GROUP_TURN_MESSAGES, ID_RULE, isId, isZone, type SessionKind } from './log/index.ts'
import {
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
import type { Summarizer } from './summarizer/index.ts'
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
  /** Writes the summaries. The default: the built-in extractive one, which needs no model. */
  readonly summarizer?: Summarizer
  /** Handlers for types of decisions of your own, or in place of `lite` and `deep`. */
  readonly handlers?: Readonly<Record<string, FoldHandler>>
  /** `background` (the default): this process folds what is due. `manual`: only `session.compact()` does. */
  readonly folding?: 'background' | 'manual'
  /** How long a summariser may take. The default: 120,000. */
  readonly summarizerTimeoutMs?: number
  /** Hears how each fold of this process ended. */
  readonly onFold?: (outcome: FoldOutcome, details: { readonly sessionId: string }) => void
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
  const { handlers = {}, clock = Date.now, onError = warnAboutError, onFold } = options
  const folds: FoldEngine = {
    store: options.store,
    namespace: checkNamespace(namespace),
    policy: typeof policy === 'function' ? custom(policy) : policy,
    summarizer: options.summarizer ?? extractiveWhenNeeded,
    handlers,
    zone,
    clock,
    owner: crypto.randomUUID(),
    summarizerTimeoutMs: options.summarizerTimeoutMs ?? 120_000,
  }
  const scheduler = new FoldScheduler(folds, {
    ...(onFold && { onOutcome: (outcome, key) => onFold(outcome, { sessionId: key.id }) }),
    onError: (error, key) => onError(error, { sessionId: key?.id ?? '' }),
  })
  const engine: Engine = {
    ...folds,
    scheduler: options.folding === 'manual' ? null : scheduler,
    manualFolds: new ManualFolds(),
    types: handledTypes(handlers),
    groupTurnMessages,
    onError,
  }
  await options.store.open()
  engine.scheduler?.start()
  return new Palimpsest(engine)
}

/** Loaded with the first fold. */
const extractiveWhenNeeded: Summarizer = {
  name: 'extractive',
  version: '1',
  summarize: async request => {
    const { extractive } = await import('./summarizer/index.ts')
    return extractive().summarize(request)
  },
}

const OPTIONS = [
  'store',
  'policy',
  'namespace',
  'zone',
  'groupTurnMessages',
  'summarizer',
  'handlers',
  'folding',
  'summarizerTimeoutMs',
  'onFold',
  'clock',
  'onError',
]

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
    const verdict = await store.judge(key, { policy, now: clock() })
    if (verdict?.decision) this.#engine.scheduler?.trigger(key)
    const { kind, user, scope } = file
    return { session: new Session(this.#engine, key, { kind, user, scope }), warnings }
  }

  /** Resolves when nothing waits to be folded: `true`; or when the time is over: `false`. */
  async settled(options: { timeoutMs?: number } = {}): Promise<boolean> {
    return (await this.#engine.scheduler?.settled(options.timeoutMs ?? 30_000)) ?? true
  }

  /** Folds under way are abandoned, or finished if you say so. Either way nothing is lost: they stay pending. */
  async close(options: { folds?: 'finish' | 'abandon' } = {}): Promise<void> {
    await this.#engine.manualFolds.close()
    await this.#engine.scheduler?.close(options.folds ?? 'abandon')
    await this.#engine.store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #key(id: string): SessionKey {
    return { namespace: this.#engine.namespace, id: checkArgumentId('session', id) }
  }
}
