import { PalimpsestError } from '../../errors.ts'
import { alignHistory, type KnownMessage, type Message, saysTheSame } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import type { Listed } from './prompt-messages.ts'

/** Beyond what they send, so that a reply of ours that they leave out is seen. */
const MORE_OF_OURS = 20
const MAX_OF_OURS = 1_000
/** The session's own limit. */
const MAX_AT_ONCE = 1_000
/** How often somebody else may be faster. */
const MAX_TRIES = 5

/** Begins the external ids of what came in a list, so that it is told from what others said. */
const MARK = 'model-call:'

/** What a call asks, as the log has it. */
export interface Stored {
  /** The user's last message of the list; `null`: there is none, or it lies too far back. */
  readonly seq: number | null
  /** Those of the list after it: what its own loop of tool calls did. */
  readonly steps: readonly number[]
}

/** Lays the list onto the log and stores what is new; `callId` is the call's own. */
export async function storePrompt(chat: Session, theirs: readonly Listed[], callId: string): Promise<Stored> {
  let arrived: number | null = null
  for (let tries = 1; ; tries++) {
    const ours = await readEnd(chat, theirs.length)
    // What has come since this call was made is nothing that it could leave out.
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

/** Where the log has the last message of the user's and what follows it in the list. */
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

/** As much of the log's end as a list of this length can speak of. */
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
