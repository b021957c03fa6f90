import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { ClientTool } from '@langchain/core/tools'
import type { ContextOptions } from '../../contexts.ts'
import type { SenderOf } from './from-langchain.ts'
import { memoryToolsFor, offeredTools } from './memory-tools.ts'
import { ModelCall, type ModelHandler, type ModelRequest, replyIn } from './model-call.ts'
import { factsOf } from './model-facts.ts'
import { loadPeers } from './peers.ts'
import type { Run } from './run.ts'
import { Runs } from './runs.ts'
import { StateLog } from './state-log.ts'
import { toolDefinitions } from './tool-definitions.ts'
import type { AgentRuntime, Sessions } from './which-session.ts'

export interface AgentMemoryOptions {
  /** Offers the memory tools to the model, as far as the session has them. The default: true. */
  readonly memoryTools?: boolean
  /** Finds older messages that may answer the user's last one, and puts them before it. The default: false. */
  readonly recall?: boolean
  /**
   * The sender of a person's message: the platform's stable id, and the name. Left out:
   * `additional_kwargs.sender`.
   */
  readonly sender?: SenderOf
  /** For every context; see `chat.context()`. Instructions, tools and model are the agent's own. */
  readonly context?: Pick<
    ContextOptions,
    'budget' | 'outputReserve' | 'usualReserve' | 'reasoning' | 'policy'
  >
}

/** What the middleware does, run by run. */
export class AgentMemory {
  readonly tools: readonly ClientTool[]
  readonly #sessions: Sessions
  readonly #options: AgentMemoryOptions
  readonly #log: StateLog
  readonly #runs = new Runs()

  constructor(sessions: Sessions, options: AgentMemoryOptions) {
    this.#sessions = sessions
    this.#options = options
    this.#log = new StateLog(options.sender)
    this.tools = options.memoryTools === false ? [] : memoryToolsFor(runtime => this.#runOfTool(runtime))
  }

  /**
   * Everything said before the call is durable when the model is called. The reply is durable when this
   * returns.
   */
  async callModel(request: ModelRequest, handler: ModelHandler): Promise<AIMessage> {
    const handle = this.#sessions.of(request.runtime as AgentRuntime)
    const { messages } = request.state
    const run = await this.#runs.of(handle, messages)
    const asked = await this.#log.store(handle, messages, run.session)
    run.question = asked.seq
    // The session must also exist while it has no messages yet.
    if (messages.length === 0) await run.session.append([])
    const call = await this.#prepare(run, { request, handler, steps: asked.steps })
    const answer = await call.run()
    const reply = replyIn(answer)
    if (reply !== null) {
      await this.#log.storeReply(handle, reply, { session: run.session, replyTo: run.question })
      await call.observeUsage(reply)
    }
    return answer
  }

  /**
   * At the end of a run LangChain does not put the caller's `context` into the runtime. It is in the
   * configuration around it.
   */
  async endRun(state: readonly BaseMessage[], runtime: AgentRuntime): Promise<void> {
    const { AsyncLocalStorageProviderSingleton: around } = (await loadPeers()).singletons
    const { context } = (around.getRunnableConfig() ?? {}) as Pick<AgentRuntime, 'context'>
    const handle = this.#sessions.of({ ...runtime, ...(context !== undefined && { context }) })
    await this.#log.store(handle, state, this.#runs.end(handle, state)?.session)
  }

  /** The run as it has seen the session, where LangChain tells in which state a tool was called. */
  #runOfTool(runtime: AgentRuntime & { readonly state?: unknown }): Pick<Run, 'session' | 'asking'> {
    const handle = this.#sessions.of(runtime)
    const { messages } = (runtime.state ?? {}) as { readonly messages?: unknown }
    const run = Array.isArray(messages) ? this.#runs.find(handle, messages) : undefined
    return run ?? { session: handle, asking: {} }
  }

  async #prepare(
    run: Run,
    {
      request,
      handler,
      steps,
    }: {
      readonly request: ModelRequest
      readonly handler: ModelHandler
      readonly steps: readonly number[]
    },
  ): Promise<ModelCall> {
    const [peers, facts] = await Promise.all([loadPeers(), factsOf(request.model)])
    const ours = this.tools as readonly NonNullable<ModelRequest['tools']>[number][]
    const offered = ours.length > 0 ? (await run.session.memoryTools(run.asking)).definitions : []
    const tools = offeredTools(request.tools ?? [], { ours, offered })
    const query = this.#options.recall ? lastQuestion(request.state.messages) : ''
    const contextOptions: ContextOptions = {
      ...(facts.thinks && { reasoning: 'keep' }),
      ...this.#options.context,
      instructions: request.systemMessage?.text ?? '',
      tools: toolDefinitions(tools, peers),
      ...(facts.name !== undefined && { model: facts.name }),
      ...(query !== '' && { query }),
      ...(run.question !== null && { throughSeq: run.question, alsoSeqs: steps }),
    }
    return new ModelCall({
      request: { ...request, tools },
      handler,
      run,
      contextOptions,
      facts,
      peers,
    })
  }
}

function lastQuestion(state: readonly BaseMessage[]): string {
  return state.findLast(({ type }) => type === 'human')?.text ?? ''
}
