import { PalimpsestError } from '../../errors.ts'
import { alignHistory, type KnownMessage, type Message, saysTheSame } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import type { Listed } from './prompt-messages.ts'

/**
 * How many more messages of the log are read than the list has. So a reply that the list leaves out is seen.
 */
const MORE_OF_OURS = 20
const MAX_OF_OURS = 1_000
/** The session's own limit for one append. */
const MAX_AT_ONCE = 1_000
/** How often another writer may be faster. */
const MAX_TRIES = 5

/** External ids of messages from a list begin with this, so that other messages can be told from them. */
const MARK = 'model-call:'

/** What a call asks, as the log has it. */
export interface Stored {
  /** The user's last message in the list; `null`: there is none, or it lies too far back. */
  readonly seq: number | null
  /** The messages after it in the list: the work of the call's own loop of tool calls. */
  readonly steps: readonly number[]
}

/** Compares the list with the log and stores what is new. `callId` belongs to this call alone. */
export async function storePrompt(chat: Session, theirs: readonly Listed[], callId: string): Promise<Stored> {
  let arrived: number | null = null
  for (let tries = 1; ; tries++) {
    const ours = await readEnd(chat, theirs.length)
    // A message that came after the call was made cannot be one that the list leaves out.
    arrived ??= ours.messages.at(-1)?.seq ?? 0
    try {
      return await storeOnce(chat, theirs, { ours, callId, arrived })
    } catch (error) {
      if (tries === MAX_TRIES || !isTailConflict(error)) throw error
    }
  }
}

async function storeOnce(
  chat: Session,
  theirs: readonly Listed[],
  { ours, callId, arrived }: { ours: LogEnd; callId: string; arrived: number },
): Promise<Stored> {
  const known = ours.messages.map(message => toKnown(message, arrived))
  const { newFrom, contradicted } = alignHistory(known, theirs, ours)
  const place = theirs.findLastIndex(({ role }) => role === 'user')
  const there = place < newFrom ? locate(theirs.slice(0, newFrom), place, ours.messages) : null
  const replyTo = there?.seq ?? null
  const added = theirs.map((message, index) => ({
    ...message,
    externalId: `${MARK}${callId}:${index}`,
    ...(index > place && { replyTo }),
  }))
  const seqs: number[] = []
  if (contradicted > 0) {
    const expected = ours.messages.slice(-contradicted)
    const { messages } = await chat.replaceTail(added.slice(newFrom), { expected })
    seqs.push(...messages.map(({ seq }) => seq))
  } else
    for (let from = newFrom; from < added.length; from += MAX_AT_ONCE) {
      const { messages } = await chat.append(added.slice(from, from + MAX_AT_ONCE))
      seqs.push(...messages.map(({ seq }) => seq))
    }
  if (there !== null) return { seq: there.seq, steps: [...there.steps, ...seqs] }
  const asked = place - newFrom
  return { seq: seqs[asked] ?? null, steps: asked < 0 ? [] : seqs.slice(asked + 1) }
}

/** Where the log has the user's last message and the messages that follow it in the list. */
function locate(theirs: readonly Listed[], place: number, ours: readonly Message[]): Stored | null {
  const question = theirs[place]
  const at = question ? ours.findLastIndex(message => saysTheSame(message, question)) : -1
  if (at === -1) return null
  const steps: number[] = []
  let from = at + 1
  for (const step of theirs.slice(place + 1)) {
    const found = ours.findIndex((message, index) => index >= from && saysTheSame(message, step))
    if (found === -1) continue
    steps.push(ours[found]!.seq)
    from = found + 1
  }
  return { seq: ours[at]!.seq, steps }
}

interface LogEnd {
  readonly messages: readonly Message[]
  readonly isBeginning: boolean
}

/** The end of the log, as far as a list of this length can cover it. */
export async function readEnd(chat: Session, length: number): Promise<LogEnd> {
  const limit = Math.min(MAX_OF_OURS, length + MORE_OF_OURS)
  const messages = await chat.messages({ from: 'newest', limit })
  return { messages, isBeginning: messages.length < limit }
}

function toKnown({ seq, role, content, externalId, replyTo }: Message, arrived: number): KnownMessage {
  const said = { seq, role, content, replyTo }
  if (seq > arrived) return { ...said, from: 'elsewhere' }
  if (externalId?.startsWith(MARK)) return { ...said, from: 'list' }
  return role === 'assistant' || role === 'tool' ? said : { ...said, from: 'elsewhere' }
}

function isTailConflict(error: unknown): boolean {
  return PalimpsestError.isInstance(error) && error.code === 'history_conflict'
}
