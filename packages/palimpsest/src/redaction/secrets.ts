import { runAtOnce } from '../slices.ts'
import { findPasswordsInAddresses } from './addresses.ts'
import { findAssignments, isSecretValue } from './assignments.ts'
import { findCardNumbers } from './card-numbers.ts'
import { findInCommands, mayHoldCommand } from './commands.ts'
import { findKnownKeys } from './known-keys.ts'
import { Look, lookOn, Sign, signsOf } from './look.ts'
import { toPlainText } from './plain-text.ts'
import { isCredential } from './plausible-value.ts'
import { findPrivateKeys } from './private-keys.ts'
import { findSaidPasswords, mayBeSaid } from './said-passwords.ts'
import { isVague, secretOf } from './secret-names.ts'
import { marker, Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/**
 * What one pass replaces may let the next pass recognize the secret that it was a part of. No real text needs
 * more than two passes.
 */
const MAX_PASSES = 6

interface Options {
  /**
   * The name of the field whose value the text is, as in `{ "password": "…" }`. It may tell what the text
   * does not.
   */
  readonly field?: string
}

/**
 * The text with a marker in the place of each key, token, password and card number, such as `[redacted: API
 * key]`. Nothing of a secret stays, and nothing else changes. It is pure, and a second call changes nothing
 * more. A text without a secret costs almost nothing; the cost grows with the length of the text alone.
 *
 * `field` is the name of the field whose value the text is, as in `{ "password": "…" }`. It may tell what the
 * text does not.
 *
 * @example
 * redactSecrets('postgres://app:Tr0ub4dor@db/main') // 'postgres://app:[redacted: password]@db/main'
 */
export function redactSecrets(text: string, { field = '' }: Options = {}): string {
  const named = field === '' ? null : redactNamed(text, field)
  if (named !== null) return named
  let signs = signsOf(text)
  // The most frequent signs, which are nearly always false.
  if (signs & Sign.Said && !mayBeSaid(text)) signs &= ~Sign.Said
  if (signs & Sign.Command && !mayHoldCommand(text)) signs &= ~Sign.Command
  return signs === 0 ? text : runAtOnce(redactSeen(text, signs, field))
}

/** The same for a text that is too long to be read in one go. */
export function* redactSecretsInSteps(text: string, { field = '' }: Options = {}): Steps<string> {
  const named = field === '' ? null : redactNamed(text, field)
  if (named !== null) return named
  const signs = yield* lookInSteps(text)
  return signs === 0 ? text : yield* redactSeen(text, signs, field)
}

function* lookInSteps(text: string): Steps<number> {
  const look = new Look()
  let from = 0
  for (; text.length - from > STEP; from += STEP) {
    lookOn(look, text, from, from + STEP)
    yield
  }
  lookOn(look, text, from, text.length)
  return look.signs
}

function* redactSeen(text: string, first: number, field: string): Steps<string> {
  let [current, signs] = [text, first]
  for (let pass = 1; ; pass++) {
    const found = yield* findSecrets(current, signs, field)
    if (found.count === 0) return current
    current = yield* found.replaceIn(current)
    if (pass === MAX_PASSES) return current
    signs = yield* lookInSteps(current)
    if (signs === 0) return current
  }
}

/**
 * Redacts the whole value of a field whose name tells that it is a secret. `null`: the name tells nothing, or
 * the value is no secret.
 */
function redactNamed(text: string, field: string): string | null {
  const named = secretOf(field)
  if (named === null || named === 'basic') return null
  if (named === 'credentials') {
    const [, scheme = '', value = ''] = /^([A-Za-z-]{3,12} {1,4})?(\S+)$/.exec(text.slice(0, 10_000)) ?? []
    return isCredential(value, { hasScheme: scheme !== '' }) ? scheme + marker('token') : null
  }
  const written = { isQuoted: true, isExact: true, isVague: isVague(field) }
  return isSecretValue(text, named, written) ? marker(named) : null
}

function* findSecrets(text: string, signs: number, field: string): Steps<Spans> {
  if (!(signs & Sign.Unplain)) return yield* findInPlain(text, signs, field)
  const plain = yield* toPlainText(text)
  const seen = yield* lookInSteps(plain.text)
  return yield* plain.placesOf(yield* findInPlain(plain.text, seen, field))
}

function* findInPlain(text: string, signs: number, field: string): Steps<Spans> {
  const found = new Spans()
  if (signs & Sign.Armour) yield* findPrivateKeys(text, found)
  if (signs & Sign.LongRun) yield* findKnownKeys(text, found)
  if (signs & Sign.Name) yield* findAssignments(text, found)
  if (signs & Sign.Said) yield* findSaidPasswords(text, found)
  if (signs & Sign.Address) yield* findPasswordsInAddresses(text, found)
  if (signs & Sign.Command) yield* findInCommands(text, found)
  if (signs & Sign.Digits) yield* findCardNumbers(text, found, field)
  return found
}
