import type { BaseMessage } from '@langchain/core/messages'
import type { ClientTool, ServerTool } from '@langchain/core/tools'
import type { AgentMiddleware } from 'langchain'
import { InvalidArgumentError } from '../../errors.ts'
import { checkOptions, optionsOf } from '../../known-options.ts'
import type { Palimpsest } from '../../palimpsest.ts'
import { AgentMemory, type AgentMemoryOptions } from './agent-memory.ts'
import type { ModelHandler, ModelRequest } from './model-call.ts'
import { checkPeers } from './peers.ts'
import { type AgentRuntime, Sessions, type WhichSession } from './which-session.ts'

export interface PalimpsestMiddlewareOptions extends WhichSession, AgentMemoryOptions {}

export type PalimpsestMiddleware = AgentMiddleware<
  undefined,
  undefined,
  unknown,
  readonly (ClientTool | ServerTool)[],
  readonly []
>

const OPTIONS = optionsOf<PalimpsestMiddlewareOptions>({
  session: true,
  sessionOptions: true,
  memoryTools: true,
  recall: true,
  sender: true,
  context: true,
})
const CONTEXT = optionsOf<NonNullable<AgentMemoryOptions['context']>>({
  budget: true,
  outputReserve: true,
  usualReserve: true,
  reasoning: true,
  policy: true,
})

/**
 * Memory for `createAgent`. What the agent hears, says and does goes into the log. Each call of the model
 * gets the session's context in place of the state's messages. The agent's state itself does not change.
 *
 * There is no hook around tool calls: with one, LangChain no longer tells the model of a tool's error. There
 * is no hook before the model: each would add a step to the graph, with a checkpoint and a share of the
 * recursion limit.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [palimpsestMiddleware(palimpsest)] })
 * await agent.invoke({ messages }, { configurable: { thread_id: 'chat-42' } })
 */
export function palimpsestMiddleware(
  palimpsest: Palimpsest,
  options: PalimpsestMiddlewareOptions = {},
): PalimpsestMiddleware {
  checkPeers()
  checkArguments(palimpsest, options)
  const memory = new AgentMemory(new Sessions(palimpsest, options), options)
  const middleware = {
    // LangChain's `createMiddleware` marks its result in this way.
    [Symbol.for('AgentMiddleware')]: true,
    name: 'PalimpsestMiddleware',
    tools: memory.tools,
    wrapModelCall: (request: ModelRequest, handler: ModelHandler) => memory.callModel(request, handler),
    afterAgent: (state: { messages: BaseMessage[] }, runtime: AgentRuntime) =>
      memory.endRun(state.messages, runtime),
  }
  return middleware as unknown as PalimpsestMiddleware
}

/** Checks what types would catch, for callers without types. */
function checkArguments(palimpsest: Palimpsest, options: PalimpsestMiddlewareOptions): void {
  if (typeof palimpsest?.session !== 'function')
    throw new InvalidArgumentError('palimpsest', palimpsest, 'what createPalimpsest() gave')
  checkOptions('palimpsestMiddleware', options, OPTIONS)
  checkOptions('palimpsestMiddleware: context', options.context, CONTEXT)
  const { session, sender } = options
  if (sender !== undefined && typeof sender !== 'function')
    throw new InvalidArgumentError('sender', sender, 'a function of the message that gives { id, name }')
  if (session !== undefined && typeof session !== 'function')
    throw new InvalidArgumentError('session', session, 'a function of the runtime that names the session')
}
