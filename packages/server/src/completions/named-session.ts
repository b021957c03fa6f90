import type { SessionOptions } from 'palimpsest/internals/palimpsest'
import { invalidArguments } from '../problems.ts'

/** The headers that this route reads, with their descriptions. */
export const SESSION_HEADERS = {
  'x-palimpsest-session': 'the session, as encodeURIComponent writes it; left out: the field user names it',
  'x-palimpsest-history': 'whole or new: what the messages are; left out: whole where one is an assistant’s',
  'x-palimpsest-kind': 'of a new session: private (the default), group, agent',
  'x-palimpsest-user': 'of a new session: whose private chat it is',
  'x-palimpsest-scope': 'of a new session: the workspace that it belongs to',
}

type HeaderName = keyof typeof SESSION_HEADERS
type Header = (name: string) => string | null

export interface NamedSession {
  readonly id: string
  readonly options: SessionOptions
}

/** The session that the request names, and its traits in case it has to be made. */
export function namedSession(header: Header, user: string | undefined): NamedSession {
  const read = (name: HeaderName) => decodedHeader(header(name))
  const id = read('x-palimpsest-session') ?? user
  if (!id)
    throw invalidArguments([
      {
        field: 'x-palimpsest-session',
        value: id ?? null,
        allowed: 'the id of the session, in this header or in the field user',
      },
    ])
  const traits = {
    kind: read('x-palimpsest-kind'),
    user: read('x-palimpsest-user'),
    scope: read('x-palimpsest-scope'),
  }
  const given = Object.entries(traits).filter(([, value]) => value !== null)
  return { id, options: Object.fromEntries(given) as SessionOptions }
}

/** The history mode that the client declares. `null`: the list itself has to tell. */
export function declaredHistory(header: Header): 'whole' | 'new' | null {
  const declared = header('x-palimpsest-history' satisfies HeaderName)
  if (declared === null || declared === 'whole' || declared === 'new') return declared
  throw invalidArguments([{ field: 'x-palimpsest-history', value: declared, allowed: 'whole, new' }])
}

/**
 * Writes an id for a header, which holds ASCII only. Other characters are
 * percent-encoded, and the next call decodes them.
 */
export function headerText(id: string): string {
  return /^[\x21-\x24\x26-\x7e]+$/.test(id) ? id : encodeURIComponent(id)
}

/** Reads what `headerText` writes. `null`: there is no value. */
export function decodedHeader(value: string | null): string | null {
  if (value === null || value === '') return null
  try {
    return decodeURIComponent(utf8(value))
  } catch {
    return utf8(value)
  }
}

/** Some clients send raw UTF-8, which arrives read as Latin-1. */
function utf8(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? value : text
}
