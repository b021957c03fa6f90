import type { SessionKind } from '../log/index.ts'
import { type DocumentKey, documentSession, personAlone } from '../store/index.ts'

/** What decides who sees what: as it is stored with the session, never as a caller or a display name says. */
export interface SessionIdentity {
  readonly id: string
  readonly kind: SessionKind
  readonly user: string | null
  readonly scope: string | null
}

/**
 * The store asks for nothing else; this is the second lock on the same door, at assembly. Whatever is not
 * said to be visible here is not.
 */
export function maySee(
  { id, kind, user, scope }: SessionIdentity,
  document: Pick<DocumentKey, 'layer' | 'key'> & { readonly owner?: string },
): boolean {
  switch (document.layer) {
    case 'persona':
    case 'global':
      return document.key === ''
    case 'user':
      return kind === 'private' && user !== null && document.key === user
    case 'scope':
      return (
        scope !== null &&
        document.key === scope &&
        (document.owner === undefined || document.owner === personAlone({ kind, user }))
      )
    case 'chat':
    case 'daily':
      return documentSession(document) === id
    default:
      return false
  }
}
