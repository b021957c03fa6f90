import type { MessageList } from '@mastra/core/agent/message-list'
import type * as Mastra from '@mastra/core/processors'
import type { RequestContext } from '@mastra/core/request-context'
import type { ContextOptions } from '../../contexts.ts'
import { InvalidArgumentError } from '../../errors.ts'
import { checkOptions, optionsOf } from '../../known-options.ts'
import { contentText } from '../../log/index.ts'
import type { Palimpsest } from '../../palimpsest.ts'
import type { Session } from '../../session.ts'
import {
  type Asked,
  askedIn,
  baseOf,
  isOverflowError,
  promptFor,
  type Shown,
  shortenedBudget,
  showAsked,
  toModelPrompt,
  toolDefinitions,
} from '../../turn/index.ts'
import { type Ending, logRecords } from './log-records.ts'

export type PalimpsestProcessor = Mastra.InputProcessor & Mastra.OutputProcessor & Mastra.ErrorProcessor

/** What a call of an agent tells of its conversation. */
export interface MastraCall {
  readonly threadId?: string | undefined
  readonly resourceId?: string | undefined
  readonly requestContext?: RequestContext | undefined
}

export interface PalimpsestProcessorOptions {
  /**
   * The session of a call. The default: the session with the id of the thread, of the user with the id of the
   * resource.
   */
  readonly session?: (call: MastraCall) => Session
  /** The default: true. */
  readonly memoryTools?: boolean
  /** For every context. Instructions, tools and model come from the agent. */
  readonly context?: Pick<ContextOptions, 'budget' | 'outputReserve' | 'usualReserve' | 'reasoning'>
}

const OPTIONS = optionsOf<PalimpsestProcessorOptions>({ session: true, memoryTools: true, context: true })
const CONTEXT = optionsOf<NonNullable<PalimpsestProcessorOptions['context']>>({
  budget: true,
  outputReserve: true,
  usualReserve: true,
  reasoning: true,
})

/** One call of `generate` or `stream`. */
interface Run {
  /** The session as it was when the call began. */
  readonly chat: Session
  readonly stored: Set<string>
  /** The user's last message of the call; `null`: none is stored yet. */
  question: number | null
  /** The messages after the question that answer it. */
  steps: number[]
  tools?: readonly object[]
  /** What the caller gave as `context`: it is no part of the conversation and is never stored. */
  beside?: string
  budget?: number
  asked?: Asked | null
  sent?: Shown & { readonly model: string }
}

const MAX_AT_ONCE = 1_000

/**
 * Gives an agent a memory. What is said goes into the log as it happens. The model is sent the session's
 * context in place of Mastra's messages. Put it at the end of `inputProcessors`, `outputProcessors` and
 * `errorProcessors`: the log keeps a message as the other processors leave it.
 */
export function palimpsestProcessor(
  palimpsest: Palimpsest,
  options: PalimpsestProcessorOptions = {},
): PalimpsestProcessor {
  checkOptions('palimpsestProcessor', options, OPTIONS)
  checkOptions('palimpsestProcessor: context', options.context, CONTEXT)
  const { session = call => threadSession(palimpsest, call), memoryTools = true } = options
  // The key is the state that all hooks of a call share. Mastra may store that state, so nothing is put into
  // it.
  const runs = new WeakMap<object, Promise<Run>>()
  const runOf = (args: Pick<Mastra.ProcessLLMRequestArgs, 'state' | 'messageList' | 'requestContext'>) => {
    const known = runs.get(args.state)
    if (known) return known
    const { threadId, resourceId } = args.messageList?.serialize().memoryInfo ?? {}
    const chat = session({ threadId, resourceId, requestContext: args.requestContext })
    const run = chat
      .bound()
      .then((bound): Run => ({ chat: bound, stored: new Set(), question: null, steps: [] }))
    runs.set(args.state, run)
    run.catch(() => runs.delete(args.state))
    return run
  }
  return {
    id: 'palimpsest',

    async processInputStep(args) {
      const run = await runOf(args)
      await store(run, args.messageList)
      run.beside = besideText(args.messageList)
      const asked = run.question === null ? {} : { answers: [run.question] }
      const memory = memoryTools ? (await run.chat.memoryTools(asked)).toAISDK() : {}
      const tools: Record<string, unknown> = { ...memory, ...args.tools }
      run.tools = toolDefinitions(Object.fromEntries(Object.entries(tools).map(withSchema)))
      return { tools }
    },

    async processLLMRequest(args) {
      const { prompt, model } = args
      const run = await runOf(args)
      const system = prompt.flatMap(message => (message.role === 'system' ? [message.content] : []))
      const name = `${model.provider}:${model.modelId}`
      const shown = await show(run, {
        reasoning: 'keep',
        ...options.context,
        ...(run.budget !== undefined && { budget: run.budget }),
        ...(run.question !== null && { throughSeq: run.question, alsoSeqs: run.steps }),
        instructions: [...system, run.beside].filter(Boolean).join('\n\n'),
        tools: run.tools,
        model: name,
      })
      run.sent = { ...shown, model: name }
      const sent = promptFor(toModelPrompt(baseOf(shown), 'v2'), model.provider, shown.context.language)
      return { prompt: sent as Mastra.ProcessLLMRequestArgs['prompt'] }
    },

    async processOutputStep(args) {
      const run = await runOf(args)
      await store(run, args.messageList, { text: args.text })
      const { context, sent, model = '' } = run.sent ?? {}
      const inputTokens = args.usage?.inputTokens
      if (context && sent === context && inputTokens)
        await run.chat.observeUsage(context, { model, inputTokens })
      return args.messageList
    },

    async processOutputResult(args) {
      await store(await runOf(args), args.messageList, { isAborted: args.result.finishReason === 'aborted' })
      return args.messageList
    },

    /** The provider has less room than we thought: it is sent half of the context, once. */
    async processAPIError(args) {
      const { error, retryCount, abortSignal: signal } = args
      const run = await runOf(args)
      if (retryCount > 0 || !run.sent || !isOverflowError(error)) return undefined
      await run.chat.compact({ force: true, ...(signal && { signal }) })
      run.budget = shortenedBudget(run.sent.context.report.tokens)
      return { retry: true }
    },
  }
}

function threadSession(palimpsest: Palimpsest, { threadId, resourceId }: MastraCall): Session {
  const allowed =
    'the id of the thread, as in agent.stream(text, { memory: { thread, resource } }); or the option session'
  if (threadId === undefined) throw new InvalidArgumentError('memory.thread', threadId, allowed)
  return palimpsest.session(threadId, resourceId === undefined ? {} : { user: resourceId })
}

/**
 * Stores what came with this call and what the model answered. What Mastra's own memory adds is not stored.
 */
async function store(run: Run, messageList: MessageList, ending?: Ending): Promise<void> {
  const { chat, stored } = run
  const { input, output } = messageList.makeMessageSourceChecker()
  const messages = messageList.get.all.db().filter(({ id }) => input.has(id) || output.has(id))
  const records = messages.flatMap((message, index) => logRecords(message, messages[index + 1] ? {} : ending))
  const fresh = records.filter(({ externalId }) => !stored.has(externalId))
  for (let first = 0; first < fresh.length; first += MAX_AT_ONCE) {
    const page = fresh.slice(first, first + MAX_AT_ONCE)
    // A message that comes together with its question points to nothing: it stands right after the question.
    const answering = page.some(({ role }) => role === 'user') ? null : run.question
    const { messages } = await chat.append(page.map(record => ({ ...record, replyTo: answering })))
    for (const [place, { seq }] of messages.entries()) note(run, page[place]!, seq)
  }
  for (const { externalId } of fresh) stored.add(externalId)
}

function note(run: Run, { role }: { readonly role: string }, seq: number): void {
  if (role === 'user') {
    run.question = seq
    run.steps = []
  } else if (run.question !== null && seq > run.question) run.steps.push(seq)
}

function besideText(messageList: MessageList): string {
  const { context } = messageList.makeMessageSourceChecker()
  const messages = messageList.get.all.db().filter(({ id }) => context.has(id))
  return messages
    .flatMap(message => logRecords(message).map(({ content = '' }) => contentText(content)))
    .join('\n')
}

async function show(run: Run, options: ContextOptions): Promise<Shown> {
  const contextFor = (budget?: number) =>
    run.chat.context({ ...options, ...(budget !== undefined && { budget }) })
  if (run.asked) return showAsked(run.asked, contextFor)
  const shown = await showAsked(null, contextFor)
  run.asked = askedIn(shown.context)
  return shown
}

/** Mastra keeps the schema of a tool in a field of its own. */
function withSchema([name, tool]: [string, unknown]): [string, object] {
  const { parameters, inputSchema = parameters, ...rest } = tool as Record<string, unknown>
  return [name, { ...rest, inputSchema }]
}
