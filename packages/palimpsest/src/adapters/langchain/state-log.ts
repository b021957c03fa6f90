import { createHash, randomUUID } from 'node:crypto'
import type { BaseMessage } from '@langchain/core/messages'
import { BoundedMap } from '../../bounded-map.ts'
import { type ErrorCode, type MessageConflictError, PalimpsestError } from '../../errors.ts'
import { alignHistory, type Content, interruptionOf, type MessageInput } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import { externalIdOf, newExternalId, type SenderOf, toMessageInput } from './from-langchain.ts'

/** How many messages are read, once, of a log that this process does not know yet. */
const LOOKED_BACK = 200
/** How many of the newest messages are remembered for each session. */
const MAX_REMEMBERED = 500
const MAX_AT_ONCE = 200
/**
 * Where ids tell nothing, a caller's messages are compared with the end of the log. It is this much longer
 * than they are, and never longer than `MAX_OF_LOG`.
 */
const MORE_OF_LOG = 20
const MAX_OF_LOG = 1_000

/** What this process knows of a session's log. */
class Known {
  /**
   * The session's own number. A later session with the same name is another one, and nothing is known of it.
   * `null`: there is no session yet.
   */
  number: number | null
  /**
   * By external id, a digest of what each stored message said; `null`: another process stored it. The newest
   * is last.
   */
  readonly digests = new BoundedMap<string, string | null>(MAX_REMEMBERED, id => this.seqs.delete(id))
  /** By external id, the place of each of these messages in the log. */
  readonly seqs = new Map<string, number>()
  /** The model's last reply: another middleware may still change it. */
  reply: { readonly externalId: string; readonly seq: number } | null = null

  constructor(number: number | null) {
    this.number = number
  }
}

/** What a state asks, as the log has it. */
export interface StoredState {
  /** The user's last message; `null`: there is none, or this process does not know it. */
  readonly seq: number | null
  /** The messages of the state after it: what its own run did. */
  readonly steps: readonly number[]
}

/**
 * Brings an agent's state into the log. Each message is stored once, in the order of the state, and nothing
 * is ever removed. The cost depends on what is new: a state is read from its end back to the first known
 * message.
 */
export class StateLog {
  readonly #known = new WeakMap<Session, Known>()
  /** What is already stored decides what is stored next, so each session stores one state at a time. */
  readonly #queues = new WeakMap<Session, Promise<void>>()
  readonly #sender: SenderOf | undefined

  constructor(sender?: SenderOf) {
    this.#sender = sender
  }

  /** Resolves when everything in the state is durable. `session`: the session as a run has seen it. */
  async store(handle: Session, state: readonly BaseMessage[], session = handle): Promise<StoredState> {
    return this.#inTurn(handle, session, async (own, known) => {
      await storeState(own, state, { known, sender: this.#sender })
      return askedIn(state, known)
    })
  }

  /**
   * Stores what the model said just now. It is certainly new, whatever its id is: some providers give every
   * reply the same id. `replyTo`: the message that it answers.
   */
  async storeReply(
    handle: Session,
    reply: BaseMessage,
    { session = handle, replyTo = null }: { session?: Session; replyTo?: number | null } = {},
  ): Promise<void> {
    // LangGraph gives an id to a message without one in the same way. So the reply is known again in the
    // state.
    if (externalIdOf(reply) === null) reply.id = reply.lc_kwargs['id'] = randomUUID()
    const input = toMessageInput(reply)
    const externalId = externalIdOf(reply)
    if (input === null || externalId === null) return
    await this.#inTurn(handle, session, async (own, known) => {
      const seq = await appendNew(own, { ...input, replyTo })
      known.digests.set(externalId, digestOf(input))
      known.seqs.set(externalId, seq)
      known.reply = { externalId, seq }
    })
  }

  async #inTurn<Result>(
    handle: Session,
    session: Session,
    work: (own: Session, known: Known) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#queues.get(handle) ?? Promise.resolve()
    const done = before.then(async () => {
      const own = await session.bound()
      const known = await this.#knownOf(handle, own)
      const result = await work(own, known)
      known.number = own.number
      return result
    })
    this.#queues.set(
      handle,
      done.then(
        () => {},
        () => {},
      ),
    )
    return done
  }

  async #knownOf(handle: Session, own: Session): Promise<Known> {
    const known = this.#known.get(handle)
    if (known?.number === own.number) return known
    const anew = new Known(own.number)
    const newest = await own.messages({ from: 'newest', limit: LOOKED_BACK })
    for (const { externalId, seq } of newest) {
      if (externalId === null) continue
      anew.digests.set(externalId, null)
      anew.seqs.set(externalId, seq)
    }
    this.#known.set(handle, anew)
    return anew
  }
}

async function storeState(
  session: Session,
  state: readonly BaseMessage[],
  { known, sender }: { readonly known: Known; readonly sender: SenderOf | undefined },
): Promise<void> {
  const asked = state.findLastIndex(({ type }) => type !== 'human') + 1
  const anchor = state.findLastIndex((message, place) => isKnown(message, known, place >= asked))
  if (anchor !== -1) await takeOverChange(session, state[anchor]!, known)
  const inputs = toInputs(state.slice(anchor + 1), sender)
  const fresh = anchor === -1 ? await withoutHistory(session, inputs) : inputs
  const question = new Set(toInputs(state.slice(asked), sender).map(({ externalId }) => externalId))
  const { seq: replyTo } = askedIn(state, known)
  const stored = new Map<string, number>()
  for (let from = 0; from < fresh.length; from += MAX_AT_ONCE) {
    const page = fresh.slice(from, from + MAX_AT_ONCE)
    const pointing = page.map(input => (input.role === 'user' ? input : { ...input, replyTo }))
    await appendAll(session, pointing, { question, stored })
  }
  // These include messages that the log has under other ids: the next read of this state ends at them.
  for (const input of inputs)
    if (input.externalId != null) known.digests.set(input.externalId, digestOf(input))
  for (const [externalId, seq] of stored) known.seqs.set(externalId, seq)
}

function askedIn(state: readonly BaseMessage[], { seqs }: Known): StoredState {
  const place = state.findLastIndex(({ type }) => type === 'human')
  const seqOf = (message: BaseMessage | undefined) =>
    seqs.get((message && externalIdOf(message)) ?? '') ?? null
  return {
    seq: seqOf(state[place]),
    steps: state.slice(place + 1).flatMap(message => seqOf(message) ?? []),
  }
}

function toInputs(messages: readonly BaseMessage[], sender: SenderOf | undefined): MessageInput[] {
  return messages.flatMap(message => toMessageInput(message, { sender }) ?? [])
}

/** What is asked now must match in its words too: with an id that is used again it is another question. */
function isKnown(message: BaseMessage, { digests }: Known, isAsked: boolean): boolean {
  const digest = digests.get(externalIdOf(message) ?? '')
  if (digest === undefined || !isAsked) return digest !== undefined
  const input = toMessageInput(message)
  return input !== null && digestOf(input) === digest
}

/**
 * A person may have approved other arguments, or text may have been blacked out. The log tells what was
 * really done.
 */
async function takeOverChange(session: Session, message: BaseMessage, known: Known): Promise<void> {
  const { reply } = known
  const input = externalIdOf(message) === reply?.externalId ? toMessageInput(message) : null
  if (reply === null || input === null || digestOf(input) === known.digests.get(reply.externalId)) return
  try {
    await session.edit(reply.seq, input.content as Content)
  } catch (error) {
    // The message was erased or taken back since.
    if (!isError(error, 'message_not_found')) throw error
  }
  known.digests.set(reply.externalId, digestOf(input))
}

/**
 * Replies with ids that the log does not know come from a caller that keeps the history itself: LangChain
 * gives the caller's messages new ids in each run. A message that the log has in the same words is not stored
 * again.
 */
async function withoutHistory(
  session: Session,
  inputs: readonly MessageInput[],
): Promise<readonly MessageInput[]> {
  if (!inputs.some(({ role }) => role === 'assistant')) return inputs
  const limit = Math.min(MAX_OF_LOG, inputs.length + MORE_OF_LOG)
  const newest = await session.messages({ from: 'newest', limit })
  // The caller never got a reply that broke off.
  const ours = newest.filter(({ content }) => interruptionOf(content) === null)
  const theirs = inputs.map(({ role, content }) => ({ role, content: content as Content }))
  return inputs.slice(alignHistory(ours, theirs).newFrom)
}

/**
 * A message may be stored with other content, because it was edited since. It stays as it is stored. What is
 * asked now is the exception: it is never left out.
 */
async function appendAll(
  session: Session,
  inputs: readonly MessageInput[],
  {
    question,
    stored,
  }: {
    readonly question: ReadonlySet<MessageInput['externalId']>
    /** Receives the place of each message in the log, by the id that the message came with. */
    readonly stored: Map<string, number>
  },
): Promise<void> {
  let left = inputs.map(input => ({ input, id: input.externalId ?? '' }))
  while (left.length > 0)
    try {
      const { messages } = await session.append(left.map(({ input }) => input))
      for (const [place, { seq }] of messages.entries()) stored.set(left[place]!.id, seq)
      return
    } catch (error) {
      if (!isConflict(error)) throw error
      const { externalId, seq } = error.details
      const isHere = ({ input }: { input: MessageInput }) => input.externalId === externalId
      if (!left.some(isHere)) throw error
      const isAsked = question.has(externalId)
      if (!isAsked && seq !== null) stored.set(externalId, seq)
      left = isAsked
        ? left.map(each =>
            isHere(each) ? { ...each, input: { ...each.input, externalId: newExternalId() } } : each,
          )
        : left.filter(each => !isHere(each))
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
