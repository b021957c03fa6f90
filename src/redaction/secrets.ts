import { findPasswordsInAddresses } from './addresses.ts'
import { findAssignments, isSecretValue, mayEndName } from './assignments.ts'
import { findCardNumbers, SHORTEST_CARD } from './card-numbers.ts'
import { findKnownKeys, SHORTEST_RUN } from './known-keys.ts'
import { isCredential } from './plausible-value.ts'
import { findPrivateKeys } from './private-keys.ts'
import { findSaidPasswords } from './said-passwords.ts'
import { isVague, secretOf } from './secret-names.ts'
import { marker, replaceSpans, type Span } from './span.ts'

/** What one finds may let another see what it was part of. No real text needs more than two. */
const MOST_PASSES = 6

/**
 * The text with a marker in the place of each key, token, password and card number, such as `[redacted: API key]`.
 * Nothing of a secret stays, nothing else changes. Pure; done again, it changes nothing more. Costs next to nothing
 * where there is no secret, and grows with the length of the text alone.
 *
 * `field` is the name that the text is the value of, as in `{ "password": "…" }`: it may say what the text does not.
 */
export function redactSecrets(text: string, { field = '' }: { readonly field?: string } = {}): string {
  const named = field === '' ? null : redactNamed(text, field)
  if (named !== null) return named
  let current = text
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const signs = lookFor(current)
    if (signs === 0) return current
    const found = findSecrets(current, signs, field)
    if (found.length === 0) return current
    current = replaceSpans(current, found)
  }
  return current
}

/** The whole value of a field that is named as a secret; `null`: the name says nothing, or the value is none. */
function redactNamed(text: string, field: string): string | null {
  const named = secretOf(field)
  if (named === null) return null
  if (named === 'credentials') {
    const [, scheme = '', value = ''] = /^([A-Za-z-]{3,12} {1,4})?(\S+)$/.exec(text.slice(0, 10_000)) ?? []
    return isCredential(value, { hasScheme: scheme !== '' }) ? scheme + marker('token') : null
  }
  const written = { isQuoted: true, isExact: true, isVague: isVague(field) }
  return isSecretValue(text, named, written) ? marker(named) : null
}

function findSecrets(text: string, signs: number, field: string): readonly Span[] {
  const found: Span[] = []
  if (signs & ARMOUR) findPrivateKeys(text, found)
  if (signs & LONG_RUN) findKnownKeys(text, found)
  if (signs & NAME) findAssignments(text, found)
  if (signs & SAID) findSaidPasswords(text, found)
  if (signs & ADDRESS) findPasswordsInAddresses(text, found)
  if (signs & DIGITS) findCardNumbers(text, found, field)
  return found
}

/** Signs that a text may hold a secret of some kind. */
const LONG_RUN = 1
const DIGITS = 2
const NAME = 4
const SAID = 8
const ADDRESS = 16
const ARMOUR = 32

const KEY = 1
const DIGIT = 2
const SEPARATOR = 4
const AT = 8
/** A `w`: after two `s` it is that of a password. */
const DOUBLE_U = 16

const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[0-9]/.test(character)) return KEY | DIGIT
  if (/w/i.test(character)) return KEY | DOUBLE_U
  if (/[\w-]/.test(character)) return KEY
  if (/[:=>]/.test(character)) return SEPARATOR
  return character === '@' ? AT : 0
})

/** One look at every character, which is all that most texts get. */
function lookFor(text: string): number {
  let [signs, run, digits] = [0, 0, 0]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = code < 128 ? CLASSES[code]! : wideClass(code)
    if (kind & KEY) {
      run++
      if (kind & DIGIT) digits++
      else if (kind & DOUBLE_U && isAfterTwoS(text, index)) signs |= SAID
      continue
    }
    if (run >= SHORTEST_RUN) signs |= LONG_RUN
    run = 0
    if (kind === 0) continue
    if (kind & DIGIT) digits++
    else if (kind & SEPARATOR) signs |= mayEndName(text, index) ? NAME : 0
    else signs |= kind & AT ? ADDRESS : SAID
  }
  if (run >= SHORTEST_RUN) signs |= LONG_RUN
  if (digits >= SHORTEST_CARD) signs |= DIGITS
  if (signs & ADDRESS && !text.includes('://')) signs &= ~ADDRESS
  if (text.includes('-----BEGIN ')) signs |= ARMOUR
  return signs
}

/** Digits, colon and equals sign of full width, and the last characters of 密码 and 口令. */
function wideClass(code: number): number {
  if (code === 0x7801 || code === 0x4ee4) return DOUBLE_U
  if (code < 0xff10 || code > 0xff1d) return 0
  if (code <= 0xff19) return DIGIT
  return code === 0xff1a || code === 0xff1d ? SEPARATOR : 0
}

function isAfterTwoS(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) | 32) === 115 && (text.charCodeAt(index - 2) | 32) === 115
}
