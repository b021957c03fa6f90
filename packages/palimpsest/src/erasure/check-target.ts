import { InvalidArgumentError } from '../errors.ts'
import { checkOptions, type KnownOptions, optionsOf } from '../known-options.ts'
import { ID_RULE, isId } from '../log/index.ts'
import type { ErasureTarget } from '../store/index.ts'

/** More than a person chooses by hand. A larger erasure names a session or a person. */
const MAX_MESSAGES = 10_000

type TargetOf<Kind extends ErasureTarget['kind']> = Extract<ErasureTarget, { kind: Kind }>

const TARGETS: Readonly<Record<ErasureTarget['kind'], KnownOptions>> = {
  messages: optionsOf<TargetOf<'messages'>>({ kind: true, sessionId: true, seqs: true }),
  session: optionsOf<TargetOf<'session'>>({ kind: true, sessionId: true }),
  person: optionsOf<TargetOf<'person'>>({ kind: true, id: true }),
  namespace: optionsOf<TargetOf<'namespace'>>({ kind: true }),
}

/** Checks a caller's target and brings it into the store's form: each message once, in order. */
export function checkTarget(target: ErasureTarget): ErasureTarget {
  const known = TARGETS[target?.kind]
  // A session with message numbers is refused too, since the caller may have meant only these messages.
  if (known !== undefined) checkOptions('forget', target, known)
  switch (target?.kind) {
    case 'messages':
      return {
        kind: 'messages',
        sessionId: checkId('sessionId', target.sessionId),
        seqs: checkSeqs(target.seqs),
      }
    case 'session':
      return { kind: 'session', sessionId: checkId('sessionId', target.sessionId) }
    case 'person':
      return { kind: 'person', id: checkId('id', target.id) }
    case 'namespace':
      return { kind: 'namespace' }
    default:
      throw new InvalidArgumentError(
        'kind',
        (target as ErasureTarget | null)?.kind,
        'messages, session, person, namespace',
      )
  }
}

function checkId(field: string, value: unknown): string {
  if (isId(value)) return value
  throw new InvalidArgumentError(field, value, ID_RULE)
}

function checkSeqs(seqs: unknown): readonly number[] {
  const isList = Array.isArray(seqs) && seqs.length > 0 && seqs.length <= MAX_MESSAGES
  if (!isList || !seqs.every(seq => Number.isSafeInteger(seq) && seq > 0))
    throw new InvalidArgumentError('seqs', seqs, `a list of 1 to ${MAX_MESSAGES} numbers of messages`)
  return [...new Set(seqs as number[])].sort((a, b) => a - b)
}
