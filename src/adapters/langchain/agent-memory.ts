import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { ClientTool } from '@langchain/core/tools'
import type { ContextOptions } from '../../contexts.ts'
import type { Session } from '../../session.ts'
import { memoryToolsFor, offeredTools } from './memory-tools.ts'
import { ModelCall, type ModelHandler, type ModelRequest, replyIn } from './model-call.ts'
import { factsOf } from './model-facts.ts'
import { loadPeers } from './peers.ts'
import { Run } from './run.ts'
import { StateLog } from './state-log.ts'
import { toolDefinitions } from './tool-definitions.ts'
import type { AgentRuntime, Sessions } from './which-session.ts'

export interface AgentMemoryOptions {
  /** Offers the memory tools to the model, as far as the session has them. The default: true. */
  readonly memoryTools?: boolean
  /** Finds older messages that may answer the user's last one, and puts them before it. The default: false. */
  readonly recall?: boolean
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
  readonly #log = new StateLog()
  readonly #runs = new WeakMap<Session, Run>()

  constructor(sessions: Sessions, options: AgentMemoryOptions) {
    this.#sessions = sessions
    this.#options = options
    this.tools = options.memoryTools === false ? [] : memoryToolsFor(runtime => sessions.of(runtime))
  }

  /** All that was said before the call is durable when it is made, and the reply when it is answered. */
  async callModel(request: ModelRequest, handler: ModelHandler): Promise<AIMessage> {
    const session = this.#sessions.of(request.runtime as AgentRuntime)
    await this.#log.store(session, request.state.messages)
    // A session that nobody has said anything in yet has to be there, too.
    if (request.state.messages.length === 0) await session.append([])
    const call = await this.#prepare(session, request, handler)
    const answer = await call.run()
    const reply = replyIn(answer)
    if (reply !== null) {
      await this.#log.storeReply(session, reply)
      await call.observeUsage(reply)
    }
    return answer
  }

  /** The caller's `context` is not in the runtime that LangChain gives at the end of a run, but around it. */
  async endRun(state: readonly BaseMessage[], runtime: AgentRuntime): Promise<void> {
    const { AsyncLocalStorageProviderSingleton: around } = (await loadPeers()).singletons
    const { context } = (around.getRunnableConfig() ?? {}) as Pick<AgentRuntime, 'context'>
    const session = this.#sessions.of({ ...runtime, ...(context !== undefined && { context }) })
    await this.#log.store(session, state)
  }

  async #prepare(session: Session, request: ModelRequest, handler: ModelHandler): Promise<ModelCall> {
    const [peers, facts] = await Promise.all([loadPeers(), factsOf(request.model)])
    const ours = this.tools
    const offered = ours.length > 0 ? (await session.memoryTools()).definitions.map(({ name }) => name) : []
    const tools = offeredTools(request.tools ?? [], { ours, offered })
    const query = this.#options.recall ? lastQuestion(request.state.messages) : ''
    const contextOptions: ContextOptions = {
      ...(facts.thinks && { reasoning: 'keep' }),
      ...this.#options.context,
      instructions: request.systemMessage?.text ?? '',
      tools: toolDefinitions(tools, peers),
      ...(facts.name !== undefined && { model: facts.name }),
      ...(query !== '' && { query }),
    }
    const run = this.#runOf(session, request.state.messages)
    return new ModelCall(session, {
      request: { ...request, tools },
      handler,
      run,
      contextOptions,
      facts,
      peers,
    })
  }

  #runOf(session: Session, state: readonly BaseMessage[]): Run {
    const underWay = state.at(-1)?.type === 'human' ? undefined : this.#runs.get(session)
    const run = underWay ?? new Run()
    this.#runs.set(session, run)
    return run
  }
}

function lastQuestion(state: readonly BaseMessage[]): string {
  return state.findLast(({ type }) => type === 'human')?.text ?? ''
}
