import { isDeepStrictEqual } from 'node:util'
import {
  type BuiltInHandler,
  type FoldOutcome,
  handledTypes,
  type WindowHandler,
  type WindowInput,
  type WindowResult,
} from '../compaction/index.ts'
import { LAST_RESIZE } from '../compaction/memo-keeper.ts'
import { untilAborted } from '../compaction/until-aborted.ts'
import { withinTime } from '../compaction/within-time.ts'
import type { Context, ContextOptions } from '../contexts.ts'
import { InvalidArgumentError } from '../errors.ts'
import { checkOptions, optionsOf } from '../known-options.ts'
import {
  type Content,
  type Memo,
  type MessageInput,
  summarizeAttachment,
  type WindowMessage,
} from '../log/index.ts'
import type { Palimpsest } from '../palimpsest.ts'
import {
  type Decision,
  type Force,
  forcedDecision,
  judge,
  type Policy,
  readDecision,
  resize,
} from '../policy/index.ts'
import type { Appended, Session } from '../session.ts'
import type { SessionKey, Store } from '../store/index.ts'
import { type AttachmentSummaryHandler, attachmentsIn } from './attachments.ts'
import { asWindow, asWindowMessage, splitWindow } from './current-history.ts'
import { type FullHistory, fullHistory } from './full-history.ts'
import { type PolicyHandler, type ResizeHandler, type ResizeHandlers, readResult } from './handlers.ts'
import { type Caller, checkMayJudge, checkMayResize, insideHandler } from './inside-handlers.ts'
import { EMPTY, type Loaded, loadSession } from './load-session.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { attachmentText, renderWindow } from './render-window.ts'
import { type ClassicSettings, changeSettings, type ResolvedSettings } from './settings.ts'

/** What all sessions share. */
export interface ClassicEngine {
  readonly palimpsest: Palimpsest
  /** Only for reading: everything is written through the engine. */
  readonly store: Store
  readonly namespace: string
  readonly clock: () => number
  readonly summarizerTimeoutMs: number
  readonly settings: ResolvedSettings
}

/**
 * How a resize ended. `applied`: the window has changed. `skipped` for the decision's own reason: the window
 * is the same, and only the memo was updated. `failed`, or skipped for another reason: nothing has changed.
 */
export interface ResizeOutcome extends FoldOutcome {
  readonly decision: Decision
  /** What the handler threw, or a `TimeoutError` if it took too long; `null`: neither. */
  readonly error: unknown
}

/** A forced resize: `true`, or the name of a type. The bare value is accepted too, as in `resize(force)`. */
export type ResizeOptions = Force | boolean | { readonly force?: Force | false }

/** One conversation with two histories: everything that was said, and the window that goes to the model. */
export class ClassicSession {
  readonly #engine: ClassicEngine
  readonly #key: SessionKey
  readonly #handlers = new Map<string, ResizeHandler>()
  readonly #loads = new OneAtATime()
  readonly #resizes = new OneAtATime()
  readonly chat: Session
  #settings!: ResolvedSettings
  #policy!: Policy
  #policyHandler: PolicyHandler | null = null
  #summarize: AttachmentSummaryHandler = summarizeAttachment
  #loaded: Loaded = EMPTY

  constructor(engine: ClassicEngine, chat: Session, settings: ClassicSettings) {
    this.#engine = engine
    this.#key = { namespace: engine.namespace, id: chat.id }
    this.chat = chat
    this.#take(changeSettings(engine.settings, settings))
  }

  get id(): string {
    return this.chat.id
  }

  /** The window after the last call that the caller awaited, oldest first. */
  get currentHistory(): readonly WindowMessage[] {
    return this.#loaded.current
  }

  get memo(): Readonly<Record<string, unknown>> {
    return ownMemo(this.#loaded.memo)
  }

  /** The newest message that the memo has read; 0: none. */
  get memoCursor(): number {
    return this.#loaded.memo?.throughSeq ?? 0
  }

  /**
   * Messages appended so far, or replies with `turnUnit: 'reply'`. A message that a rollback hid or an
   * erasure removed does not count.
   */
  get turns(): number {
    return this.#loaded.counts.now[this.#settings.turnUnit]
  }

  /** `turns` when a decision was last carried out. `everyNTurns` counts `turns − lastResizeTurn`. */
  get lastResizeTurn(): number {
    return this.#loaded.counts.decided[this.#settings.turnUnit]
  }

  get settings(): ResolvedSettings {
    return this.#settings
  }

  /** Changes the given settings. The others stay. */
  setSettings(settings: ClassicSettings): void {
    this.#take(changeSettings(this.#settings, settings))
  }

  #take(settings: ResolvedSettings): void {
    const { memoInstructions: _, ...rules } = settings
    this.#policy = resize(rules)
    this.#settings = settings
  }

  /** The handler is asked in place of the rules; `null`: the rules decide again. */
  setPolicyHandler(handler: PolicyHandler | null): void {
    checkHandler('policyHandler', handler)
    this.#policyHandler = handler
  }

  /**
   * Changes the given handlers. The others stay. Without a handler of the caller, `lite` trims and `deep`
   * works through the history.
   */
  setResizeHandlers(handlers: ResizeHandlers): void {
    if (typeof handlers !== 'object' || handlers === null)
      throw new InvalidArgumentError('resizeHandlers', handlers, 'an object of functions by type')
    for (const [type, handler] of Object.entries(handlers)) checkHandler(`resizeHandlers.${type}`, handler)
    for (const [type, handler] of Object.entries(handlers))
      if (handler === null) this.#handlers.delete(type)
      else this.#handlers.set(type, handler)
  }

  /**
   * The handler says what stands in windows for a part that is no text; `null`: `{ type, ref, meta }` again.
   */
  setAttachmentSummaryHandler(handler: AttachmentSummaryHandler | null): void {
    checkHandler('attachmentSummaryHandler', handler)
    this.#summarize = handler ?? summarizeAttachment
  }

  /** What the handler says of each part of a message that is no text. */
  attachmentSummary(message: { readonly content: Content }): Promise<readonly unknown[]> {
    return Promise.all(attachmentsIn(message.content).map(async part => this.#summarize(part, message)))
  }

  /**
   * Adds one message or several to both histories: all of them or none. The rules alone make the decision.
   */
  async append(messages: MessageInput | readonly MessageInput[]): Promise<Appended> {
    const isOwn = !isDeepStrictEqual(this.#settings, this.#engine.settings)
    const appended = await this.chat.append(messages, isOwn ? { policy: this.#policy } : {})
    await this.refresh()
    return appended
  }

  /** Everything that was said, oldest first, read page by page. */
  fullHistory(): FullHistory {
    return fullHistory(this.#engine.store.log, this.#key, { length: this.#loaded.messages })
  }

  /** Loads what another process changed, or a call that did not go through this object. */
  refresh(): Promise<void> {
    const { store } = this.#engine
    return this.#loads.run(async () => {
      this.#loaded = await loadSession(store, this.#key, this.#loaded)
    })
  }

  /** What a resize would do now, or by force; `null`: nothing. This changes nothing. */
  async judgeResize(options: ResizeOptions = {}): Promise<Decision | null> {
    checkMayJudge(this.#caller)
    await this.refresh()
    return this.#judge(forceOf(options))
  }

  /**
   * Judges, and carries the decision out. `null`: there was nothing to do, or nothing to do it with. An error
   * of a handler is in the outcome. A result that cannot be used is thrown as an error. In both cases nothing
   * has changed.
   */
  async resize(options: ResizeOptions = {}): Promise<ResizeOutcome | null> {
    checkMayResize(this.#caller)
    return this.#resizes.run(async () => {
      const decision = await this.judgeResize(options)
      if (decision === null || this.#loaded.messages === 0) return null
      const isForced = forceOf(options) !== null
      return this.#carryOut(decision, isForced ? {} : { isUnchanged: this.#sinceJudged() })
    })
  }

  get #caller(): Caller {
    return { store: this.#engine.store, key: this.#key }
  }

  /** What the model is given: the window's own part as session memory, then the raw messages. */
  context(options: ContextOptions = {}): Promise<Context> {
    const { budget } = this.#settings
    const isOwn = budget !== null && budget !== this.#engine.settings.budget
    return this.chat.context(isOwn ? { budget, ...options } : options)
  }

  async #judge(force: Force | null): Promise<Decision | null> {
    const types = handledTypes(Object.fromEntries(this.#handlers))
    if (force !== null) return forcedDecision(force, types)
    if (this.#policyHandler !== null) return readDecision(await this.#askPolicyHandler(), types)
    const { store, clock } = this.#engine
    const policy = this.#policy
    const snapshot = await store.schedule.readSnapshot(this.#key, { policy, now: clock() })
    return snapshot && judge(policy, snapshot)
  }

  async #askPolicyHandler(): Promise<unknown> {
    const { store, summarizerTimeoutMs } = this.#engine
    const { messages: length, throughSeq, current } = this.#loaded
    const full = fullHistory(store.log, this.#key, { length, throughSeq })
    const ask = async () =>
      this.#policyHandler?.(full, structuredClone([...current]), structuredClone(this.memo), this.#settings)
    return insideHandler('policy', this.#caller, () => withinTime(ask, { timeoutMs: summarizerTimeoutMs }))
  }

  async #carryOut(
    decision: Decision,
    checks: { readonly isUnchanged?: (epoch: number) => boolean },
  ): Promise<ResizeOutcome> {
    const failure = new Failure()
    const own = [...this.#handlers].map(([type, handler]) => [
      type,
      this.#windowHandler(type, handler, failure),
    ])
    const handlers = { ...this.#builtIn(failure), ...Object.fromEntries(own) }
    const { memoInstructions } = this.#settings
    const memo = memoInstructions === this.#engine.settings.memoInstructions ? {} : { memoInstructions }
    const outcome = await this.chat.compact({ decision, handlers, policy: this.#policy, ...memo, ...checks })
    await this.refresh()
    if (outcome.outcome === 'failed' && failure.refused !== null) throw failure.refused
    const error = outcome.outcome === 'failed' ? failure.error : failure.thrown
    return { ...outcome, decision, error }
  }

  /**
   * Tells whether the decision still fits the epoch. Several folds may carry one decision out, and each
   * begins an epoch.
   */
  #sinceJudged(): (epoch: number) => boolean {
    const { epoch: judged } = this.#loaded
    let hasBegun = false
    return epoch => {
      hasBegun ||= epoch === judged
      return hasBegun
    }
  }

  /** `lite` trims, `deep` works through the history. Only `deep` asks the model for a summary. */
  #builtIn(failure: Failure): Record<string, BuiltInHandler> {
    const tellAttachment: BuiltInHandler['tellAttachment'] = (part, message) =>
      failure.note(() => attachmentText(part, message, this.#summarize))
    return {
      lite: { builtIn: 'trim', tellAttachment },
      deep: { builtIn: 'work-through', tellAttachment },
    }
  }

  #windowHandler(type: string, handler: ResizeHandler, failure: Failure): WindowHandler {
    return {
      window: input =>
        insideHandler('resize', this.#caller, () =>
          untilAborted(this.#chooseWindow(input, { type, handler, failure }), input.signal),
        ),
    }
  }

  async #chooseWindow(
    { segments, messages, memo: before, head, signal }: WindowInput,
    { type, handler, failure }: { type: string; handler: ResizeHandler; failure: Failure },
  ): Promise<WindowResult> {
    failure.signal = signal
    const folded = segments.length === 0 ? null : asWindow(segments)
    const raw = messages.map(asWindowMessage)
    const { messages: length } = head.totals
    const full = fullHistory(this.#engine.store.log, this.#key, { length, throughSeq: head.seq })
    const current = structuredClone([...(folded ?? []), ...raw])
    const returned = await failure.note(async () =>
      handler(full, current, structuredClone(ownMemo(before)), this.#settings),
    )
    const { current: window, memo } = failure.check(() => readResult(type, returned))
    const split = window && splitWindow(window, { folded, raw })
    const summary = split && (await failure.note(() => renderWindow(split.window, this.#summarize)))
    return { fold: split && { ...split, summary: summary! }, memo }
  }
}

const RESIZE = optionsOf<{ readonly force?: Force | false }>({ force: true })

function forceOf(options: ResizeOptions): Force | null {
  if (typeof options === 'object' && options !== null) checkOptions('resize', options, RESIZE)
  const force = typeof options === 'object' && options !== null ? options.force : options
  return force === undefined || force === false || force === null ? null : force
}

/** Why the work of a handler failed. */
class Failure {
  thrown: unknown = null
  refused: unknown = null
  signal: AbortSignal | null = null

  get error(): unknown {
    return this.thrown ?? (this.signal?.aborted ? this.signal.reason : null)
  }

  async note<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      this.thrown = error
      throw error
    }
  }

  check<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      this.refused = error
      throw error
    }
  }
}

/** The memo without the engine's own mark. */
function ownMemo(memo: Memo | null): Record<string, unknown> {
  const { [LAST_RESIZE]: _, ...own } = memo?.value ?? {}
  return own
}

function checkHandler(field: string, handler: unknown): void {
  if (handler !== null && typeof handler !== 'function')
    throw new InvalidArgumentError(field, handler, 'a function, or null for none')
}
