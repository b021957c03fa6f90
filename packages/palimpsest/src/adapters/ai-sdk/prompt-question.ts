import { renderMessage } from '../../context/index.ts'
import type { Context } from '../../contexts.ts'
import { type Message, saysTheSame } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import { measureMessage } from '../../tokens/index.ts'
import { type Asked, askedIn } from '../../turn/index.ts'
import type { Listed } from './prompt-messages.ts'
import { readEnd } from './store-prompt.ts'

/**
 * What a loop of tool calls answers: the user's last messages in the call's own list, as the log has them.
 * Empty if the list ends with them: then every context shows them.
 */
export async function findQuestion(chat: Session, theirs: readonly Listed[]): Promise<readonly Message[]> {
  const last = theirs.findLastIndex(({ role }) => role === 'user')
  if (last === -1 || last === theirs.length - 1) return []
  const first = theirs.findLastIndex(({ role }, place) => place < last && role !== 'user') + 1
  const found: Message[] = []
  let { messages } = await readEnd(chat, theirs.length)
  for (const asked of theirs.slice(first, last + 1).reverse()) {
    const place = messages.findLastIndex(message => saysTheSame(message, asked))
    if (place === -1) break
    found.unshift(messages[place]!)
    messages = messages.slice(0, place)
  }
  return found
}

/**
 * The question in the form of a context, for a context that no longer shows it; `null`: it shows the
 * question, or there is none.
 */
export async function askedOf(
  chat: Session,
  question: readonly Message[],
  context: Context,
): Promise<Asked | null> {
  const { messageSeqs, raw, report, language } = context
  const newest = question.at(-1)
  if (newest === undefined || messageSeqs.includes(newest.seq)) return null
  const kind = (await chat.info())?.kind ?? 'private'
  const rules = { kind, clipTokens: raw.clipTokens, reasoning: 'drop' as const, language }
  const shown = question.flatMap(message => {
    const tokens = measureMessage(message).tokens
    return renderMessage({ ...message, turn: 0, tokens }, rules).plain ?? []
  })
  return askedIn({
    ...context,
    messages: shown.map(({ message }) => message),
    messageTokens: shown.map(({ tokens }) => tokens),
    messageSeqs: shown.map(({ seq }) => seq),
    report: { ...report, throughSeq: newest.seq },
  })
}
