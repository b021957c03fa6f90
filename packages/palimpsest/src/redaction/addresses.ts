import { isRandom } from './characters.ts'
import { isStandIn } from './plausible-value.ts'
import type { Spans } from './span.ts'
import type { Steps } from './steps.ts'

/** Matches the part of a URL that holds user, password and host. */
const AUTHORITY = /[^\s/?#"'`<>()[\]{}|\\^\u0080-\uffff]{1,600}/y
/**
 * Matches the same part for passwords that are not escaped as a URL wants: `mongodb://user:p@ss/word@host`.
 */
const LOOSE_AUTHORITY = /[^\s"'`<>()[\]{}|\\^\u0080-\uffff]{1,200}/y
const HOST = /^(?:[\w-]{1,63}\.){0,6}[\w-]{1,63}(?::\d{1,5})?(?=[/?,]|$)/
const PORT = /^\d{1,5}$/

/** Domains that are reserved for examples. */
const EXAMPLE = /^(?:[\w-]{1,63}\.){0,4}example\.(?:com|org|net)(?:$|:)/i

const STEP_ADDRESSES = 256

/** Passwords in URLs. In `postgres://user:password@host/base`, only the password is redacted. */
export function* findPasswordsInAddresses(text: string, found: Spans): Steps<void> {
  let count = 0
  for (let at = text.indexOf('://'); at !== -1; ) {
    if (++count % STEP_ADDRESSES === 0) yield
    const next = text.indexOf('://', at + 3)
    if (/[A-Za-z]/.test(text[at - 1] ?? ''))
      findInAddress(text, at + 3, next === -1 ? text.length : next, found)
    at = next
  }
}

function findInAddress(text: string, start: number, limit: number, found: Spans): void {
  AUTHORITY.lastIndex = start
  const authority = AUTHORITY.exec(text)?.[0] ?? ''
  // A password may hold an `@` or a colon. A host and a user may not.
  const colon = authority.indexOf(':')
  const end =
    colon === -1 ? authority.lastIndexOf('@') : endOfPassword(text, start, { limit, colon, authority })
  if (end < 1 || EXAMPLE.test(text.slice(start + end + 1, start + authority.length))) return
  if (colon === -1) {
    // A token needs no password beside it.
    if (isRandom(authority.slice(0, end))) found.push({ start, end: start + end, kind: 'token' })
    return
  }
  if (colon >= end - 1 || isStandIn(text.slice(start + colon + 1, start + end))) return
  found.push({ start: start + colon + 1, end: start + end, kind: 'password' })
}

interface Authority {
  readonly limit: number
  readonly colon: number
  readonly authority: string
}

function endOfPassword(text: string, start: number, { limit, colon, authority }: Authority): number {
  const end = authority.lastIndexOf('@')
  if (PORT.test(authority.slice(colon + 1))) return end
  LOOSE_AUTHORITY.lastIndex = start
  const loose = (LOOSE_AUTHORITY.exec(text)?.[0] ?? '').slice(0, limit - start)
  const looseEnd = loose.lastIndexOf('@')
  // After a real host, an `@` belongs to a path or a query.
  if (looseEnd <= end) return end
  if (end !== -1 && (authority.slice(end + 1).includes('.') || /[?=]/.test(loose.slice(end, looseEnd))))
    return end
  return HOST.test(loose.slice(looseEnd + 1)) ? looseEnd : end
}
