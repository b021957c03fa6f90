import { isStandIn } from './plausible-value.ts'
import type { Span } from './span.ts'

/** Ends the part of a URL that names user, password and host. */
const AUTHORITY = /[^\s/?#"'`<>()[\]{}|\\^\u0080-\uffff]{1,600}/y

/** Domains that are nobody's. */
const EXAMPLE = /^(?:[\w-]{1,63}\.){0,4}example\.(?:com|org|net)(?:$|:)/i

/** Passwords in URLs: of `postgres://user:password@host/base` the password alone. */
export function findPasswordsInAddresses(text: string, found: Span[]): void {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    AUTHORITY.lastIndex = at + 3
    const authority = AUTHORITY.exec(text)?.[0] ?? ''
    // A password may hold an `@` or a colon itself; a host and a user may not.
    const end = authority.lastIndexOf('@')
    const colon = authority.indexOf(':')
    if (colon === -1 || colon >= end - 1 || !/[A-Za-z]/.test(text[at - 1] ?? '')) continue
    const password = authority.slice(colon + 1, end)
    if (!isStandIn(password) && !EXAMPLE.test(authority.slice(end + 1)))
      found.push({ start: at + 3 + colon + 1, end: at + 3 + end, kind: 'password' })
  }
}
