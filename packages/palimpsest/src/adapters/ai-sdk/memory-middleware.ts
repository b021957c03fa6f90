import type { LanguageModelMiddleware } from 'ai'
import type { ContextOptions } from '../../contexts.ts'
import { ContextOverflowError, describeError } from '../../errors.ts'
import { checkOptions, optionsOf } from '../../known-options.ts'
import type { Interruption, Message } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import {
  baseOf,
  Collector,
  guardedModel,
  isAbort,
  type Shown,
  type StreamPart,
  shortenedBudget,
  showAsked,
  toInput,
  toModelPrompt,
} from '../../turn/index.ts'
import { type CallOptions, promptInstructions, promptMessages } from './prompt-messages.ts'
import { askedOf, findQuestion } from './prompt-question.ts'
import { type Stored, storePrompt } from './store-prompt.ts'

type Model = Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0]['model']
type Streamed = Awaited<ReturnType<Model['doStream']>>

export interface MemoryMiddlewareOptions
  extends Pick<ContextOptions, 'budget' | 'outputReserve' | 'reasoning'> {
  /** Hears of errors after the model has answered. The default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

const OPTIONS = optionsOf<MemoryMiddlewareOptions>({
  budget: true,
  outputReserve: true,
  reasoning: true,
  onError: true,
})

/**
 * Memory for code that can change only its model: `wrapLanguageModel({ model, middleware })`. The list that
 * the code sends is compared with the log, and what is new is stored. The model is sent the session's context
 * instead of the list. What the model says is stored.
 *
 * `session`: a session, or a function that finds it by the call's `providerOptions`.
 */
export function memoryMiddleware(
  session: Session | ((call: Pick<CallOptions, 'providerOptions'>) => Session | Promise<Session>),
  options: MemoryMiddlewareOptions = {},
): LanguageModelMiddleware {
  checkOptions('memoryMiddleware', options, OPTIONS)
  // The SDK tries a failed call again with the very same list. The list is stored once, whatever was said
  // since.
  const failed = new WeakMap<object, Stored>()
  const begin = async (params: CallOptions, model: Model) => {
    const chat = typeof session === 'function' ? await session(params) : session
    const stored = failed.get(params.prompt)
    failed.delete(params.prompt)
    // The model's answer is stored in this very session, or not at all.
    return MemoryCall.begin(await chat.bound(), { params, model, options, ...(stored && { stored }) })
  }
  const trying = async <Result>(
    call: MemoryCall,
    { prompt }: CallOptions,
    work: () => PromiseLike<Result>,
  ) => {
    try {
      return await work()
    } catch (error) {
      failed.set(prompt, call.stored)
      throw error
    }
  }
  return {
    specificationVersion: 'v4',
    wrapGenerate: async ({ params, model }) => {
      const call = await begin(params, model)
      const result = await trying(call, params, () =>
        call.guarded.doGenerate({ ...params, prompt: call.prompt }),
      )
      const collector = new Collector()
      for (const part of result.content) collector.takeWhole(part as StreamPart)
      await call.store(collector, result.usage.inputTokens.total)
      return result
    },
    wrapStream: async ({ params, model }) => {
      const call = await begin(params, model)
      const result = await trying(call, params, () =>
        call.guarded.doStream({ ...params, prompt: call.prompt }),
      )
      return { ...result, stream: call.listen(result.stream) }
    },
  }
}

interface Call {
  readonly params: CallOptions
  readonly model: Model
  readonly options: MemoryMiddlewareOptions
  /** What an earlier try stored. */
  readonly stored?: Stored
}

/** One call of the model. */
class MemoryCall {
  readonly #chat: Session
  readonly #question: readonly Message[]
  readonly #contextOptions: ContextOptions
  readonly #onError: (error: unknown) => void
  #shown: Shown

  readonly stored: Stored
  /**
   * The model with one more try: if the provider finds the prompt too long, it is sent a shorter one, once.
   */
  readonly guarded: Model

  private constructor(
    chat: Session,
    { model, options }: Call,
    begun: {
      stored: Stored
      question: readonly Message[]
      contextOptions: ContextOptions
      shown: Shown
    },
  ) {
    this.#chat = chat
    this.stored = begun.stored
    this.#question = begun.question
    this.#contextOptions = begun.contextOptions
    this.#onError =
      options.onError ?? (error => process.emitWarning(describeError(error), 'PalimpsestWarning'))
    this.#shown = begun.shown
    const { language } = begun.shown.context
    this.guarded = guardedModel(model, signal => this.#shorten(signal), { language })
  }

  static async begin(chat: Session, call: Call): Promise<MemoryCall> {
    const { params, model } = call
    const theirs = promptMessages(params.prompt)
    const stored = call.stored ?? (await storePrompt(chat, theirs, crypto.randomUUID()))
    const { seq, steps } = stored
    const question = await findQuestion(chat, theirs)
    const { onError, ...wanted } = call.options
    const contextOptions: ContextOptions = {
      reasoning: 'keep',
      ...wanted,
      instructions: promptInstructions(params.prompt),
      model: `${model.provider}:${model.modelId}`,
      ...(params.tools && { tools: params.tools }),
      ...(seq !== null && { throughSeq: seq, alsoSeqs: steps }),
    }
    const shown = await show(chat, question, contextOptions)
    return new MemoryCall(chat, call, { stored, question, contextOptions, shown })
  }

  get prompt(): CallOptions['prompt'] {
    return toModelPrompt(baseOf(this.#shown), 'v4') as CallOptions['prompt']
  }

  /** `null`: there is nothing shorter. */
  async #shorten(signal: AbortSignal | undefined): Promise<CallOptions['prompt'] | null> {
    try {
      await this.#chat.compact({ force: true, ...(signal && { signal }) })
      const budget = shortenedBudget(this.#shown.tokens)
      this.#shown = await show(this.#chat, this.#question, { ...this.#contextOptions, budget })
      return this.prompt
    } catch (error) {
      if (!(error instanceof ContextOverflowError)) this.#onError(error)
      return null
    }
  }

  /**
   * The same stream. Its parts are stored when it ends, however it ends, before the reader learns of the end.
   */
  listen(stream: Streamed['stream']): Streamed['stream'] {
    const reader = stream.getReader()
    const collector = new Collector()
    let inputTokens: number | undefined
    let isStored = false
    const store = async (interrupted?: Interruption, error?: unknown) => {
      if (isStored) return
      isStored = true
      if (interrupted) collector.end(interrupted, error)
      await this.store(collector, inputTokens)
    }
    return new ReadableStream({
      pull: async controller => {
        try {
          const { done, value } = await reader.read()
          if (done) {
            await store()
            controller.close()
            return
          }
          if (value.type === 'finish') inputTokens = value.usage.inputTokens.total
          collector.take(value as StreamPart)
          controller.enqueue(value)
        } catch (error) {
          await store(isAbort(error) ? 'aborted' : 'failed', error)
          controller.error(error)
        }
      },
      cancel: async reason => {
        await store('aborted', reason)
        await reader.cancel(reason)
      },
    })
  }

  /** The model has answered: an error of the store must not lose the answer. */
  async store(collector: Collector, inputTokens: number | undefined): Promise<void> {
    try {
      const { steps, interrupted } = collector.said()
      const replyTo = this.stored.seq
      const inputs = steps.flat().flatMap(message => {
        const input = toInput(message)
        return input === null ? [] : [{ ...input, replyTo }]
      })
      const follows = replyTo === null ? [] : [replyTo]
      if (inputs.length > 0) await this.#chat.append(inputs, { follows })
      const { context, sent } = this.#shown
      if (!inputTokens || interrupted || sent !== context) return
      await this.#chat.observeUsage(context, { model: this.#contextOptions.model!, inputTokens })
    } catch (error) {
      this.#onError(error)
    }
  }
}

async function show(chat: Session, question: readonly Message[], options: ContextOptions): Promise<Shown> {
  const context = await chat.context(options)
  const asked = await askedOf(chat, question, context)
  return showAsked(asked, async budget =>
    budget === undefined ? context : chat.context({ ...options, budget }),
  )
}
