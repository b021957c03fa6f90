import { BoundedMap } from '../../bounded-map.ts'
import { InvalidArgumentError } from '../../errors.ts'
import type { Palimpsest, SessionOptions } from '../../palimpsest.ts'
import type { Session } from '../../session.ts'

/** What LangChain tells middleware and tools about their run. */
export interface AgentRuntime {
  /** What the caller gave with the run; `thread_id` names the conversation. */
  readonly configurable?: { readonly thread_id?: string; readonly [name: string]: unknown }
  /** The caller's own context, in the form of the agent's `contextSchema`. */
  readonly context?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}

export interface WhichSession {
  /** Left out: `configurable.thread_id` is the session's id. */
  readonly session?: (
    runtime: AgentRuntime,
  ) => string | Session | { readonly id: string; readonly options?: SessionOptions }
  /** Kind, user and scope, for sessions that are named only by an id. */
  readonly sessionOptions?: SessionOptions | ((runtime: AgentRuntime) => SessionOptions)
}

/** How many handles are kept, each with what is known of its conversation. */
const MAX_HANDLES = 1_000

/** Tells which session a run belongs to. The same session has the same handle as long as it is in use. */
export class Sessions {
  readonly #palimpsest: Palimpsest
  readonly #which: WhichSession
  /** The handle that was used last stands last. */
  readonly #handles = new BoundedMap<string, Session>(MAX_HANDLES)

  constructor(palimpsest: Palimpsest, which: WhichSession) {
    this.#palimpsest = palimpsest
    this.#which = which
  }

  of(runtime: AgentRuntime): Session {
    const { session, sessionOptions } = this.#which
    const named = session ? session(runtime) : threadOf(runtime)
    if (isSession(named)) return named
    const usual = typeof sessionOptions === 'function' ? sessionOptions(runtime) : sessionOptions
    if (typeof named === 'string') return this.#handle(named, usual ?? {})
    if (typeof named?.id !== 'string')
      throw new InvalidArgumentError('session', named, 'an id, a session, or { id, options }')
    return this.#handle(named.id, { ...usual, ...named.options })
  }

  #handle(id: string, options: SessionOptions): Session {
    const name = JSON.stringify([id, options.kind, options.user, options.scope])
    const handle = this.#handles.get(name) ?? this.#palimpsest.session(id, options)
    this.#handles.set(name, handle)
    return handle
  }
}

function threadOf({ configurable }: AgentRuntime): string {
  const thread: unknown = configurable?.thread_id
  if (typeof thread === 'string' && thread !== '') return thread
  if (typeof thread === 'number') return String(thread)
  throw new InvalidArgumentError(
    'configurable.thread_id',
    thread,
    "the id of the conversation: agent.invoke(input, { configurable: { thread_id: 'chat-42' } }); " +
      'or name the session yourself: palimpsestMiddleware(palimpsest, { session: runtime => … })',
  )
}

function isSession(named: unknown): named is Session {
  const { append, context } = (named ?? {}) as Partial<Session>
  return typeof append === 'function' && typeof context === 'function'
}
