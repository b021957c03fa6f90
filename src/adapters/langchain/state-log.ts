import { createHash, randomUUID } from 'node:crypto'
import type { BaseMessage } from '@langchain/core/messages'
import { type ErrorCode, type MessageConflictError, PalimpsestError } from '../../errors.ts'
import { alignHistory, type Content, interruptionOf, type MessageInput } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import { externalIdOf, newExternalId, toMessageInput } from './from-langchain.ts'

/** What is read of a log that this process does not know yet: once. */
const LOOKED_BACK = 200
/** How many of the newest messages are remembered of each session. */
const MOST_REMEMBERED = 500
const MOST_AT_ONCE = 200
/** Where ids say nothing, what a caller sends is laid onto so much more of the log; and onto no more than that. */
const MORE_OF_LOG = 20
const MOST_OF_LOG = 1_000

/** What this process knows of a session's log. */
class Known {
  /**
   * The session's own number: whatever bears its name later is another one, of which nothing is known. `null`: there is
   * none yet.
   */
  number: number | null
  /** Of stored messages, by external id, what they said; `null`: another process knows. The newest is last. */
  readonly digests = new Map<string, string | null>()
  /** Another middleware may still change what the model said last. */
  reply: { readonly externalId: string; readonly seq: number } | null = null

  constructor(number: number | null) {
    this.number = number
  }

  remember(externalId: string, digest: string | null): void {
    this.digests.delete(externalId)
    this.digests.set(externalId, digest)
    const [oldest] = this.digests.keys()
    if (this.digests.size > MOST_REMEMBERED && oldest !== undefined) this.digests.delete(oldest)
  }
}

/**
 * Brings an agent's state into the log. Each message is stored once, in the order of the state, and nothing is ever
 * taken away. It costs what is new: a state is read from its end to the first message that is known.
 */
export class StateLog {
  readonly #known = new WeakMap<Session, Known>()
  /** What is stored is decided by what is stored already: one at a time. */
  readonly #queues = new WeakMap<Session, Promise<void>>()

  /** Resolves when everything in the state is durable. `session`: the same as a run has seen it. */
  async store(handle: Session, state: readonly BaseMessage[], session = handle): Promise<void> {
    await this.#inTurn(handle, session, (own, known) => storeState(own, state, known))
  }

  /**
   * What the model said just now. It is new for certain, whatever its id: some providers give the same one to every
   * reply.
   */
  async storeReply(handle: Session, reply: BaseMessage, session = handle): Promise<void> {
    // As LangGraph does it with a message that has none, so that it is known again in the state.
    if (externalIdOf(reply) === null) reply.id = reply.lc_kwargs['id'] = randomUUID()
    const input = toMessageInput(reply)
    const externalId = externalIdOf(reply)
    if (input === null || externalId === null) return
    await this.#inTurn(handle, session, async (own, known) => {
      const seq = await appendNew(own, input)
      known.remember(externalId, digestOf(input))
      known.reply = { externalId, seq }
    })
  }

  async #inTurn(
    handle: Session,
    session: Session,
    work: (own: Session, known: Known) => Promise<void>,
  ): Promise<void> {
    const before = this.#queues.get(handle) ?? Promise.resolve()
    const done = before.then(async () => {
      const own = await session.bound()
      const known = await this.#knownOf(handle, own)
      await work(own, known)
      known.number = own.number
    })
    this.#queues.set(
      handle,
      done.catch(() => {}),
    )
    await done
  }

  async #knownOf(handle: Session, own: Session): Promise<Known> {
    const known = this.#known.get(handle)
    if (known?.number === own.number) return known
    const anew = new Known(own.number)
    const newest = await own.messages({ from: 'newest', limit: LOOKED_BACK })
    for (const { externalId } of newest) if (externalId !== null) anew.remember(externalId, null)
    this.#known.set(handle, anew)
    return anew
  }
}

async function storeState(session: Session, state: readonly BaseMessage[], known: Known): Promise<void> {
  const asked = state.findLastIndex(({ type }) => type !== 'human') + 1
  const anchor = state.findLastIndex((message, place) => isKnown(message, known, place >= asked))
  if (anchor !== -1) await takeOverChange(session, state[anchor]!, known)
  const inputs = toInputs(state.slice(anchor + 1))
  const fresh = anchor === -1 ? await withoutHistory(session, inputs) : inputs
  const question = new Set(toInputs(state.slice(asked)).map(({ externalId }) => externalId))
  for (let from = 0; from < fresh.length; from += MOST_AT_ONCE)
    await appendAll(session, fresh.slice(from, from + MOST_AT_ONCE), question)
  // Those that were found in the log under other ids too: the next look at this state ends at them.
  for (const input of inputs) if (input.externalId != null) known.remember(input.externalId, digestOf(input))
}

function toInputs(messages: readonly BaseMessage[]): MessageInput[] {
  return messages.flatMap(message => toMessageInput(message) ?? [])
}

/** What is asked now counts by its words too: under an id that is used again it is another question. */
function isKnown(message: BaseMessage, { digests }: Known, isAsked: boolean): boolean {
  const digest = digests.get(externalIdOf(message) ?? '')
  if (digest === undefined || !isAsked) return digest !== undefined
  const input = toMessageInput(message)
  return input !== null && digestOf(input) === digest
}

/** A person approved of other arguments, or something was blacked out: the log says what was really done. */
async function takeOverChange(session: Session, message: BaseMessage, known: Known): Promise<void> {
  const { reply } = known
  const input = externalIdOf(message) === reply?.externalId ? toMessageInput(message) : null
  if (reply === null || input === null || digestOf(input) === known.digests.get(reply.externalId)) return
  try {
    await session.edit(reply.seq, input.content as Content)
  } catch (error) {
    // It was erased or taken back since.
    if (!isError(error, 'message_not_found')) throw error
  }
  known.remember(reply.externalId, digestOf(input))
}

/**
 * Replies that the log does not know by their ids come from a caller that keeps the history itself: LangChain gives
 * its messages new ids with each run. What the log has, by its words, is not stored again.
 */
async function withoutHistory(
  session: Session,
  inputs: readonly MessageInput[],
): Promise<readonly MessageInput[]> {
  if (!inputs.some(({ role }) => role === 'assistant')) return inputs
  const limit = Math.min(MOST_OF_LOG, inputs.length + MORE_OF_LOG)
  const newest = await session.messages({ from: 'newest', limit })
  // The caller never got a reply that broke off.
  const ours = newest.filter(({ content }) => interruptionOf(content) === null)
  const theirs = inputs.map(({ role, content }) => ({ role, content: content as Content }))
  return inputs.slice(alignHistory(ours, theirs).newFrom)
}

/**
 * One that is stored with other content, such as one that was edited since, stays as it is stored; unless it is what
 * is asked now: that is never left out.
 */
async function appendAll(
  session: Session,
  inputs: readonly MessageInput[],
  question: ReadonlySet<MessageInput['externalId']>,
): Promise<void> {
  let left = inputs
  while (left.length > 0)
    try {
      await session.append(left)
      return
    } catch (error) {
      if (!isConflict(error)) throw error
      const { externalId } = error.details
      const isHere = (input: MessageInput) => input.externalId === externalId
      if (!left.some(isHere)) throw error
      left = question.has(externalId)
        ? left.map(input => (isHere(input) ? { ...input, externalId: newExternalId() } : input))
        : left.filter(input => !isHere(input))
    }
}

async function appendNew(session: Session, input: MessageInput): Promise<number> {
  const first = await appendUnlessConflict(session, input)
  if (first !== null && !first.duplicate) return first.seq
  const { messages } = await session.append({ ...input, externalId: newExternalId() })
  return messages[0]!.seq
}

async function appendUnlessConflict(session: Session, input: MessageInput) {
  try {
    return (await session.append(input)).messages[0]!
  } catch (error) {
    if (isConflict(error)) return null
    throw error
  }
}

function isConflict(error: unknown): error is MessageConflictError {
  return isError(error, 'message_conflict')
}

function isError(error: unknown, code: ErrorCode): boolean {
  return PalimpsestError.isInstance(error) && error.code === code
}

function digestOf({ content }: MessageInput): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64')
}
