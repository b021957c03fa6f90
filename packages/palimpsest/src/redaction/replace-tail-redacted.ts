import { PalimpsestError } from '../errors.ts'
import { keyName, type Store, type TailReceipt, type TailRequest } from '../store/index.ts'
import { mapInSteps, type Redaction, redactContent, redactMessage } from './redact-records.ts'
import { runInSlices, type Steps } from './steps.ts'

/**
 * The caller may expect what was said or what was stored of it: it may know either. So the redacted form is
 * tried first, and if it does not fit, the form that the caller gave.
 */
export function replaceTailRedacted(
  store: Store,
  request: TailRequest,
  redaction: Redaction,
): Promise<TailReceipt> {
  return redaction.turns.run(
    keyName(request.key),
    () => runInSlices(redactRequest(request, redaction)),
    redacted => replaceTail(store, request, redacted),
  )
}

type Redacted = Pick<TailRequest, 'messages' | 'expected'>

function* redactRequest({ messages, expected }: TailRequest, redaction: Redaction): Steps<Redacted> {
  return {
    messages: yield* mapInSteps(messages, message => redactMessage(message, redaction)),
    expected:
      expected === 'everything'
        ? expected
        : yield* mapInSteps(expected, function* ({ role, content }) {
            return { role, content: yield* redactContent(content, redaction.redact) }
          }),
  }
}

async function replaceTail(store: Store, request: TailRequest, redacted: Redacted): Promise<TailReceipt> {
  try {
    return await store.log.replaceTail({ ...request, ...redacted })
  } catch (error) {
    if (!isChanged(request.expected, redacted.expected) || !isTailConflict(error)) throw error
    return store.log.replaceTail({ ...request, messages: redacted.messages })
  }
}

function isChanged(before: TailRequest['expected'], after: TailRequest['expected']): boolean {
  if (before === 'everything' || after === 'everything') return false
  return after.some(({ content }, index) => content !== before[index]!.content)
}

function isTailConflict(error: unknown): boolean {
  return (
    PalimpsestError.isInstance(error) &&
    error.code === 'history_conflict' &&
    error.details['reason'] === 'tail_changed'
  )
}
