import { eraseMessage, erasePerson, eraseSession } from '../../api/index.ts'
import type { ErasureReceipt } from '../../api/types.ts'

export const KINDS = ['messages', 'session', 'person'] as const
type Kind = (typeof KINDS)[number]

/** The fields of all kinds. A reader who looks at another kind loses nothing. */
export interface Typed {
  readonly kind: Kind
  readonly session: string
  readonly seq: string
  readonly person: string
}

/** The session, messages or person to erase. */
export type Target =
  | { readonly kind: 'messages'; readonly session: string; readonly seq: number }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'person'; readonly person: string }

export function typedOf(query: Readonly<Record<string, string>>): Typed {
  return {
    kind: KINDS.find(kind => kind === query['kind']) ?? 'messages',
    session: query['session'] ?? '',
    seq: query['seq'] ?? '',
    person: query['person'] ?? '',
  }
}

/** `null`: a field is still missing. An id may be any text, so no space is trimmed off. */
export function targetOf({ kind, session, seq, person }: Typed): Target | null {
  switch (kind) {
    case 'messages':
      return session !== '' && /^[1-9]\d{0,14}$/.test(seq) ? { kind, session, seq: Number(seq) } : null
    case 'session':
      return session === '' ? null : { kind, session }
    case 'person':
      return person === '' ? null : { kind, person }
  }
}

/** The text that the reader has to type again to confirm. */
export function nameOf(target: Target): string {
  switch (target.kind) {
    case 'messages':
      return String(target.seq)
    case 'session':
      return target.session
    case 'person':
      return target.person
  }
}

export function erase(target: Target): Promise<ErasureReceipt> {
  switch (target.kind) {
    case 'messages':
      return eraseMessage(target.session, target.seq)
    case 'session':
      return eraseSession(target.session)
    case 'person':
      return erasePerson(target.person)
  }
}
