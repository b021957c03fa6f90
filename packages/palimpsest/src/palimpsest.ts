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
  checkStore,
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
  /** A preset, several composed presets, or a function of your own. Default: `tokens()`. */
  readonly policy?: Policy | CustomJudge
  /** A tenant. It never sees anything of another tenant. */
  readonly namespace?: string
  /** The IANA zone for times without an offset. Default: UTC. */
  readonly zone?: string
  /**
   * The language of the text that the engine itself writes into what a model reads. `auto` (the default): the
   * language of the session. Or a language such as `zh` or `en`. It is in force from a session's next epoch
   * on. A session's own setting (`session.configure({ language })`) comes first.
   */
  readonly language?: LanguageSetting
  /** In a group, a turn is also complete after this many messages without a reply. Default: 12. */
  readonly groupTurnMessages?: number
  /**
   * Writes the summaries: a language model of the AI SDK, or a summariser. Default: the built-in extractive
   * one, which needs no model.
   */
  readonly summarizer?: Summarizer | LanguageModelLike
  /**
   * A shorter source, in tokens, is kept word for word and without a call, until more has come. Then it is
   * summarised together with that. Default: 150. With 1, everything is summarised.
   */
  readonly verbatimBelowTokens?: number
  /** Handlers for your own types of decisions, or in place of `lite` and `deep`. */
  readonly handlers?: Readonly<Record<string, FoldHandler>>
  /**
   * `background` (the default): this process folds what is due. `manual`: only `session.compact()` folds.
   * `queue`: the store makes a job of each fold, and workers carry it out. `worker`: this process is one of
   * the workers (docs/scale-out.md).
   */
  readonly folding?: Folding
  /**
   * `background` (the default): this process indexes what it appends. `off`: a search reads every message.
   */
  readonly indexing?: 'background' | 'off'
  /** The time limit of a summariser. Default: 120,000. */
  readonly summarizerTimeoutMs?: number
  /**
   * The time limit of your own policy. After that, the built-in rules decide without it. Default: 5,000. No
   * limit can interrupt a loop that never awaits.
   */
  readonly policyTimeoutMs?: number
  /** What the summariser's model may cost. Left out: no limit. */
  readonly spendGuard?: SpendGuardOptions
  /** How many sessions this process folds at a time. Default: 4. */
  readonly foldConcurrency?: number
  /** After this time without a sign of life, another process may take over a fold. Default: 60,000. */
  readonly foldLeaseMs?: number
  /**
   * What the summariser is told about the memo, and the form that the memo must have: a Standard Schema (zod
   * and others), which checks the memo, or a JSON schema.
   */
  readonly memo?: { readonly instructions?: readonly string[]; readonly schema?: unknown }
  /** Settings of memory documents. */
  readonly memory?: MemoryOptions
  /** A folder that holds the memory documents as files, to read and to edit. Left out: no folder. */
  readonly workspace?: string
  /**
   * Gets every text before it is stored, and returns the text that is stored instead. The default removes
   * keys, tokens, passwords and card numbers. `false`: everything is stored as it came.
   */
  readonly redact?: Redact | false
  /**
   * The file with the list of what was erased. A restore of an older backup uses it to erase that again.
   * Default: beside the file of an SQLite database, with its name and `.erased`; for other databases none.
   * `false`: none.
   */
  readonly erasedList?: string | false
  /**
   * For how many days events are kept, for readers of events (docs/events.md). It counts for all namespaces
   * on the store. `null`: this process never removes events. Default: 30; with `folding: 'manual'` null.
   */
  readonly eventRetentionDays?: number | null
  /** Called with the progress of each erasure that this process carries out. */
  readonly onErasure?: (progress: ErasureProgress) => void
  /** Called with what each append of this process has stored. */
  readonly onAppend?: (appended: Appended, details: { readonly sessionId: string }) => void
  /** Called with the outcome of each fold of this process. */
  readonly onFold?: (outcome: FoldOutcome, details: { readonly sessionId: string }) => void
  /** Called with the result and the usage of each extraction into user or scope memory. */
  readonly onExtraction?: (outcome: ExtractionReport, details: { readonly sessionId: string }) => void
  /** Gets reports of folds, of odd things and of failures: pino, or any object with its methods. */
  readonly logger?: Logger
  /** An OpenTelemetry tracer. It gets spans around appends, contexts and folds. */
  readonly tracer?: Tracer
  /** Milliseconds since 1970; for tests. */
  readonly clock?: () => number
  /**
   * Called with errors that came after a message was safely stored, for example when your own policy threw.
   */
  readonly onError?: (error: unknown, details: { readonly sessionId: string }) => void
}

const FOLDINGS = ['background', 'manual', 'queue', 'worker'] as const
type Folding = (typeof FOLDINGS)[number]

/**
 * Limits for one hour of the clock, over all processes on the store, for folds and memory together. Each
 * model has its own count. When a limit is reached, folds are made without the model, and extractions wait.
 * Left out, or 0: no limit.
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
  /** Tokens of a document, for each layer. Above that, its oldest lines are condensed. */
  readonly budgets?: Partial<Readonly<Record<LayerName, number>>>
  /**
   * When user and scope memory are extracted from what was said: after each turn, or in batches. `off`:
   * nothing is learned automatically, not even from folds. Default: after each turn with the `rounds` policy,
   * otherwise in batches.
   */
  readonly extract?: 'turn' | 'batch' | 'off'
  /**
   * The ids of one or several users. In their private chats the model may write memory that every user sees
   * (`write_memory`). Left out: in no chat.
   */
  readonly owner?: string | readonly string[]
  /**
   * Where owners may share memory that every user sees. `private` (the default): only in their private chats.
   * `groups`: in groups too, for answers to what an owner says there. Then the model also sees what others
   * have said in the group.
   */
  readonly ownerSharesIn?: OwnerSharesIn
  /**
   * The sessions from which the memory of a scope is learned. `shared` (the default): all sessions that are
   * not private chats. `all`: private chats too; then what a person says there is shown in every session of
   * the scope. A scope that was declared personal learns from its owner's sessions in both cases.
   */
  readonly scopeLearnsFrom?: ScopeLearnsFrom
}

/** The options that can change while the instance runs. */
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
 * What a session is. A new session is made with these. An existing session must agree with them, or each call
 * throws a `SessionMismatchError`. An option that is left out agrees with everything.
 */
export interface SessionOptions {
  /** The kind of a new session. Default: private. */
  readonly kind?: SessionKind
  /** The user of a private chat. */
  readonly user?: string
  /** A workspace or project that several sessions share. */
  readonly scope?: string
}

/** Which sessions are listed. */
export interface SessionPage {
  /** In the order of ids: the sessions after this one. */
  readonly after?: string
  /** Default: 100. */
  readonly limit?: number
  /** Only sessions whose id contains this text. The case of ASCII letters does not matter. */
  readonly contains?: string
  /**
   * `recent`: the sessions with the latest events first, as far as the newest few thousand events tell; then
   * others, in the order of their ids. Default: the order of ids.
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

/** The engine before the parts that work in the background are added. */
type BareEngine = Omit<Engine, 'scheduler' | 'contexts' | 'extractions' | 'indexer' | 'noteOutcome'>

/**
 * Opens the store and builds the instance.
 * @example
 * await using palimpsest = await createPalimpsest({ store: sqlite('./palimpsest.db') })
 * const chat = palimpsest.session('telegram:42')
 */
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
    // A later try will not help, and without this report no one would learn of it.
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
  // A process that leaves folds to workers leaves them every other use of a model too.
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
  // All parts share this one object, so that `configure` reaches all of them.
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

/** Loaded only when needed: most programs have no workspace. */
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

/**
 * A batch is about as large as one fold. After ten minutes of silence, a quarter of a batch is enough. After
 * a night, less is enough.
 */
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

/** The longest time that a timer of Node can have. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Finds at run time what types find at compile time, for callers without types. */
function checkAll(options: PalimpsestOptions): void {
  checkStore(options?.store)
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

/** `null`: there is no limit, so nothing is counted. */
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

/** Finds `policy: rounds`, written instead of `policy: rounds()`. */
function isPreset(policy: unknown): boolean {
  return [resize, count, rounds, window, tokens, custom, compose].includes(policy as never)
}

function checkArgumentId(field: string, value: unknown): string {
  if (isId(value)) return value
  throw new InvalidArgumentError(field, value, ID_RULE)
}

/** The namespace is a part of every key, unchanged, so it must fit into an index. */
function checkNamespace(namespace: string): string {
  if (checkArgumentId('namespace', namespace).length <= 200) return namespace
  throw new InvalidArgumentError('namespace', namespace, 'at most 200 characters')
}

function logsError(logger: Logger): NonNullable<PalimpsestOptions['onError']> {
  return (error, { sessionId }) =>
    logger.error({ err: tellableError(error), sessionId }, 'palimpsest: an error in the background')
}

/** Logs numbers and names, and nothing that was said. */
function logFold(logger: Logger, outcome: FoldOutcome, sessionId: string): void {
  if (outcome.outcome === 'skipped') logger.debug({ sessionId, ...outcome }, 'palimpsest: fold skipped')
  else if (outcome.outcome === 'failed') logger.warn({ sessionId, ...outcome }, 'palimpsest: fold failed')
  else if (outcome.spendGuard)
    logger.warn({ sessionId, ...outcome }, 'palimpsest: fold applied without the model: the spend guard')
  else logger.info({ sessionId, ...outcome }, 'palimpsest: fold applied')
}

/** Logs only extractions that wait. `onExtraction` is told of the others. */
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

  /** The memory documents: who the bot is, what is true, about the users, and what belongs to a chat. */
  get memory(): Memories {
    return new Memories(this.#engine)
  }

  /** The users in whose private chats the model may write memory that every user sees, as configured now. */
  get memoryOwners(): readonly string[] {
    return [...this.#engine.memoryOwners]
  }

  /**
   * The names of the memory tools that such a session can have, even if it does not exist.
   * `session.memoryTools()` says which tools a session has. A trait that is left out may have any value.
   * `user: null`: the session has no user.
   */
  possibleMemoryTools(session: PossibleSession = {}): readonly MemoryToolName[] {
    return possibleTools(session, this.#engine)
  }

  /** The language of the engine's own texts, as configured now. Sessions may have settings of their own. */
  get languageSetting(): LanguageSetting {
    return this.#engine.language
  }

  /** Brings files and documents into line now. `null`: there is no workspace. */
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

  /**
   * In force from the next call and the next fold on, in this process. An option that is left out does not
   * change.
   */
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
   * Finds messages in all sessions of this namespace, or in the sessions that you name: by their ids, by
   * their user or by their scope. Your program decides who may see what.
   * @example
   * const { results } = await palimpsest.search('When did we agree to ship?', { user: 'user-7' })
   */
  async search(query: string, options: SearchOptions & SessionsOptions = {}): Promise<SearchAnswer> {
    checkOptions('search', options, SEARCH_EVERYWHERE)
    const { searchMessages } = await import('./finding/search-messages.ts')
    return searchMessages(this.#engine, query, options)
  }

  /**
   * Erases messages, a session, a person or the whole namespace for good, wherever it is kept: log, versions,
   * segments, memos, index, documents, files, forks. Resolves when nothing of it can be seen any more. The
   * receipt says what is still pending. That goes on in the background, also after a restart.
   * @example
   * const { id } = await palimpsest.forget({ kind: 'person', id: 'user-7' })
   * await palimpsest.erased(id) // waits until the bytes are gone, too
   */
  async forget(target: ErasureTarget): Promise<ErasureReceipt> {
    return this.#engine.writes.after(async () => (await this.#loadErasures()).forget(target))
  }

  /** The progress of an erasure, by the id of its receipt. `null`: there is none. */
  async erasure(id: number): Promise<ErasureReceipt | null> {
    return (await this.#loadErasures()).receipt(id)
  }

  /**
   * Waits until the erasure is done, down to the bytes; or until an operator has to do the rest (a place of
   * the receipt has a `statement`); or until the signal. The receipt says what is pending.
   */
  async erased(id: number, options: ErasedOptions = {}): Promise<ErasureReceipt> {
    checkOptions('erased', options, ERASED)
    return (await this.#loadErasures()).finished(id, options)
  }

  /** Continues erasures that an earlier process has not finished, if there are any. */
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

  /**
   * Sessions with recent events come first. If they are fewer than wanted, quiet sessions follow, so none is
   * missing.
   */
  async #recentFirst(wanted: { limit: number; contains?: string }): Promise<readonly SessionRecord[]> {
    const { store, namespace } = this.#engine
    const recent = await store.sessions.listRecentSessions(namespace, wanted)
    if (recent.length >= wanted.limit) return recent
    const known = new Set(recent.map(({ id }) => id))
    const others = await store.sessions.listSessions(namespace, wanted)
    return [...recent, ...others.filter(({ id }) => !known.has(id))].slice(0, wanted.limit)
  }

  /**
   * The messages that wait for an answer or for delivery, over all sessions, in the order in which they came.
   */
  async waiting(page: WaitingPage = {}): Promise<readonly WaitingEntry[]> {
    checkOptions('waiting', page, WAITING)
    const { store, namespace } = this.#engine
    return store.inbox.readWaiting(namespace, { limit: 100, ...page })
  }

  /** The id of the session with this name. The name is an alias of the session, or else the id itself. */
  async aliased(name: string): Promise<string> {
    const { store, namespace } = this.#engine
    return (await store.inbox.readAlias({ namespace, id: name })) ?? name
  }

  /** Reads the result of `session.export()`, under its own id or another. */
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
   * For a worker: folds a session until its policy has nothing more to do. Returns the outcome of the last
   * fold, or the failure whose back-off is not over. `null`: there was nothing to do.
   */
  async foldThrough(id: string, options: { readonly signal: AbortSignal }): Promise<FoldOutcome | null> {
    checkOptions('foldThrough', options, ERASED)
    const { signal } = options
    const { foldThrough } = await import('./compaction/fold-through.ts')
    const key = this.#key(id)
    const { noteOutcome } = this.#engine
    return foldThrough(this.#engine, key, { signal, onOutcome: outcome => noteOutcome(outcome, key) })
  }

  /** For a worker: ends the job of a session. `false`: new work has come, so the job goes on. */
  async endFoldJob(
    id: string,
    claim: { readonly id: string; readonly retryCount: number },
  ): Promise<boolean> {
    const { store, policy, clock } = this.#engine
    return store.jobs.endFoldJob(this.#key(id), { policy, now: clock(), claim })
  }

  /**
   * Resolves with `true` when nothing waits to be folded, extracted or indexed, or with `false` when the time
   * is over.
   */
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

  /**
   * The first step of closing. Callers that wait for `session.compact()` get an answer, and no further call
   * is accepted.
   */
  async abortManualFolds(): Promise<void> {
    await this.#engine.manualFolds.close()
  }

  /**
   * Abandons the folds under way, or finishes them if you say so. In both cases nothing is lost: they stay
   * pending.
   */
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
