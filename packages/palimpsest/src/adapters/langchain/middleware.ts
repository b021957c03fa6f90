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
 * Memory for `createAgent`: what the agent hears, says and does goes into the log, and each call of the model gets
 * the session's context in place of the state's messages. The agent's state itself is not changed.
 *
 * It has no hook around tool calls, since with one LangChain no longer tells the model of a tool's error; and none
 * before the model, since each would be a step of the graph more, with a checkpoint and a share of the recursion
 * limit.
 */
export function palimpsestMiddleware(
  palimpsest: Palimpsest,
  options: PalimpsestMiddlewareOptions = {},
): PalimpsestMiddleware {
  checkPeers()
  checkArguments(palimpsest, options)
  const memory = new AgentMemory(new Sessions(palimpsest, options), options)
  const middleware = {
    // As LangChain's `createMiddleware` marks what it makes.
    [Symbol.for('AgentMiddleware')]: true,
    name: 'PalimpsestMiddleware',
    tools: memory.tools,
    wrapModelCall: (request: ModelRequest, handler: ModelHandler) => memory.callModel(request, handler),
    afterAgent: (state: { messages: BaseMessage[] }, runtime: AgentRuntime) =>
      memory.endRun(state.messages, runtime),
  }
  return middleware as unknown as PalimpsestMiddleware
}

/** What types would have caught, for those who do without. */
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
