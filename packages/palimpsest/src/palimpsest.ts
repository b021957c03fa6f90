import { callListener } from './call-listener.ts'
import {
  DEFAULT_POLICY_TIMEOUT_MS,
  FOLD_CONCURRENCY,
  type FoldEngine,
  type FoldHandler,
  type FoldOutcome,
  FoldScheduler,
  handledTypes,
  ManualFolds,
  MEMO_INSTRUCTIONS,
  PolicyFailures,
  SpendGuard,
} from './compaction/index.ts'
import { Contexts } from './contexts.ts'
import type { ErasureProgress, ErasureReceipt, Erasures } from './erasure/index.ts'
import {
  ClosedError,
  checkPositive,
  describeError,
  InvalidArgumentError,
  MissingPeerError,
  tellableError,
} from './errors.ts'
import { DEFAULT_EVENT_RETENTION_DAYS, EventTrimmer, MAX_EVENT_RETENTION_DAYS } from './event-trimmer.ts'
import type { SearchAnswer, SearchOptions, SessionsOptions } from './finding/index.ts'
import { Indexer } from './finding/indexer.ts'
import { SEARCH_EVERYWHERE } from './finding/search-options.ts'
import { InTurn } from './in-turn.ts'
import { checkOptions, optionsOf } from './known-options.ts'
import { isLanguageSetting, LANGUAGE_RULE, type LanguageSetting } from './language/index.ts'
import {
  GROUP_TURN_MESSAGES,
  ID_RULE,
  isId,
  isZone,
  type MemoryToolName,
  type SessionKind,
} from './log/index.ts'
import { BUDGETS, layerBudgets } from './memory/budgets.ts'
import type { OwnerSharesIn } from './memory/engine.ts'
import type { ExtractionReport } from './memory/extraction/extract-session.ts'
import { ExtractionScheduler } from './memory/extraction/extraction-scheduler.ts'
import { Memories } from './memory/memories.ts'
import { type PossibleSession, possibleTools } from './memory/tools/offered.ts'
import type { SyncResult, Workspace } from './memory/workspace/index.ts'
import {
  type CustomJudge,
  compose,
  count,
  custom,
  MAX_VERBATIM_BELOW_TOKENS,
  type Policy,
  resize,
  rounds,
  tokens,
  window,
} from './policy/index.ts'
import { type Measures, type Redact, redactingStore, redactSecrets } from './redaction/index.ts'
import { renderedFile, renderedStore } from './rendered-segments.ts'
import { type Appended, type Engine, Session, type SessionInfo, toSessionInfo } from './session.ts'
import {
  type ErasureTarget,
  type LayerName,
  parseSessionFile,
  type ScopeLearnsFrom,
  type SessionKey,
  type SessionRecord,
  type SpendLimits,
  type Store,
  type WaitingEntry,
  type Warn,
  warnOnStderr,
} from './store/index.ts'
import { asSummarizer } from './summarizer/as-summarizer.ts'
import type { LanguageModelLike, Summarizer } from './summarizer/index.ts'
import { type Logger, quietLogger, type Tracer } from './telemetry.ts'
import { estimateTokensInSteps, measureMessage, measureMessageInSteps } from './tokens/index.ts'
import { ToldOnce } from './told-once.ts'

export interface PalimpsestOptions {
  readonly store: Store
  /** A preset, several of them composed, or a function of your own. The default: `tokens()`. */
  readonly policy?: Policy | CustomJudge
  /** A tenant: nothing is ever seen from another one. */
  readonly namespace?: string
  /** IANA zone in which times without an offset are taken. The default: UTC. */
  readonly zone?: string
  /**
   * In which language the engine writes what it writes itself into what a model reads: `auto` (the default) by what is
   * said in the session, or a language such as `zh` or `en`. In force with a session's next epoch; a session's own
   * setting (`session.configure({ language })`) comes first.
   */
  readonly language?: LanguageSetting
  /** In groups a turn is also complete after so many messages without a reply. The default: 12. */
  readonly groupTurnMessages?: number
  /**
   * Writes the summaries: a language model of the AI SDK, or a summariser. The default: the built-in extractive
   * one, which needs no model.
   */
  readonly summarizer?: Summarizer | LanguageModelLike
  /**
   * What has fewer tokens is kept word for word, without a call, until more has come; then it is summarised together.
   * The default: 150; 1: everything is summarised.
   */
  readonly verbatimBelowTokens?: number
  /** Handlers for types of decisions of your own, or in place of `lite` and `deep`. */
  readonly handlers?: Readonly<Record<string, FoldHandler>>
  /**
   * `background` (the default): this process folds what is due. `manual`: only `session.compact()` does. `queue`: the
   * store makes it a job, and workers carry it out; `worker`: this process is one of them (docs/scale-out.md).
   */
  readonly folding?: Folding
  /** `background` (the default): this process indexes what it appends. `off`: searching reads every message. */
  readonly indexing?: 'background' | 'off'
  /** How long a summariser may take. The default: 120,000. */
  readonly summarizerTimeoutMs?: number
  /**
   * How long a policy of your own may take; then the built-in rules decide without it. The default: 5,000. A loop that
   * never awaits cannot be interrupted by any limit.
   */
  readonly policyTimeoutMs?: number
  /** What may be spent on the summariser's model. Left out: any amount. */
  readonly spendGuard?: SpendGuardOptions
  /** How many sessions this process folds at a time. The default: 4. */
  readonly foldConcurrency?: number
  /** After how long without a sign of life another process may take over a fold. The default: 60,000. */
  readonly foldLeaseMs?: number
  /**
   * What the summariser is told about the memo, and what the memo has to look like: a Standard Schema (zod and
   * others), by which it is checked, or a JSON schema.
   */
  readonly memo?: { readonly instructions?: readonly string[]; readonly schema?: unknown }
  /** What becomes of memory documents. */
  readonly memory?: MemoryOptions
  /** A folder in which the memory documents are kept as files, to be read and edited. Left out: none. */
  readonly workspace?: string
  /**
   * Sees every text before it is stored and answers with what is stored instead. The default takes out keys,
   * tokens, passwords and card numbers; `false`: everything is stored as it came.
   */
  readonly redact?: Redact | false
  /**
   * The file with the list of what was erased, by which a restore of an older backup erases it again. The default: beside the
   * file of an SQLite database, its name with `.erased`; elsewhere none. `false`: none.
   */
  readonly erasedList?: string | false
  /**
   * For how many days events are kept, of all namespaces on the store, for those who read them (docs/events.md). `null`:
   * for ever, as far as this process is concerned. The default: 30; with `folding: 'manual'` null.
   */
  readonly eventRetentionDays?: number | null
  /** Hears how far each erasure is that this process carries out. */
  readonly onErasure?: (progress: ErasureProgress) => void
  /** Hears what each append of this process has stored. */
  readonly onAppend?: (appended: Appended, details: { readonly sessionId: string }) => void
  /** Hears how each fold of this process ended. */
  readonly onFold?: (outcome: FoldOutcome, details: { readonly sessionId: string }) => void
  /** Hears what each extraction into user or scope memory came to, and what it took. */
  readonly onExtraction?: (outcome: ExtractionReport, details: { readonly sessionId: string }) => void
  /** Hears of folds, of what is odd and of what went wrong: pino, or anything with its methods. */
  readonly logger?: Logger
  /** An OpenTelemetry tracer: spans around appends, contexts and folds. */
  readonly tracer?: Tracer
  /** Milliseconds since 1970; for tests. */
  readonly clock?: () => number
  /** Hears of what went wrong after a message was safely stored, such as a policy of your own that threw. */
  readonly onError?: (error: unknown, details: { readonly sessionId: string }) => void
}

const FOLDINGS = ['background', 'manual', 'queue', 'worker'] as const
type Folding = (typeof FOLDINGS)[number]

/**
 * In an hour of the clock, over all processes on the store, folds and memory together; each model has its own count. Once
 * it is reached, folds are made without the model and extractions wait. Left out, or 0: any amount.
 */
export interface SpendGuardOptions {
  /** Calls in the whole namespace. */
  readonly callsPerHour?: number | null
  /** Tokens in the whole namespace, of input and output. */
  readonly tokensPerHour?: number | null
  /** Calls in one session. */
  readonly sessionCallsPerHour?: number | null
  /** Tokens in one session. */
  readonly sessionTokensPerHour?: number | null
}

export interface MemoryOptions {
  /** Tokens of a document of each layer; over it, its oldest lines are condensed. */
  readonly budgets?: Partial<Readonly<Record<LayerName, number>>>
  /**
   * When user and scope memory are extracted from what was said: after each turn, or in batches. `off`: nothing is
   * learned by itself, from folds neither. The default: after each turn with the `rounds` policy, otherwise in
   * batches.
   */
  readonly extract?: 'turn' | 'batch' | 'off'
  /**
   * The user ids, one or several, in whose private chats the model may write what everybody sees (`write_memory`). Left
   * out: in none.
   */
  readonly owner?: string | readonly string[]
  /**
   * Where owners share what everybody sees: `private`, in their private chats alone (the default), or `groups`, in groups,
   * too, for answers to what an owner says there. What others have said in the group is before the model then as well.
   */
  readonly ownerSharesIn?: OwnerSharesIn
  /**
   * From which sessions the memory of a scope is learned: `shared`, from all that are no private chats (the default), or
   * `all`, from private chats, too: what a person says there is then shown in every session of the scope. A scope that
   * was declared personal learns from its owner's sessions either way.
   */
  readonly scopeLearnsFrom?: ScopeLearnsFrom
}

/** What can change while it runs. */
export type Configuration = Pick<
  PalimpsestOptions,
  | 'policy'
  | 'zone'
  | 'language'
  | 'groupTurnMessages'
  | 'summarizer'
  | 'verbatimBelowTokens'
  | 'summarizerTimeoutMs'
  | 'policyTimeoutMs'
  | 'spendGuard'
  | 'memo'
  | 'memory'
  | 'redact'
>

/**
 * What a session is. A new one is made so; one that is there has to be the same, or each call is a
 * `SessionMismatchError`. What is left out is no difference.
 */
export interface SessionOptions {
  /** Of a new one: private. */
  readonly kind?: SessionKind
  /** Whose chat it is; for private chats. */
  readonly user?: string
  /** A workspace or project that several sessions share. */
  readonly scope?: string
}

/** Which sessions are listed. */
export interface SessionPage {
  /** In the order of ids: those after this one. */
  readonly after?: string
  /** The default: 100. */
  readonly limit?: number
  /** Those whose id contains it, whatever the case of letters of ASCII. */
  readonly contains?: string
  /**
   * `recent`: those in which something happened last, the newest first, as far as the newest few thousand events tell;
   * then others, in the order of their ids. The default: of their ids.
   */
  readonly order?: 'id' | 'recent'
}

interface WaitingPage {
  readonly after?: number
  readonly limit?: number
}

interface ImportOptions {
  readonly id?: string
}

interface ErasedOptions {
  readonly signal?: AbortSignal
}

interface SettledOptions {
  readonly timeoutMs?: number
}

interface CloseOptions {
  readonly folds?: 'finish' | 'abandon'
}

/** Before there is anything that works by itself. */
type BareEngine = Omit<Engine, 'scheduler' | 'contexts' | 'extractions' | 'indexer' | 'noteOutcome'>

/** Opens the store and puts everything together. */
export async function createPalimpsest(options: PalimpsestOptions): Promise<Palimpsest> {
  checkAll(options)
  const { policy = tokens(), namespace = 'default', zone = 'UTC', language = 'auto' } = options
  const groupTurnMessages = options.groupTurnMessages ?? GROUP_TURN_MESSAGES
  checkConfiguration({ ...options, zone, groupTurnMessages })
  const { handlers = {}, clock = Date.now, onFold, folding = 'background' } = options
  const logger = options.logger && quietLogger(options.logger)
  const tellError = options.onError ?? (logger ? logsError(logger) : warnAboutError)
  const onError: NonNullable<PalimpsestOptions['onError']> = (error, details) =>
    callListener(() => tellError(error, details))
  const policyFailures = new PolicyFailures((error, key) => onError(error, { sessionId: key.id }))
  const redaction = { hook: hookOf(options.redact) }
  const store = renderedStore(redactingStore(options.store, redaction, MEASURES))
  const folds: FoldEngine = {
    store,
    namespace: checkNamespace(namespace),
    policy: keepingVerbatim(policy, options.verbatimBelowTokens),
    summarizer: options.summarizer === undefined ? extractiveWhenNeeded : asSummarizer(options.summarizer),
    spendGuard: spendGuardOf(options.spendGuard, { store, clock }),
    memo: { ...options.memo, instructions: options.memo?.instructions ?? MEMO_INSTRUCTIONS },
    handlers,
    zone,
    clock,
    owner: crypto.randomUUID(),
    tracer: options.tracer ?? null,
    summarizerTimeoutMs: options.summarizerTimeoutMs ?? 120_000,
    onPolicyFailure: (error, key) => policyFailures.note(error, key),
    ...(options.foldLeaseMs !== undefined && { leaseMs: options.foldLeaseMs }),
  }
  let workspace: Workspace | null = null
  const engine: BareEngine = {
    ...folds,
    language,
    recall: async (key, query, wanted) => {
      const { recallMessages } = await import('./finding/recall-messages.ts')
      return recallMessages(engine, key, query, wanted)
    },
    ...memorySettings(options.memory, folds.policy, () => engine),
    noteChange: () => workspace?.noteChange(),
    manualFolds: new ManualFolds(),
    writes: new InTurn(),
    types: handledTypes(handlers),
    groupTurnMessages,
    onAppend: options.onAppend,
    onExtraction: (report, details) => {
      if (logger) logExtraction(logger, report, details.sessionId)
      callListener(
        () => options.onExtraction?.(report, details),
        error => onError(error, details),
      )
    },
    onError,
    policyTimeoutMs: options.policyTimeoutMs ?? DEFAULT_POLICY_TIMEOUT_MS,
    policyFailures,
  }
  const missingPeers = new ToldOnce()
  const noteOutcome = (outcome: FoldOutcome, key: SessionKey) => {
    if (outcome.outcome === 'applied') {
      engine.noteChange()
      policyFailures.foldEnded(key)
    }
    // No later try will help, and nobody would ever know.
    if (outcome.reason === 'missing_peer' && missingPeers.note(key.id, outcome.reason))
      onError(new MissingPeerError('ai', 'A language model as the summariser', null), { sessionId: key.id })
    if (logger) logFold(logger, outcome, key.id)
    callListener(() => onFold?.(outcome, { sessionId: key.id }))
  }
  const scheduler = new FoldScheduler(engine, {
    concurrency: options.foldConcurrency ?? FOLD_CONCURRENCY,
    takesUp: folding === 'queue' || folding === 'worker' ? 'none' : 'all',
    onOutcome: noteOutcome,
    onError: (error, key) => onError(error, { sessionId: key?.id ?? '' }),
  })
  await options.store.open()
  if (options.workspace !== undefined)
    workspace = await openWorkspace(engine, { folder: options.workspace, logger })
  const extractions = new ExtractionScheduler(engine)
  const indexer = options.indexing === 'off' ? null : new Indexer(engine)
  // Whoever leaves folds to workers leaves them all that asks a model.
  const learns = folding !== 'manual' && folding !== 'queue'
  if (folding !== 'manual') scheduler.start()
  if (learns) extractions.start()
  if (folding !== 'manual') indexer?.start()
  const usualRetention = folding === 'manual' ? null : DEFAULT_EVENT_RETENTION_DAYS
  const { eventRetentionDays: retentionDays = usualRetention } = options
  const trimmer =
    retentionDays === null
      ? null
      : new EventTrimmer({ store, retentionDays, clock, onError: error => onError(error, { sessionId: '' }) })
  trimmer?.start()
  // One object for all, so that `configure` reaches everyone.
  const contexts = new Contexts(engine)
  const palimpsest = new Palimpsest(
    Object.assign(engine, {
      logger,
      redaction,
      erasedList:
        options.erasedList === false ? null : (options.erasedList ?? options.store.erasedList ?? null),
      onErasure: options.onErasure,
      prefixOf: contexts.prefixOf.bind(contexts),
      scheduler: folding === 'manual' ? null : scheduler,
      extractions: learns ? extractions : null,
      noteOutcome,
      contexts,
      indexer,
      trimmer,
    }),
    workspace,
    options.memory ?? {},
  )
  if (folding !== 'manual') palimpsest.resumeErasures()
  return palimpsest
}

function keepingVerbatim(policy: Policy | CustomJudge, belowTokens: number | undefined): Policy {
  const whole = typeof policy === 'function' ? custom(policy) : policy
  return belowTokens === undefined ? whole : { ...whole, verbatimBelowTokens: belowTokens }
}

/** Most programs have none, and need not load what it takes. */
async function openWorkspace(
  { store, namespace, clock, owner, onError }: BareEngine,
  { folder, logger }: { folder: string; logger: Logger | undefined },
): Promise<Workspace> {
  const { Workspace } = await import('./memory/workspace/index.ts')
  const warn: Warn = logger ? (message, details) => logger.warn({ ...details }, message) : warnOnStderr
  const workspace = new Workspace({
    store,
    namespace,
    folder,
    clock,
    owner,
    warn,
    onError: error => onError(error, { sessionId: '' }),
  })
  await workspace.start()
  return workspace
}

/** A batch is about what one fold takes. A quarter of it is read after ten minutes of silence, less after a night. */
const BATCH = { batchMessages: 40, idleMs: 600_000, longIdleMs: 12 * 3_600_000 }

function memorySettings(
  { budgets, extract, owner, ownerSharesIn = 'private', scopeLearnsFrom = 'shared' }: MemoryOptions = {},
  policy: Policy,
  engine: () => Pick<Engine, 'store' | 'namespace' | 'zone' | 'language' | 'clock' | 'layerBudgets'>,
): Pick<Engine, 'layerBudgets' | 'memoryOwners' | 'ownerSharesIn' | 'extraction' | 'rememberFold'> {
  if (extract !== undefined && !['turn', 'batch', 'off'].includes(extract))
    throw new InvalidArgumentError('memory.extract', extract, 'turn, batch, off')
  if (!['shared', 'all'].includes(scopeLearnsFrom))
    throw new InvalidArgumentError('memory.scopeLearnsFrom', scopeLearnsFrom, 'shared, all')
  if (!['private', 'groups'].includes(ownerSharesIn))
    throw new InvalidArgumentError('memory.ownerSharesIn', ownerSharesIn, 'private, groups')
  const isByTurns = policy.rules.some(({ reason }) => reason === 'rounds')
  const when = extract ?? (isByTurns ? 'turn' : 'batch')
  const rememberFold: Engine['rememberFold'] = async fold => {
    const { rememberFold } = await import('./memory/remember-fold.ts')
    return rememberFold(engine(), fold)
  }
  return {
    layerBudgets: layerBudgets(budgets),
    memoryOwners: ownersOf(owner),
    ownerSharesIn,
    extraction: { when, scopeLearnsFrom, ...BATCH },
    rememberFold: when === 'off' ? null : rememberFold,
  }
}

function ownersOf(owner: MemoryOptions['owner']): ReadonlySet<string> {
  const owners: readonly string[] = owner === undefined ? [] : typeof owner === 'string' ? [owner] : owner
  if (!Array.isArray(owners))
    throw new InvalidArgumentError('memory.owner', owner, 'a user id, or a list of them')
  return new Set(owners.map(id => checkArgumentId('memory.owner', id)))
}

const MEASURES: Measures = { message: measureMessageInSteps, text: estimateTokensInSteps }

function hookOf(redact: PalimpsestOptions['redact']): Redact {
  return redact === false ? text => text : (redact ?? redactSecrets)
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

const OPTIONS = optionsOf<PalimpsestOptions>({
  store: true,
  policy: true,
  namespace: true,
  zone: true,
  language: true,
  groupTurnMessages: true,
  summarizer: true,
  verbatimBelowTokens: true,
  handlers: true,
  folding: true,
  indexing: true,
  summarizerTimeoutMs: true,
  policyTimeoutMs: true,
  spendGuard: true,
  foldConcurrency: true,
  foldLeaseMs: true,
  memo: true,
  memory: true,
  workspace: true,
  redact: true,
  erasedList: true,
  eventRetentionDays: true,
  onErasure: true,
  onAppend: true,
  onFold: true,
  onExtraction: true,
  logger: true,
  tracer: true,
  clock: true,
  onError: true,
})
const CONFIGURATION = optionsOf<Configuration>({
  policy: true,
  zone: true,
  language: true,
  groupTurnMessages: true,
  summarizer: true,
  verbatimBelowTokens: true,
  summarizerTimeoutMs: true,
  policyTimeoutMs: true,
  spendGuard: true,
  memo: true,
  memory: true,
  redact: true,
})
const MEMO = optionsOf<NonNullable<PalimpsestOptions['memo']>>({ instructions: true, schema: true })
const MEMORY = optionsOf<MemoryOptions>({
  budgets: true,
  extract: true,
  owner: true,
  ownerSharesIn: true,
  scopeLearnsFrom: true,
})
const SESSION = optionsOf<SessionOptions>({ kind: true, user: true, scope: true })
const SESSIONS = optionsOf<SessionPage>({ after: true, limit: true, contains: true, order: true })
const WAITING = optionsOf<WaitingPage>({ after: true, limit: true })
const IMPORT = optionsOf<ImportOptions>({ id: true })
const ERASED = optionsOf<ErasedOptions>({ signal: true })
const SETTLED = optionsOf<SettledOptions>({ timeoutMs: true })
const CLOSE = optionsOf<CloseOptions>({ folds: true })

/** As far as a timer of Node's reaches. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** What types would have caught, for those who do without. */
function checkAll(options: PalimpsestOptions): void {
  const { store } = options ?? {}
  if (typeof store?.log?.append !== 'function')
    throw new InvalidArgumentError('store', store, "sqlite('./palimpsest.db') or postgres('postgres://…')")
  checkOptions('createPalimpsest', options, OPTIONS)
  const { foldConcurrency, memo, folding, erasedList = false } = options
  if (erasedList !== false && (typeof erasedList !== 'string' || erasedList.trim() === ''))
    throw new InvalidArgumentError('erasedList', erasedList, 'the name of a file, or false')
  if (folding !== undefined && !FOLDINGS.includes(folding))
    throw new InvalidArgumentError('folding', folding, FOLDINGS.join(', '))
  if (foldConcurrency !== undefined && (!Number.isSafeInteger(foldConcurrency) || foldConcurrency < 1))
    throw new InvalidArgumentError('foldConcurrency', foldConcurrency, 'a whole number of at least 1')
  if (options.foldLeaseMs !== undefined) checkPositive('foldLeaseMs', options.foldLeaseMs)
  const { eventRetentionDays = null } = options
  if (eventRetentionDays !== null && !isRetention(eventRetentionDays))
    throw new InvalidArgumentError(
      'eventRetentionDays',
      eventRetentionDays,
      `a whole number from 1 to ${MAX_EVENT_RETENTION_DAYS}, or null for ever`,
    )
  const { instructions = [] } = memo ?? {}
  if (!Array.isArray(instructions) || instructions.some(line => typeof line !== 'string'))
    throw new InvalidArgumentError('memo.instructions', instructions, 'a list of texts')
}

function isRetention(days: number): boolean {
  return Number.isSafeInteger(days) && days >= 1 && days <= MAX_EVENT_RETENTION_DAYS
}

function checkConfiguration(configuration: Configuration): void {
  const { policy, zone, language, groupTurnMessages, redact, spendGuard, memo, memory } = configuration
  if (spendGuard !== undefined) checkSpendGuard(spendGuard)
  checkOptions('memo', memo, MEMO)
  checkOptions('memory', memory, MEMORY)
  checkOptions('memory.budgets', memory?.budgets, BUDGETS)
  if (redact !== undefined && redact !== false && typeof redact !== 'function')
    throw new InvalidArgumentError('redact', redact, 'a function that gives back text, or false')
  const isPolicy = typeof policy === 'function' || Array.isArray(policy?.rules)
  if (policy !== undefined && (!isPolicy || isPreset(policy)))
    throw new InvalidArgumentError(
      'policy',
      String(policy),
      'a preset such as rounds(), compose(…), or a function of yours',
    )
  if (zone !== undefined && !isZone(zone))
    throw new InvalidArgumentError('zone', zone, 'an IANA time zone such as "Asia/Shanghai"')
  if (language !== undefined && !isLanguageSetting(language))
    throw new InvalidArgumentError('language', language, LANGUAGE_RULE)
  if (groupTurnMessages !== undefined && (!Number.isSafeInteger(groupTurnMessages) || groupTurnMessages < 1))
    throw new InvalidArgumentError('groupTurnMessages', groupTurnMessages, 'a whole number of at least 1')
  const below = configuration.verbatimBelowTokens
  if (below !== undefined && (!Number.isSafeInteger(below) || below < 1 || below > MAX_VERBATIM_BELOW_TOKENS))
    throw new InvalidArgumentError(
      'verbatimBelowTokens',
      below,
      `a whole number from 1 to ${MAX_VERBATIM_BELOW_TOKENS}`,
    )
  for (const name of ['summarizerTimeoutMs', 'policyTimeoutMs'] as const) {
    const timeout = configuration[name]
    const isAllowed = Number.isSafeInteger(timeout) && timeout! >= 1 && timeout! <= MAX_TIMER_MS
    if (timeout !== undefined && !isAllowed)
      throw new InvalidArgumentError(name, timeout, `a whole number from 1 to ${MAX_TIMER_MS}`)
  }
}

const SPEND_LIMITS = {
  callsPerHour: 'calls',
  tokensPerHour: 'tokens',
  sessionCallsPerHour: 'sessionCalls',
  sessionTokensPerHour: 'sessionTokens',
} as const satisfies Record<keyof SpendGuardOptions, keyof SpendLimits>

const SPENDING = optionsOf<SpendGuardOptions>({
  callsPerHour: true,
  tokensPerHour: true,
  sessionCallsPerHour: true,
  sessionTokensPerHour: true,
})

function checkSpendGuard(given: SpendGuardOptions): void {
  checkOptions('spendGuard', given ?? undefined, SPENDING)
  for (const [name, limit] of Object.entries(given ?? {})) {
    if (limit != null && (!Number.isSafeInteger(limit) || limit < 0))
      throw new InvalidArgumentError(`spendGuard.${name}`, limit, 'a whole number, or 0 or null for off')
  }
}

/** `null`: nothing is limited, and nothing is counted. */
function spendGuardOf(
  given: SpendGuardOptions = {},
  { store, clock }: Pick<Engine, 'store' | 'clock'>,
): SpendGuard | null {
  const limits = Object.fromEntries(
    Object.entries(SPEND_LIMITS).map(([name, limit]) => [
      limit,
      given[name as keyof SpendGuardOptions] || null,
    ]),
  ) as Record<keyof SpendLimits, number | null>
  if (Object.values(limits).every(limit => limit === null)) return null
  return new SpendGuard({ store, clock, limits })
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

function logsError(logger: Logger): NonNullable<PalimpsestOptions['onError']> {
  return (error, { sessionId }) =>
    logger.error({ err: tellableError(error), sessionId }, 'palimpsest: an error in the background')
}

/** Numbers and names; nothing of what was said. */
function logFold(logger: Logger, outcome: FoldOutcome, sessionId: string): void {
  if (outcome.outcome === 'skipped') logger.debug({ sessionId, ...outcome }, 'palimpsest: fold skipped')
  else if (outcome.outcome === 'failed') logger.warn({ sessionId, ...outcome }, 'palimpsest: fold failed')
  else if (outcome.spendGuard)
    logger.warn({ sessionId, ...outcome }, 'palimpsest: fold applied without the model: the spend guard')
  else logger.info({ sessionId, ...outcome }, 'palimpsest: fold applied')
}

/** Only those that wait: the others are told to whoever listens. */
function logExtraction(logger: Logger, report: ExtractionReport, sessionId: string): void {
  if (report.spendGuard)
    logger.warn({ sessionId, ...report }, 'palimpsest: extraction waits: the spend guard')
}

function warnAboutError(error: unknown, { sessionId }: { sessionId: string }): void {
  const about = sessionId === '' ? '' : `Session ${JSON.stringify(sessionId)}: `
  process.emitWarning(`${about}${describeError(error)}`, 'PalimpsestWarning')
}

type PalimpsestEngine = Engine & {
  readonly logger: Logger | undefined
  readonly redaction: { hook: Redact }
  readonly erasedList: string | null
  readonly trimmer: EventTrimmer | null
  readonly onErasure: PalimpsestOptions['onErasure'] | undefined
}

export class Palimpsest implements AsyncDisposable {
  readonly #engine: PalimpsestEngine
  readonly #workspace: Workspace | null
  #memoryOptions: MemoryOptions
  #erasures: Promise<Erasures> | null = null

  constructor(engine: PalimpsestEngine, workspace: Workspace | null, memory: MemoryOptions) {
    this.#engine = engine
    this.#workspace = workspace
    this.#memoryOptions = memory
  }

  /** The memory documents: who the bot is, what is true, whom it talks to, what belongs to a chat. */
  get memory(): Memories {
    return new Memories(this.#engine)
  }

  /** In whose private chats the model may write what everybody sees, as configured now. */
  get memoryOwners(): readonly string[] {
    return [...this.#engine.memoryOwners]
  }

  /**
   * The names of the memory tools that a session like this can have, whether it is there or not; `session.memoryTools()`
   * says which it has. What is left out may be any; `user: null`: it has none.
   */
  possibleMemoryTools(session: PossibleSession = {}): readonly MemoryToolName[] {
    return possibleTools(session, this.#engine)
  }

  /** In which language the engine writes, as configured now; sessions may have settings of their own. */
  get languageSetting(): LanguageSetting {
    return this.#engine.language
  }

  /** Brings files and documents into line now; `null`: there is no workspace. */
  async syncWorkspace(): Promise<SyncResult | null> {
    return (await this.#workspace?.sync()) ?? null
  }

  /** A handle on one conversation. It costs nothing; the first append creates the session. */
  session(id: string = crypto.randomUUID(), options: SessionOptions = {}): Session {
    checkOptions('session', options, SESSION)
    const { kind, user, scope } = options
    if (kind !== undefined && !['private', 'group', 'agent'].includes(kind))
      throw new InvalidArgumentError('kind', kind, 'private, group, agent')
    return new Session(this.#engine, this.#key(id), {
      kind: kind ?? null,
      user: user === undefined ? null : checkArgumentId('user', user),
      scope: scope === undefined ? null : checkArgumentId('scope', scope),
    })
  }

  /** In force from the next call and the next fold on, in this process; what is left out stays as it is. */
  configure(changes: Configuration): void {
    checkOptions('configure', changes, CONFIGURATION)
    checkConfiguration(changes)
    const {
      policy: given,
      verbatimBelowTokens,
      summarizer,
      memo,
      memory,
      redact,
      spendGuard,
      ...rest
    } = changes
    const { policy: usual } = this.#engine
    if (redact !== undefined) this.#engine.redaction.hook = hookOf(redact)
    const own = typeof given === 'function' ? undefined : given?.verbatimBelowTokens
    const policy = keepingVerbatim(given ?? usual, verbatimBelowTokens ?? own ?? usual.verbatimBelowTokens)
    const memoryOptions = memory ?? this.#memoryOptions
    const settings = memorySettings(memoryOptions, policy, () => this.#engine)
    this.#memoryOptions = memoryOptions
    Object.assign(
      this.#engine,
      rest,
      { policy },
      settings,
      summarizer !== undefined && { summarizer: asSummarizer(summarizer) },
      spendGuard !== undefined && { spendGuard: spendGuardOf(spendGuard, this.#engine) },
      memo !== undefined && { memo: { instructions: MEMO_INSTRUCTIONS, ...memo } },
    )
  }

  /**
   * Finds messages in all sessions of this namespace, or in those that you name: by their ids, by the user or by
   * the scope that they belong to. Who may see what is for you to say.
   */
  async search(query: string, options: SearchOptions & SessionsOptions = {}): Promise<SearchAnswer> {
    checkOptions('search', options, SEARCH_EVERYWHERE)
    const { searchMessages } = await import('./finding/search-messages.ts')
    return searchMessages(this.#engine, query, options)
  }

  /**
   * Erases messages, a session, a person or the whole namespace for good, wherever something of it is kept: log,
   * versions, segments, memos, index, documents, files, forks. Resolves when nothing of it can be seen any more;
   * the receipt says what is still pending, and that goes on by itself, also after a restart.
   */
  async forget(target: ErasureTarget): Promise<ErasureReceipt> {
    return this.#engine.writes.after(async () => (await this.#loadErasures()).forget(target))
  }

  /** How far an erasure is, by the id of its receipt; `null`: there is none. */
  async erasure(id: number): Promise<ErasureReceipt | null> {
    return (await this.#loadErasures()).receipt(id)
  }

  /**
   * Waits until all of it is done, down to the bytes; until an operator has to do what is left (a place of the receipt has
   * a `statement`); or until the signal. The receipt says what is pending.
   */
  async erased(id: number, options: ErasedOptions = {}): Promise<ErasureReceipt> {
    checkOptions('erased', options, ERASED)
    return (await this.#loadErasures()).finished(id, options)
  }

  /** Takes up what an earlier process has not finished, if there is anything. */
  resumeErasures(): void {
    const { store, namespace, onError } = this.#engine
    const resume = async () => {
      const open = await store.erasure.listOpenErasures(namespace)
      const withheld =
        open.length > 0 ? [] : await store.rebuilds.listWithheld(namespace, { left: 'extract', limit: 1 })
      if (open.length + withheld.length > 0) (await this.#loadErasures()).start()
    }
    resume().catch(error => {
      if (!(error instanceof ClosedError)) onError(error, { sessionId: '' })
    })
  }

  /** Loaded when there is something to erase. */
  #loadErasures(): Promise<Erasures> {
    this.#erasures ??= import('./erasure/index.ts').then(
      ({ Erasures }) => new Erasures(this.#engine, this.#workspace),
    )
    return this.#erasures
  }

  async sessions(page: SessionPage = {}): Promise<readonly SessionInfo[]> {
    checkOptions('sessions', page, SESSIONS)
    const { store, namespace, clock } = this.#engine
    const { after, limit = 100, contains, order = 'id' } = page
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw new InvalidArgumentError('limit', limit, 'a whole number of at least 0')
    if (order !== 'id' && order !== 'recent') throw new InvalidArgumentError('order', order, 'id, recent')
    if (order === 'recent' && after !== undefined)
      throw new InvalidArgumentError('after', after, 'only in the order of ids')
    if (contains && !isId(contains)) throw new InvalidArgumentError('contains', contains, ID_RULE)
    const wanted = { limit, ...(contains && { contains }) }
    const records =
      order === 'recent'
        ? await this.#recentFirst(wanted)
        : await store.sessions.listSessions(namespace, { ...wanted, ...(after !== undefined && { after }) })
    const now = clock()
    return records.map(record => toSessionInfo(record, now))
  }

  /** Where others have been busy, those that were quiet meanwhile are not lost: they follow. */
  async #recentFirst(wanted: { limit: number; contains?: string }): Promise<readonly SessionRecord[]> {
    const { store, namespace } = this.#engine
    const recent = await store.sessions.listRecentSessions(namespace, wanted)
    if (recent.length >= wanted.limit) return recent
    const known = new Set(recent.map(({ id }) => id))
    const others = await store.sessions.listSessions(namespace, wanted)
    return [...recent, ...others.filter(({ id }) => !known.has(id))].slice(0, wanted.limit)
  }

  /** What waits for an answer or for its delivery, over all sessions, in the order in which it came. */
  async waiting(page: WaitingPage = {}): Promise<readonly WaitingEntry[]> {
    checkOptions('waiting', page, WAITING)
    const { store, namespace } = this.#engine
    return store.inbox.readWaiting(namespace, { limit: 100, ...page })
  }

  /** The id of the session that is reached under this name: an alias that it was given, or else the name itself. */
  async aliased(name: string): Promise<string> {
    const { store, namespace } = this.#engine
    return (await store.inbox.readAlias({ namespace, id: name })) ?? name
  }

  /** Reads what `session.export()` gave, under its own id or another. */
  async import(
    json: unknown,
    options: ImportOptions = {},
  ): Promise<{ session: Session; warnings: readonly string[] }> {
    checkOptions('import', options, IMPORT)
    const { store, policy, groupTurnMessages, clock } = this.#engine
    const { file, warnings } = parseSessionFile(json, this.#engine.clock())
    const key = this.#key(options.id ?? (file.id || crypto.randomUUID()))
    await store.transfer.importSession(key, renderedFile(file), {
      measure: measureMessage,
      groupTurnMessages,
      now: clock(),
    })
    this.#engine.indexer?.note(key)
    const verdict = await store.schedule.judge(key, { policy, now: clock() })
    if (verdict?.decision) this.#engine.scheduler?.trigger(key)
    const { kind, user, scope } = file
    return { session: new Session(this.#engine, key, { kind, user, scope }), warnings }
  }

  /**
   * For a worker: folds a session until its policy has no more to say, and gives how the last fold ended, or the failure
   * whose back-off is not over; `null`: there was nothing to do.
   */
  async foldThrough(id: string, options: { readonly signal: AbortSignal }): Promise<FoldOutcome | null> {
    checkOptions('foldThrough', options, ERASED)
    const { signal } = options
    const { foldThrough } = await import('./compaction/fold-through.ts')
    const key = this.#key(id)
    const { noteOutcome } = this.#engine
    return foldThrough(this.#engine, key, { signal, onOutcome: outcome => noteOutcome(outcome, key) })
  }

  /** For a worker: ends the job of a session, unless something has come that is still to be done: `false`. */
  async endFoldJob(
    id: string,
    claim: { readonly id: string; readonly retryCount: number },
  ): Promise<boolean> {
    const { store, policy, clock } = this.#engine
    return store.jobs.endFoldJob(this.#key(id), { policy, now: clock(), claim })
  }

  /** Resolves when nothing waits to be folded, extracted or indexed: `true`; or when the time is over: `false`. */
  async settled(options: SettledOptions = {}): Promise<boolean> {
    checkOptions('settled', options, SETTLED)
    const { scheduler, contexts, extractions, indexer } = this.#engine
    const { timeoutMs = 30_000 } = options
    const { promise: timeOver, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(() => resolve(false), timeoutMs)
    try {
      if ((await scheduler?.settled(timeoutMs)) === false) return false
      const rest = Promise.all([contexts.settled(), extractions?.settled(), indexer?.settled()])
      return await Promise.race([timeOver, rest.then(() => true as const)])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The first step of closing: whoever waits for `session.compact()` is answered, and no further one is taken. */
  async abortManualFolds(): Promise<void> {
    await this.#engine.manualFolds.close()
  }

  /** Folds under way are abandoned, or finished if you say so. Either way nothing is lost: they stay pending. */
  async close(options: CloseOptions = {}): Promise<void> {
    checkOptions('close', options, CLOSE)
    await this.abortManualFolds()
    await this.#engine.writes.after(async () => {})
    await (await this.#erasures)?.close()
    const { scheduler, contexts, extractions, indexer, trimmer, store } = this.#engine
    await Promise.all([
      contexts.settled(),
      scheduler?.close(options.folds ?? 'abandon'),
      extractions?.close(),
      indexer?.close(),
      trimmer?.close(),
    ])
    await this.#workspace?.close()
    await store.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #key(id: string): SessionKey {
    return { namespace: this.#engine.namespace, id: checkArgumentId('session', id) }
  }
}
