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

/** One call of a model, with the second try that a context which is too long for it gets. */
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

  /** The reply is stored already: it is not lost over a figure. */
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

  /** A provider that finds it too long is sent less, once; or its error is thrown, where there is nothing less. */
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

  /** Whatever becomes of it, the error is what the caller has to hear of. */
  async #storePartial(error: unknown): Promise<void> {
    const { signal } = this.#prepared.request.runtime as AgentRuntime
    const partial = this.#partial.said(signal?.aborted || isAbort(error) ? 'aborted' : 'failed')
    const replyTo = this.#prepared.run.question
    if (partial) await this.#session.append({ ...partial, replyTo }).catch(() => {})
  }
}

/** LangChain's own error for it need not say what the provider answered. Ours bears the same name. */
function isTooLong(error: unknown): boolean {
  if (isOverflowError(error)) return true
  const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown }
  return name === 'ContextOverflowError' && !PalimpsestError.isInstance(cause ?? error)
}

/** With a `responseFormat` there is more than the reply; the rest is in the state when the run ends. */
export function replyIn(answer: unknown): AIMessage | null {
  const { messages } = answer as { messages?: readonly AIMessage[] }
  const reply = messages?.[0] ?? (answer as AIMessage)
  return reply.type === 'ai' ? reply : null
}
