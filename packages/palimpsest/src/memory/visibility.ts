import type { SessionKind } from '../log/index.ts'
import { type DocumentKey, documentSession, personAlone } from '../store/index.ts'

/**
 * Decides which session sees which document. The values are those stored with the session, never those of a
 * caller or a display name.
 */
export interface SessionIdentity {
  readonly id: string
  readonly kind: SessionKind
  readonly user: string | null
  readonly scope: string | null
}

/**
 * The store already reads only visible documents. This is a second check when a context is assembled. A
 * document is hidden unless a rule here makes it visible.
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
