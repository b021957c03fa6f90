import { type MessageConflictError, PalimpsestError } from '../errors.ts'
import {
  type AppendReceipt,
  type AppendRequest,
  keyName,
  type MeasuredMessage,
  type Store,
} from '../store/index.ts'
import type { Redact } from './redact.ts'
import { mapInSteps, type Redaction, redactContent, redactMessage } from './redact-records.ts'
import { runInSlices } from './steps.ts'

/**
 * A message that came before is known by its external id and compared by its content. The stored one may be
 * older than the hook, or come from an earlier hook that redacted less. If the hook makes the same of both,
 * they are the same message. Then the answer is that of a repeat, and what is stored stays as it is.
 */
export function appendRedacted(
  store: Store,
  request: AppendRequest,
  redaction: Redaction,
): Promise<AppendReceipt> {
  return redaction.turns.run(
    keyName(request.key),
    () => runInSlices(mapInSteps(request.messages, message => redactMessage(message, redaction))),
    messages => appendMessages(store, request, messages, redaction),
  )
}

async function appendMessages(
  store: Store,
  request: AppendRequest,
  messages: readonly MeasuredMessage[],
  redaction: Redaction,
): Promise<AppendReceipt> {
  /** By external id, the `seq` of the stored message. */
  const known = new Map<string, number>()
  for (;;) {
    const isKnown = ({ externalId }: MeasuredMessage) => externalId !== null && known.has(externalId)
    const fresh = messages.filter(message => !isKnown(message))
    try {
      const receipt = await store.log.append(withMessages(request, fresh))
      const answers = receipt.messages.values()
      const answer = (message: MeasuredMessage) =>
        isKnown(message) ? { seq: known.get(message.externalId!)!, duplicate: true } : answers.next().value!
      return { ...receipt, messages: messages.map(answer) }
    } catch (error) {
      const repeat = isConflict(error)
        ? await findRepeat(store, request, fresh, error, redaction.redact)
        : null
      if (repeat === null) throw error
      known.set(repeat.externalId, repeat.seq)
    }
  }
}

/**
 * If all messages are known, the whole request is a repeat. It must not look like an answer without words.
 */
function withMessages(request: AppendRequest, messages: readonly MeasuredMessage[]): AppendRequest {
  const { answers, ...rest } = request
  const isRepeat = messages.length === 0 && request.messages.length > 0
  return { ...rest, messages, ...(answers && !isRepeat && { answers }) }
}

function isConflict(error: unknown): error is MessageConflictError {
  return PalimpsestError.isInstance(error) && error.code === 'message_conflict'
}

/** `null`: the stored message is another one. */
async function findRepeat(
  store: Store,
  { key }: AppendRequest,
  messages: readonly MeasuredMessage[],
  { details: { seq, externalId } }: MessageConflictError,
  redact: Redact,
): Promise<{ externalId: string; seq: number } | null> {
  if (seq === null) return null
  const delivered = messages.filter(message => message.externalId === externalId)
  const [stored] = await store.log.readMessages(key, {
    after: seq - 1,
    before: seq + 1,
    limit: 1,
    from: 'oldest',
  })
  if (stored === undefined || delivered.some(({ role }) => role !== stored.role)) return null
  const versions = await store.log.readVersions(key, seq)
  for (const { content } of versions) {
    const redacted = JSON.stringify(await runInSlices(redactContent(content, redact)))
    if (delivered.every(message => JSON.stringify(message.content) === redacted)) return { externalId, seq }
  }
  return null
}
