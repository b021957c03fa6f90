import type { AIMessage } from '@langchain/core/messages'
import type { AgentMiddleware } from 'langchain'
import type { Context, ContextOptions } from '../../contexts.ts'
import { describeError, PalimpsestError } from '../../errors.ts'
import type { Session } from '../../session.ts'
import { isAbort, isOverflowError, type Shown } from '../../turn/index.ts'
import type { ModelFacts } from './model-facts.ts'
import { PartialReply } from './partial-reply.ts'
import type { Peers } from './peers.ts'
import type { Run } from './run.ts'
import { toModelInput } from './to-langchain.ts'
import type { AgentRuntime } from './which-session.ts'

type Hook = NonNullable<AgentMiddleware<undefined, undefined, unknown>['wrapModelCall']>
export type ModelRequest = Parameters<Hook>[0]
export type ModelHandler = Parameters<Hook>[1]

interface Prepared {
  readonly request: ModelRequest
  readonly handler: ModelHandler
  readonly run: Run
  readonly contextOptions: ContextOptions
  readonly facts: ModelFacts
  readonly peers: Peers
}

/** One call of a model. It gets a second try if the context is too long for the model. */
export class ModelCall {
  readonly #session: Session
  readonly #prepared: Prepared
  readonly #partial = new PartialReply()
  #sent: Context | null = null

  constructor(prepared: Prepared) {
    this.#session = prepared.run.session
    this.#prepared = prepared
  }

  async run(): Promise<AIMessage> {
    const { run, contextOptions } = this.#prepared
    const shown = await run.show(contextOptions)
    try {
      return await this.#send(shown).catch(error => this.#sendShorter(shown.context, error))
    } catch (error) {
      await this.#storePartial(error)
      throw error
    }
  }

  /** The reply is stored already. An error with the usage must not lose it. */
  async observeUsage(reply: AIMessage): Promise<void> {
    const { usage_metadata } = reply as unknown as { usage_metadata?: { input_tokens?: number } }
    const inputTokens = usage_metadata?.input_tokens
    const model = this.#prepared.facts.name
    if (this.#sent === null || model === undefined || !inputTokens) return
    try {
      await this.#session.observeUsage(this.#sent, { model, inputTokens })
    } catch (error) {
      const { id } = this.#session
      process.emitWarning(`Session ${JSON.stringify(id)}: ${describeError(error)}`, 'PalimpsestWarning')
    }
  }

  async #send({ context, sent }: Shown): Promise<AIMessage> {
    const { request, handler, facts, peers } = this.#prepared
    this.#sent = sent === context ? context : null
    const { system, messages } = toModelInput(sent, facts.target, peers.messages)
    this.#partial.listen(peers)
    return handler({ ...request, systemMessage: system, messages })
  }

  /**
   * If the provider finds the prompt too long, it is sent a shorter one, once. If there is no shorter one,
   * the provider's error is thrown.
   */
  async #sendShorter(refused: Context, error: unknown): Promise<AIMessage> {
    const { run, contextOptions } = this.#prepared
    if (!isTooLong(error)) throw error
    await this.#session.compact({ force: true })
    run.shorten(refused)
    const shorter = await run.show(contextOptions).catch(() => {
      throw error
    })
    return this.#send(shorter)
  }

  /** Storing may fail, but the caller has to hear of the model's error. */
  async #storePartial(error: unknown): Promise<void> {
    const { signal } = this.#prepared.request.runtime as AgentRuntime
    const partial = this.#partial.said(signal?.aborted || isAbort(error) ? 'aborted' : 'failed')
    const replyTo = this.#prepared.run.question
    if (partial) await this.#session.append({ ...partial, replyTo }).catch(() => {})
  }
}

/** LangChain's own error need not tell what the provider answered. Our own error has the same name. */
function isTooLong(error: unknown): boolean {
  if (isOverflowError(error)) return true
  const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown }
  return name === 'ContextOverflowError' && !PalimpsestError.isInstance(cause ?? error)
}

/** With a `responseFormat` the answer holds more than the reply. The state has the rest when the run ends. */
export function replyIn(answer: unknown): AIMessage | null {
  const { messages } = answer as { messages?: readonly AIMessage[] }
  const reply = messages?.[0] ?? (answer as AIMessage)
  return reply.type === 'ai' ? reply : null
}
