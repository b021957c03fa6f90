import { type Message, mayAnswer, quotedFrom } from '../../log/index.ts'
import { erasedKey, keyOf } from './keys.ts'
import { allIn } from './many.ts'
import type { SessionRow } from './rows.ts'
import { readMessagesAt } from './search.ts'
import { first, type Steps } from './steps.ts'
import { countVisible } from './visible.ts'

/**
 * Adds to messages what they answer, if that is not the message right before. It quotes only messages that
 * were there when the answer came, and that can be seen. So nothing that comes later changes a quote, and an
 * erased message leaves no words. If no message answers another, no query is sent.
 */
export function* withAnswered<M extends Message>(
  session: SessionRow,
  messages: readonly M[],
): Steps<readonly M[]> {
  const asking = messages.filter(mayAnswer)
  if (asking.length === 0) return messages
  const bySeq = new Map<number, Message>(messages.map(message => [message.seq, message]))
  const seqOf = yield* seqsAnswered(session, messages, asking)
  const targets = new Map<M, number>()
  for (const message of asking) {
    const target = seqOf(message.replyTo!)
    if (target === undefined || target >= message.seq) continue
    if (!(yield* isRightBefore(session, target, message.seq))) targets.set(message, target)
  }
  const wanted = [...new Set(targets.values())].filter(seq => !bySeq.has(seq))
  const read = wanted.length === 0 ? [] : yield* readMessagesAt(session, wanted)
  for (const message of read) bySeq.set(message.seq, message)
  return messages.map(message => {
    const answered = bySeq.get(targets.get(message) ?? 0)
    if (!answered) return message
    const { seq, role, sender } = answered
    return { ...message, answered: { seq, role, sender, ...quotedFrom(answered) } }
  })
}

export function* readAnsweringAt(session: SessionRow, seqs: readonly number[]): Steps<readonly Message[]> {
  return yield* withAnswered(session, yield* readMessagesAt(session, seqs))
}

export function* knowsExternalId(session: SessionRow, externalId: string): Steps<boolean> {
  const row = yield* first(
    'SELECT seq FROM messages WHERE session_id = ?1 AND external_key IN (?2, ?3)',
    session.id,
    keyOf(externalId),
    erasedKey(externalId),
  )
  return row !== undefined
}

/**
 * A message may name what it answers by `seq` or by the platform's id. Ids of the given messages are known
 * already.
 */
function* seqsAnswered(
  session: SessionRow,
  messages: readonly Message[],
  asking: readonly Message[],
): Steps<(replyTo: number | string) => number | undefined> {
  const known = new Map<string, number>()
  for (const { externalId, seq } of messages) if (externalId !== null) known.set(keyOf(externalId), seq)
  const ids = asking.flatMap(({ replyTo }) => (typeof replyTo === 'string' ? keyOf(replyTo) : []))
  const unknown = [...new Set(ids)].filter(key => !known.has(key))
  const rows =
    unknown.length === 0
      ? []
      : yield* allIn<{ seq: number; external_key: string }>(
          'SELECT seq, external_key FROM messages WHERE session_id = ?1 AND external_key IN (*)',
          [session.id],
          unknown,
        )
  for (const { external_key, seq } of rows) known.set(external_key, seq)
  return replyTo => (typeof replyTo === 'number' ? replyTo : known.get(keyOf(replyTo)))
}

function* isRightBefore(session: SessionRow, target: number, seq: number): Steps<boolean> {
  return seq - target === 1 || (yield* countVisible(session, { after: target, through: seq - 1 })) === 0
}
