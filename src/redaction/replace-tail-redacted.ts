import { PalimpsestError } from '../errors.ts'
import type { Store, TailReceipt, TailRequest } from '../store/index.ts'
import { type Redaction, redactContent, redactMessage } from './redact-records.ts'

/**
 * What is expected is what was said or what is stored of it: a caller may know either. So where it does not fit as
 * the hook makes it, it is looked for as it came.
 */
export async function replaceTailRedacted(
  store: Store,
  request: TailRequest,
  redaction: Redaction,
): Promise<TailReceipt> {
  const messages = request.messages.map(message => redactMessage(message, redaction))
  const { expected } = request
  if (expected === 'everything') return store.replaceTail({ ...request, messages })
  const redacted = expected.map(({ role, content }) => ({
    role,
    content: redactContent(content, redaction.redact),
  }))
  try {
    return await store.replaceTail({ ...request, messages, expected: redacted })
  } catch (error) {
    const isChanged = redacted.some(({ content }, index) => content !== expected[index]!.content)
    if (!isChanged || !isTailConflict(error)) throw error
    return store.replaceTail({ ...request, messages })
  }
}

function isTailConflict(error: unknown): boolean {
  return (
    PalimpsestError.isInstance(error) &&
    error.code === 'history_conflict' &&
    error.details['reason'] === 'tail_changed'
  )
}
