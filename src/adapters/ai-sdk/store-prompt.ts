import { PalimpsestError } from '../../errors.ts'
import { alignHistory, type KnownMessage, type Message } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import type { Listed } from './prompt-messages.ts'

/** Beyond what they send, so that a reply of ours that they leave out is seen. */
const MORE_OF_OURS = 20
const MOST_OF_OURS = 1_000
/** The session's own limit. */
const MOST_AT_ONCE = 1_000
/** How often somebody else may be faster. */
const MOST_TRIES = 5

/** Begins the external ids of what came in a list, so that it is told from what others said. */
const MARK = 'model-call:'

/** Lays the list onto the log and stores what is new; `callId` is the call's own. */
export async function storePrompt(chat: Session, theirs: readonly Listed[], callId: string): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await storeOnce(chat, theirs, callId)
      return
    } catch (error) {
      if (tries === MOST_TRIES || !isTailConflict(error)) throw error
    }
}

async function storeOnce(chat: Session, theirs: readonly Listed[], callId: string): Promise<void> {
  const ours = await readEnd(chat, theirs.length)
  const { newFrom, contradicted } = alignHistory(ours.messages.map(toKnown), theirs, ours)
  const added = theirs.map((message, place) => ({ ...message, externalId: `${MARK}${callId}:${place}` }))
  if (contradicted > 0) {
    const expected = ours.messages.slice(-contradicted)
    await chat.replaceTail(added.slice(newFrom), { expected })
    return
  }
  for (let from = newFrom; from < added.length; from += MOST_AT_ONCE)
    await chat.append(added.slice(from, from + MOST_AT_ONCE))
}

/** As much of the log's end as a list of this length can speak of. */
export async function readEnd(
  chat: Session,
  length: number,
): Promise<{ readonly messages: readonly Message[]; readonly isBeginning: boolean }> {
  const limit = Math.min(MOST_OF_OURS, length + MORE_OF_OURS)
  const messages = await chat.messages({ from: 'newest', limit })
  return { messages, isBeginning: messages.length < limit }
}

function toKnown({ role, content, externalId }: Message): KnownMessage {
  if (externalId?.startsWith(MARK)) return { role, content, from: 'list' }
  return role === 'assistant' || role === 'tool' ? { role, content } : { role, content, from: 'elsewhere' }
}

function isTailConflict(error: unknown): boolean {
  return PalimpsestError.isInstance(error) && error.code === 'history_conflict'
}
