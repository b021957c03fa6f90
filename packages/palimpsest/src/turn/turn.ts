import { closingNote } from '../context/index.ts'
import type { Context, ContextOptions, FrozenContext } from '../contexts.ts'
import { ContextOverflowError, InvalidArgumentError, isOverForGood, NotWaitingError } from '../errors.ts'
import type { Language } from '../language/index.ts'
import type { Interruption, MessageInput } from '../log/index.ts'
import type { MemoryTools } from '../memory/index.ts'
import type { Policy } from '../policy/index.ts'
import { runInSlices } from '../slices.ts'
import type { Answers } from '../store/index.ts'
import { isLanguageModel, type LanguageModelLike, modelName } from '../summarizer/model/language-model.ts'
import { measureMessageInSteps } from '../tokens/index.ts'
import { type TurnApproval, withApprovals, withLostApprovals } from './approvals.ts'
import { askedIn, showAsked } from './asked.ts'
import { type AtEnd, messagesAtEnd, type TurnFile, tokensAtEnd } from './at-end.ts'
import { type Base, baseOf } from './base.ts'
import { markedAtEnd } from './cache-marks.ts'
import { checkTurnOptions } from './check-options.ts'
import { type CallListener, guardedModel } from './guarded-model.ts'
import { isAbort } from './is-abort.ts'
import { type ModelPrompt, toModelPrompt } from './model-prompt.ts'
import { toInput } from './response-messages.ts'
import { runOnce } from './run-once.ts'
import { Collector, readStream, type SaidMessage, type StreamPart } from './said-so-far.ts'
import type {
  GeneratedLike,
  MemoryToolSet,
  SentToModel,
  Step,
  StepChange,
  StepFigures,
  TurnPrompt,
} from './sdk.ts'
import { type ApprovalsHost, type SettledApprovals, settleApprovals } from './settle-approvals.ts'
import { shortenedBudget } from './shortened-budget.ts'
import { toolDefinitions } from './tool-definitions.ts'
import { TurnMeter, type TurnUsage } from './turn-meter.ts'
import { withUniqueIds } from './unique-ids.ts'

export interface TurnOptions<Tools extends object = object>
  extends Omit<ContextOptions, 'tools' | 'model' | 'notes' | 'alsoSeqs'> {
  /** The caller's own tools, as the AI SDK takes them. The memory tools are added. */
  readonly tools?: Tools
  /** The model, or its name, whose token counts the budget is meant in. */
  readonly model?: string | LanguageModelLike
  /** `false`: the model is not offered the memory tools. */
  readonly memoryTools?: boolean
  /** The loop of tool calls ends after this many calls of the model. The default: 20. */
  readonly maxSteps?: number
  /**
   * The waiting messages that this turn answers (`append` with `awaits`). Storing the whole answer also marks
   * them as answered, in one step. The answer points to the first of them. The newest of them is the
   * `throughSeq`, unless the caller gives one.
   */
  readonly answers?: readonly number[]
  /**
   * Decides about what this turn stores, as `policy` does in `append()`. `policy` itself is only for what is
   * shown.
   */
  readonly appendPolicy?: Policy
  /** Said to the model at the very end, after the last message. It is not stored. */
  readonly reminder?: string
  /**
   * Files shown to the model at the very end, for this turn alone. They are attached to what it answers, and
   * are not stored.
   */
  readonly files?: readonly TurnFile[]
}

/** What a turn needs of its session. */
export interface TurnHost extends ApprovalsHost {
  /**
   * Refused if something that the turn has seen was erased since, or if a message that it follows was taken
   * back.
   */
  append(
    messages: readonly MessageInput[],
    to: { readonly answers: Answers | undefined; readonly follows: readonly number[] },
  ): Promise<{ messages: readonly { readonly seq: number }[] }>
  /**
   * The last message that came through the caller's handle: a turn that names no question answers it. `null`:
   * there is none.
   */
  readonly said: number | null
  freeze(options: ContextOptions, answers: readonly number[]): Promise<FrozenContext>
  compact(signal: AbortSignal | undefined): Promise<unknown>
  observeUsage(context: Context, usage: { model: string; inputTokens: number }): Promise<void>
  /** The language of the context that is made next. */
  language(): Promise<Language>
  memoryTools(answers: readonly number[]): Promise<MemoryTools>
  /** Hears of errors that did not stop the turn. */
  onError(error: unknown): void
  /** Throws if something that the turn has seen was erased since. */
  check(): Promise<void>
}

export interface FinishedTurn {
  /**
   * `aborted`: a caller or a time-out stopped it. `failed`: an error did. What was said until then is stored
   * either way.
   */
  readonly status: 'complete' | Interruption
  /** The numbers of the stored messages in the log. */
  readonly seqs: readonly number[]
  /**
   * The sum over all calls of the model, those of failed attempts included; `null`: no provider gave figures.
   */
  readonly usage: TurnUsage | null
  /**
   * How many calls are not in `usage` because their figures are unknown: the answer was cut off before them,
   * or the provider gives none. Left out: none. A refused call takes nothing.
   */
  readonly uncountedCalls?: number
  /** Why the turn is not complete. */
  readonly error?: unknown
}

const MAX_STEPS = 20
/** How often a turn tries to get tools and context in one language, with the tools that the asker may use. */
const MAX_TRIES = 3

/**
 * One answer to what was said so far. The turn freezes what it shows when it begins: what others say
 * meanwhile is for the next turn. What the model and its tools say is stored step by step, so a process that
 * dies loses at most the last step.
 */
export class Turn<Tools extends object = object> {
  readonly #host: TurnHost
  readonly #options: ContextOptions
  readonly #frozen: FrozenContext
  readonly #id = crypto.randomUUID()
  readonly #own = new Set<number>()
  /** Of `#own`, the messages of the present attempt. */
  readonly #saidNow = new Set<number>()
  readonly #answers: readonly number[]
  readonly #atEnd: AtEnd
  readonly #meter = new TurnMeter()
  /** The key is the result that the caller passed to `finish`. */
  readonly #finishes = new WeakMap<object, Promise<FinishedTurn>>()
  /**
   * A caller may send a prompt more than once. Each time is an attempt, and the messages of each have ids of
   * their own.
   */
  #attempt = 0
  /** The first step of this attempt was sent what the context shows, and nothing else. */
  #isPromptKnown = true
  #storedMessages = 0
  #storedSteps = 0
  /** The log has the results of calls that a person allowed. A later attempt does not store them again. */
  #areAllowedStored = false
  /** The result of this attempt, once there is one. */
  #result: GeneratedLike | PromiseLike<GeneratedLike> | null = null
  #failure: Promise<FinishedTurn> | null = null
  /** What the model says in the present step, if it streams. */
  #heard: Collector | null = null
  #base: Base
  /** How many messages the SDK holds for the present step, and how many of them the base stands for. */
  #held = 0
  #standsFor = 0
  #budget: number

  /** The newest message that the turn answers. */
  readonly seq: number
  /** What the model sees at the beginning of the turn, with its report. */
  readonly context: Context
  /** What comes of persons' words to calls that asked for approval. This turn is the first to hear them. */
  readonly approvals: readonly TurnApproval[]
  readonly #decided: SettledApprovals['decided']
  /** Spread it into `generateText`, `streamText` or an agent's settings. */
  readonly prompt: TurnPrompt<Tools>

  private constructor(host: TurnHost, options: ContextOptions, frozen: FrozenContext, rest: Rest<Tools>) {
    const { context } = frozen
    this.#host = host
    this.#options = options
    this.#frozen = frozen
    this.#answers = rest.answers
    this.#atEnd = rest.atEnd
    this.approvals = rest.settled.approvals
    this.#decided = rest.settled.decided
    this.#base = this.#firstBase()
    this.#budget = context.report.budget
    this.seq = frozen.asked ?? context.report.throughSeq
    this.context = context
    const { instructions, messages } = this.#base
    this.prompt = {
      ...(instructions && { instructions }),
      messages: [...messages],
      tools: rest.tools,
      stopWhen: ({ steps }) => steps.length >= rest.maxSteps,
      prepareStep: step => this.#prepareStep(step),
    }
  }

  static async begin<Tools extends object>(
    host: TurnHost,
    turnOptions: TurnOptions<Tools>,
  ): Promise<Turn<Tools>> {
    checkTurnOptions(turnOptions)
    const { tools: given, memoryTools = true, model, maxSteps = MAX_STEPS, ...others } = turnOptions
    const { answers = [], reminder = null, files = [], appendPolicy: _, ...options } = others
    const atEnd = { reminder, files }
    const name = isLanguageModel(model) ? modelName(model) : model
    let asker = turnOptions.throughSeq ?? host.said
    for (let tries = 1; ; tries++) {
      const askers = answers.length > 0 || asker === null ? answers : [asker]
      const offered = memoryTools ? await host.memoryTools(askers) : null
      const language = offered?.language ?? (await host.language())
      const tools = { ...offered?.toAISDK(), ...given } as Tools & MemoryToolSet
      const asked: ContextOptions = {
        ...options,
        ...(tokensAtEnd(atEnd, language) > 0 && withRoomFor(atEnd, options, language)),
        ...(Object.keys(tools).length > 0 && { tools: toolDefinitions(tools) }),
        ...(name !== undefined && { model: name }),
      }
      const frozen = await host.freeze(asked, answers)
      // Another epoch may have begun meanwhile. Everything that the model reads has to be in one language.
      const isOne = frozen.context.language === language
      const isTheirs = answers.length > 0 || asker === null || asker === frozen.asked
      if (!(isOne && isTheirs) && tries < MAX_TRIES) {
        if (!isTheirs) asker = frozen.asked
        continue
      }
      const settled = await settleApprovals(frozen, host)
      const allowed = settled.decided.flatMap(({ decided }) => [...decided].map(({ call }) => call))
      return new Turn(host, asked, frozen, {
        ...{ tools: runOnce(tools, allowed), maxSteps, answers, atEnd, settled },
      })
    }
  }

  /**
   * Stores what was said, with tool calls and their results, and learns from the usage. It waits for a stream
   * to end. A stream that was stopped or broke off is stored as far as it came. The same result again adds
   * nothing. If storing failed, the next call tries again.
   */
  async finish(result: GeneratedLike | PromiseLike<GeneratedLike>): Promise<FinishedTurn> {
    checkResult(result)
    this.#result = result
    const known = this.#finishes.get(result)
    if (known) return known
    const finished = this.#finish(result)
    this.#finishes.set(result, finished)
    finished.then(
      () => this.#release(),
      () => this.#finishes.delete(result),
    )
    return finished
  }

  /**
   * For a `generateText` that threw: stores what the finished steps said, and that the answer ended there. If
   * there is a result after all and it was not stored, this call stores it.
   */
  async fail(error: unknown): Promise<FinishedTurn> {
    if (this.#result !== null) return this.finish(this.#result)
    this.#failure ??= this.#fail(error)
    return this.#failure
  }

  /**
   * For an answer that takes long: throws an `ErasedMeanwhileError` if something that the turn has seen was
   * erased since. Then nothing more of it can be stored, and the caller should show none of it.
   */
  async check(): Promise<void> {
    await this.#host.check()
  }

  /**
   * What the calls of the model took so far, as in `FinishedTurn`, even if nothing of the answer could be
   * stored.
   */
  get usage(): TurnUsage | null {
    return this.#meter.usage
  }

  get uncountedCalls(): number {
    return this.#meter.uncountedCalls
  }

  async #fail(error: unknown): Promise<FinishedTurn> {
    const status = isAbort(error) ? 'aborted' : 'failed'
    await this.#storeEnd(this.#heardSoFar(status), status)
    this.#release()
    return this.#ended(status, error)
  }

  /** The log has the results of these calls by now. */
  #release(): void {
    this.#host.releaseApprovals(
      this.approvals.flatMap(({ approvalId, outcome }) => (outcome === 'carried_out' ? [approvalId] : [])),
    )
  }

  async #finish(given: GeneratedLike | PromiseLike<GeneratedLike>): Promise<FinishedTurn> {
    const result = await given
    checkGenerated(result)
    const stream = result.stream ?? result.fullStream
    const said = stream === undefined ? null : await readStream(stream)
    this.#meter.tell(this.#attempt, said?.figures ?? [])
    if (said?.interrupted) {
      const shown = said.steps.slice(this.#storedSteps).flat()
      const rest = shown.length > 0 ? shown : this.#heardSoFar(said.interrupted)
      await this.#storeEnd(this.#storedMessages === 0 ? [...said.before, ...rest] : rest, said.interrupted)
      this.#storedSteps = said.steps.length
      return this.#ended(said.interrupted, said.error)
    }
    const steps = ((await result.steps) ?? []) as readonly StepFigures[]
    this.#meter.tell(this.#attempt, steps)
    const responseMessages = (await result.responseMessages) ?? []
    const reason = steps.at(-1)?.finishReason
    const status = reason === 'error' || reason === 'interrupted' ? 'failed' : 'complete'
    const rest = responseMessages.slice(this.#storedMessages)
    if (status === 'complete') await this.#storeAnswer(rest)
    else await this.#storeEnd(rest, status)
    await this.#learn(steps)
    return this.#ended(status, status === 'complete' ? undefined : `The model stopped: ${reason}`)
  }

  /**
   * What was said in a step that was cut off. A whole step leaves nothing here: it is stored before the next
   * step.
   */
  #heardSoFar(interrupted: Interruption): readonly SaidMessage[] {
    this.#heard?.end(interrupted, undefined)
    return this.#heard?.said().steps.flat() ?? []
  }

  #ended(status: FinishedTurn['status'], error: unknown): FinishedTurn {
    return {
      status,
      seqs: [...this.#own],
      usage: this.usage,
      uncountedCalls: this.uncountedCalls,
      ...(status !== 'complete' && { error }),
    }
  }

  /**
   * The first call is the only one whose prompt we know to the last token. The answer is stored already: no
   * error here may undo that.
   */
  async #learn([first]: readonly StepFigures[]): Promise<void> {
    const inputTokens = first?.usage?.inputTokens
    const { provider, modelId } = first?.model ?? {}
    const model = this.#options.model ?? (provider && modelId ? `${provider}:${modelId}` : undefined)
    if (!inputTokens || model === undefined || !this.#isPromptKnown) return
    if (this.#budget < this.context.report.budget) return
    // Each provider counts files in its own way.
    if (this.#atEnd.files.length > 0) return
    const atEndTokens = tokensAtEnd(this.#atEnd, this.context.language)
    const estimatedInputTokens = this.context.estimatedInputTokens + atEndTokens
    await this.#host
      .observeUsage({ ...this.context, estimatedInputTokens }, { model, inputTokens })
      .catch(error => this.#host.onError(error))
  }

  async #prepareStep(step: Step): Promise<StepChange> {
    if (step.stepNumber === 0) this.#beginAttempt(step)
    // Before the first step these are results of calls that a person allowed: nothing may run those calls
    // again.
    if (step.responseMessages.length > 0) await this.#storeSteps(step)
    if (step.stepNumber === 0)
      this.#areAllowedStored ||=
        this.#storedMessages > 0 && this.#storedMessages === step.responseMessages.length
    this.#heard = null
    this.#meter.tell(this.#attempt, (step.steps ?? []) as readonly StepFigures[])
    const model = guardedModel(step.model, signal => this.#shorten(step, signal), {
      language: this.context.language,
      listen: () => this.#listen(step.stepNumber),
    }) as never
    if (step.stepNumber === 0) return { model }
    let since = step.messages.slice(this.#standsFor) as SentToModel[]
    if (this.#base.tokens + (await tokensOf(since)) * this.#base.scale > this.#budget) {
      this.#base = await this.#shownNow(this.#budget)
      since = step.responseMessages.slice(this.#storedMessages) as SentToModel[]
    }
    const { instructions, messages } = this.#base
    const sent = markedAtEnd([...messages, ...withUniqueIds(messages, since)], messages.length)
    this.#held = sent.length
    this.#standsFor = messages.length
    return { model, ...(instructions && { instructions }), messages: sent }
  }

  #listen(stepNumber: number): CallListener {
    const call = this.#meter.begin(this.#attempt, stepNumber)
    return {
      onStream: () => {
        const heard = new Collector()
        this.#heard = heard
        return part => {
          heard.take(part as StreamPart)
          call.hear(part)
        }
      },
      onResult: result => call.hear(result),
      onError: error => call.fail(error),
    }
  }

  #beginAttempt({ messages, responseMessages }: Step): void {
    if (this.#attempt > 0) {
      this.#base = this.#firstBase()
      this.#result = null
    }
    this.#attempt += 1
    this.#isPromptKnown = responseMessages.length === 0 && this.#base.messages.at(-1)?.role !== 'tool'
    this.#saidNow.clear()
    this.#failure = null
    this.#storedMessages = this.#areAllowedStored ? responseMessages.length : 0
    this.#storedSteps = 0
    this.#held = messages.length
    this.#standsFor = messages.length - responseMessages.length
  }

  /** An answer matters more than storing it on time. What fails here is tried again at the end. */
  async #storeSteps({ stepNumber, responseMessages, experimental_steeringMessages: steering = [] }: Step) {
    try {
      await this.#store(responseMessages.slice(this.#storedMessages))
      this.#storedSteps = stepNumber
      await this.#append(steering.map((message, place) => [message, `steering:${stepNumber}:${place}`]))
    } catch (error) {
      // Another turn has answered, or the question is gone: the rest of the answer is not wanted.
      if (error instanceof NotWaitingError || isOverForGood(error)) throw error
      this.#host.onError(error)
    }
  }

  async #storeAnswer(messages: readonly unknown[]): Promise<void> {
    await this.#store(messages, this.#answering({ earlier: [...this.#saidNow] }))
  }

  /** An answer to waiting messages is stored only as long as they wait. */
  #answering(answer: Pick<Answers, 'earlier' | 'isPart'>): Answers | undefined {
    return this.#answers.length > 0 ? { seqs: this.#answers, ...answer } : undefined
  }

  async #storeEnd(messages: readonly unknown[], interrupted: Interruption): Promise<void> {
    await this.#store(messages)
    const isNothing = this.#storedMessages === 0
    if (!isNothing && !messages.some(isMarkedMessage)) await this.#storeCutOff(interrupted)
  }

  /** Stands for the words that never came. */
  async #storeCutOff(interrupted: Interruption): Promise<void> {
    await this.#append([[{ role: 'assistant', content: [{ type: 'text', text: '', interrupted }] }, 'end']])
  }

  async #store(messages: readonly unknown[], answers?: Answers): Promise<void> {
    await this.#append(
      messages.map((message, place) => [message, String(this.#storedMessages + place)]),
      answers,
    )
    this.#storedMessages += messages.length
  }

  /** The messages that the turn answers, and what it has said so far. */
  get #follows(): readonly number[] {
    const { throughSeq } = this.context.report
    const asked = [this.seq, throughSeq].filter(seq => seq !== 0)
    return [...new Set([...asked, ...this.#answers, ...this.#saidNow])]
  }

  /** Each message comes with the end of its id, so a message that is already stored adds nothing. */
  async #append(
    messages: readonly (readonly [message: unknown, id: string])[],
    answers = this.#answering({ isPart: true }),
  ): Promise<void> {
    const inputs = messages.flatMap(([message, id]): MessageInput[] => {
      const input = toInput(message)
      const externalId = `turn:${this.#id}:${this.#attempt}:${id}`
      return input === null ? [] : [{ ...input, externalId, replyTo: this.#answers[0] ?? (this.seq || null) }]
    })
    if (inputs.length === 0 && (answers === undefined || answers.isPart)) return
    for (const { seq } of (await this.#host.append(inputs, { answers, follows: this.#follows })).messages) {
      this.#own.add(seq)
      this.#saidNow.add(seq)
    }
  }

  /**
   * Made from the log, which has the steps of this turn by now. Thoughts are kept: some providers insist on
   * them within a loop of tool calls.
   */
  async #shownNow(most: number): Promise<Base> {
    const contextFor = (budget = most) =>
      this.#frozen.again({ ...this.#options, reasoning: 'keep', budget }, this.#own)
    return this.#reminding(baseOf(await showAsked(askedIn(this.context), contextFor)))
  }

  #firstBase(): Base {
    const { context } = this.#frozen
    const { language } = context
    const shown = baseOf({ context, sent: context, tokens: context.report.tokens })
    const lost = this.approvals.filter(({ outcome }) => isLost(outcome))
    const { messageSeqs } = context
    const messages = withApprovals(shown.messages, { messageSeqs, language, decided: this.#decided })
    // After what a person allowed stands the call itself, and nothing else.
    if (this.#decided.length === 0)
      return this.#reminding({ ...shown, messages: withLostApprovals(messages, lost, language) })
    return {
      ...shown,
      messages: [...withLostApprovals(messages.slice(0, -2), lost, language), ...messages.slice(-2)],
    }
  }

  #reminding(base: Base): Base {
    const { language } = this.#frozen.context
    const atEnd = messagesAtEnd(this.#atEnd, language)
    if (atEnd.length === 0) return base
    const { messages } = base
    const last = messages.at(-1)
    // The turn does have something new: a waiting message may lie before what was said last. So the closing
    // note is wrong here.
    const shown = last?.content === closingNote(language) ? messages.slice(0, -1) : messages
    return { ...base, messages: [...shown, ...atEnd] }
  }

  /** The provider has less room than we thought. */
  async #shorten(step: Step, signal: AbortSignal | undefined): Promise<ModelPrompt | null> {
    try {
      await this.#host.compact(signal)
      const budget = shortenedBudget(this.#base.tokens)
      const shorter = await this.#shownNow(budget)
      const since = step.responseMessages.slice(this.#storedMessages) as SentToModel[]
      this.#budget = budget
      this.#base = { ...shorter, messages: [...shorter.messages, ...withUniqueIds(shorter.messages, since)] }
      // The SDK does not learn of the shorter prompt. So the base now stands for everything that the SDK
      // holds.
      this.#standsFor = this.#held
    } catch (error) {
      if (!(error instanceof ContextOverflowError)) this.#host.onError(error)
      return null
    }
    return toModelPrompt(this.#base, 'v4')
  }
}

const RESULT = 'what generateText, streamText or an agent gave, or a promise of it'

const FIELDS: readonly (keyof GeneratedLike)[] = ['stream', 'fullStream', 'steps', 'responseMessages']

function checkResult(result: unknown): void {
  if (typeof result !== 'object' || result === null)
    throw new InvalidArgumentError('result', typeof result, RESULT)
}

function checkGenerated(result: unknown): void {
  checkResult(result)
  // This tests for the field and does not read it: a promise of the SDK that is read and not awaited rejects
  // unhandled.
  if (!FIELDS.some(field => field in (result as object)))
    throw new InvalidArgumentError('result', result, RESULT)
}

function isLost(outcome: TurnApproval['outcome']): boolean {
  return outcome === 'gone' || outcome === 'same_id' || outcome === 'no_room'
}

async function tokensOf(messages: readonly unknown[]): Promise<number> {
  let sum = 0
  for (const message of messages) {
    const input = toInput(message)
    if (input === null) continue
    const { tokens } = await runInSlices(measureMessageInSteps({ content: input.content, sender: null }))
    sum += tokens
  }
  return sum
}

interface Rest<Tools extends object> {
  readonly tools: Tools & MemoryToolSet
  readonly maxSteps: number
  readonly answers: readonly number[]
  readonly atEnd: AtEnd
  readonly settled: SettledApprovals
}

/** The room counts as room for the reply, so that the rest of the context is the same with and without it. */
function withRoomFor(atEnd: AtEnd, { outputReserve }: ContextOptions, language: Language): ContextOptions {
  const reserve = (outputReserve ?? 0) + tokensAtEnd(atEnd, language)
  return { outputReserve: reserve, usualReserve: outputReserve ?? null }
}

function isMarkedMessage(message: unknown): boolean {
  const { content } = message as { content: unknown }
  return Array.isArray(content) && content.some(part => part.interrupted !== undefined)
}
