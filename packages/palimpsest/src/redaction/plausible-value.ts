import { isRandom, makeupOf } from './characters.ts'
import { MARKER_START } from './span.ts'

/** How a value was written. */
export interface Written {
  readonly isQuoted: boolean
  /** As in `NAME=value` of an environment, a query or a form: only a value can stand there. */
  readonly isExact: boolean
  /** The name also means other things: `pass`. */
  readonly isVague?: boolean
}

const MAX_PASSWORD = 128

/**
 * Whether a value in the place of a password is one. A plain word is none, unless it is quoted: far more
 * people write about passwords than write a password down.
 */
export function isPassword(value: string, { isQuoted, isExact, isVague = false }: Written): boolean {
  if (value.length < 4 || value.length > MAX_PASSWORD || isStandIn(value)) return false
  const makeup = makeupOf(value)
  if (makeup.others > 0) return false
  if (makeup.digits === value.length) return !isVague || value.length >= 6
  if (makeup.lower + makeup.upper === value.length)
    return !isVague && isWordAsPassword(value, { isQuoted, isExact })
  if (!isQuoted && (isCode(value) || (!isExact && value.length < 6))) return false
  if (isMeasure(value) || isPlace(value) || NAMES_OF_METHODS.test(value)) return false
  return makeup.digits > 0 ? makeup.lower + makeup.upper > 0 || hasMarks(value) : hasMarks(value)
}

function isWordAsPassword(value: string, { isQuoted, isExact }: Written): boolean {
  if (isExact && !isQuoted) return value.length >= 6 && !/^[A-Z]?[a-z]+[A-Z]/.test(value)
  // A label or a heading begins with a capital.
  return isQuoted && value.length >= 6 && !/^[A-Z][a-z]+$/.test(value)
}

/** Counts marks inside the value. At its end they belong to the sentence. */
function hasMarks(value: string): boolean {
  return /[!@#$%^&*?~]/.test(value.replace(/[!?]{1,9}$/, ''))
}

/** Whether a value in the place of a key, a token or a secret is one. It has to look random. */
export function isKey(value: string, { isQuoted }: Pick<Written, 'isQuoted'>, least = 16): boolean {
  if (value.length < least || value.length > 4_096 || isStandIn(value)) return false
  if (!/^[A-Za-z0-9_\-+/=.~:%|]+$/.test(value) || isPlace(value)) return false
  if (!isQuoted && isCode(value) && !(isRandom(value) && /\d/.test(value))) return false
  const { digits, lower, upper, distinct } = makeupOf(value)
  // In base64 the stretches between `+` and `/` may be short.
  if (lower > 0 && upper > 0 && digits > 0 && distinct >= 14) return true
  return lower + upper > 0 && (digits > 0 || distinct >= 16) && distinct >= 7 && isRandom(value)
}

/** Whether the value is what an `Authorization` header holds, after its scheme or alone. */
export function isCredential(value: string, { hasScheme }: { readonly hasScheme: boolean }): boolean {
  if (value.length < 8 || value.length > 8_192 || isStandIn(value)) return false
  if (!hasScheme && isMember(value) && !isRandom(value)) return false
  if (!/^[A-Za-z0-9_\-+/=.~:]+$/.test(value)) return false
  return /\d|[a-z][A-Z]|=$/.test(value) && makeupOf(value).distinct >= 5
}

/** User and password, as in Docker's and npm's files and in the `Basic` scheme. */
export function isBasic(value: string): boolean {
  if (value.length < 12 || value.length > 1_024 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false
  return /^[!-~]{1,200}:[ -~]{3,}$/.test(Buffer.from(value, 'base64').toString('latin1'))
}

/**
 * What stands for a secret in examples, forms and programs: `***`, `<password>`, `${TOKEN}`, `your_key`,
 * `string`.
 */
export function isStandIn(value: string): boolean {
  if (value.startsWith(MARKER_START)) return true
  if (/^(?:[$%#@]?\{.*\}|\$?\(.*\)|<.*>|\[.*\])$/.test(value)) return true
  if (/^(?:\$[A-Za-z_]\w*|%\w+%|@\w+@|:[a-z_]+)$/.test(value)) return true
  if (STAND_INS.test(value) || isNameOfOne(value)) return true
  return makeupOf(value).distinct < 2 && !/\d/.test(value)
}

/**
 * The name of a secret and not its value: `confirmPassword`, `AuthenticationMD5Password`. It has few digits
 * at most.
 */
function isNameOfOne(value: string): boolean {
  return /^\w*(?:passw(?:or)?d|secret|token)\w*$/i.test(value) && !/\d{3}|\d\D+\d|\d$/.test(value)
}

const STAND_INS = new RegExp(
  `^(?:${[
    String.raw`x{3,}.*|.*x{5,}.*|\.{3,}|\*+.*|.*\*{4,}.*|.*…`,
    String.raw`(?:your|my|the|some|a|an|enter|insert|new|old|current|user|admin|db|database|test|example|sample|dummy|fake|default)?[-_ .]?(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|(?:api|access|secret|private)?[-_ .]?key)s?(?:[-_ .]?(?:here|value|goes|placeholder|example|string|hash|field|hint|required))*\d?`,
    'your[-_ .].*|<.*>|replace[-_ .]?(?:me|with|this).*|change[-_]?(?:me|it|this)|todo|tbd|placeholder|redacted|removed|hidden|masked|example',
    'string|str|text|char|varchar|number|integer|boolean|bool|object|array|any|unknown|void|bytes?',
    'none|null|nil|undefined|nan|true|false|yes|no|on|off|empty|blank|missing|invalid|valid|wrong|correct|incorrect',
    'required|optional|mandatory|expired|reset|changed|unchanged|disabled|enabled|protected|encrypted|hashed|plain(?:text)?',
    'passed|failed|success|sample|different|function',
    'passwort|kennwort|contrasena|senha|wachtwoord|heslo|haslo|motdepasse|lozinka|parola',
  ].join('|')})$`,
  'i',
)

/** An expression and not a value: a call, a member, a variable, a path of names. */
function isCode(value: string): boolean {
  if (/[(){}[\]<>]|^\$[A-Za-z_]/.test(value)) return true
  return isMember(value) || /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/.test(value)
}

function isMember(value: string): boolean {
  return /^[!&*+-]?[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$/.test(value)
}

/** A URL, a path, an address, a file. */
function isPlace(value: string): boolean {
  return (
    /^(?:~|\.{1,2})?\/[\w./-]*$/.test(value) ||
    /^[A-Za-z]:\\/.test(value) ||
    /^(?:[\w-]{1,63}\.){1,8}[a-z]{2,12}(?:[/:?#]|$)/i.test(value) ||
    value.includes('://') ||
    /^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(value) ||
    /^[\w-]+\.(?:txt|md|json|ya?ml|toml|ini|cfg|conf|env|log|csv|pem|key|kdbx|zip|html?|php|js|ts|py|sh|go|rb|java)$/i.test(
      value,
    )
  )
}

/** A date, a time, a version, a range, a length: `8-20`, `12-characters`, `2026-01-15`, `v1.2`. */
function isMeasure(value: string): boolean {
  return (
    /^0x[0-9a-f]+$/i.test(value) ||
    /^v?\d{1,4}(?:[-/.:~–]\d{1,4}){1,5}(?:[tT][\d:.]+[zZ]?)?$/.test(value) ||
    /^[<>=≥≤~]{0,2}\d{1,4}[-+]?(?:k|x|st|nd|rd|th|%|\+|-?(?:chars?|characters?|digits?|letters?|symbols?|days?|hours?|min(?:ute)?s?|bits?|bytes?|times?))?$/i.test(
      value,
    )
  )
}

const NAMES_OF_METHODS =
  /^(?:md[245]|sha[-_]?(?:1|2|3|224|256|384|512)|hmac[-_]sha\d+|pbkdf2|b?crypt\d?|argon2(?:id?|d)?|aes[-_]?\d{3}(?:[-_][a-z]{3})?|rsa[-_]?\d{4}|base(?:32|58|64)|utf[-_]?(?:8|16)|oauth[-_]?2(?:\.0)?|x\.?509|ed25519|[12]password|iso[-_]?\d+|2fa|mfa)$/i
