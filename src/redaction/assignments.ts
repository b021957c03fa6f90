import { isCredential, isKey, isPassword, type Written } from './plausible-value.ts'
import { isVague, LONGEST_NAME, type NamedSecret, secretOf } from './secret-names.ts'
import type { SecretKind, Span } from './span.ts'
import { type Value, ValueReader } from './written-value.ts'

/** Secrets that are known by what stands before them: `password=…`, `"api_key": "…"`, `密码：…`, `<token>…</token>`. */

/** `:` and `=`, also of full width, and the end of an XML tag. */
const SEPARATORS = /[:=>：＝]/g

export function findAssignments(text: string, found: Span[]): void {
  const reader = new ValueReader(text)
  for (const { index } of text.matchAll(SEPARATORS)) {
    if (!mayEndName(text, index) || isComparison(text, index)) continue
    const name = nameBefore(text, index)
    const named = name === null ? null : secretOf(name)
    if (named === null) continue
    const span = judgeAssignment(text, reader, { at: index, name: name!, named })
    if (span) found.push(span)
  }
}

/** It gives nothing its value. */
function isComparison(text: string, at: number): boolean {
  return text[at] === '=' && text[at + 1] === '='
}

/** May stand between a name and its `:`: blanks, quotes, what emphasises, the end of an index. */
const AFTER_NAME = new Set(Array.from(' \t\u00a0"\'`*_]\\’”', character => character.charCodeAt(0)))
const MOST_AFTER_NAME = 6

/** What all names end in, so that nearly every `:` costs no more than this look. */
const ENDINGS = [
  ...['ord', 'swd', 'pwd', 'ass', 'psw', 'pw', 'ase', 'ode', 'ort', 'eña', 'nha', 'оль', 'ード', '번호'],
  ...['key', 'eys', 'ret', 'ken', 'ion', 'sig', 'ing', 'str'],
  ...['密码', '密碼', '口令', '密钥', '密鑰', '秘钥', '密匙', '私钥', '令牌'],
]
const LAST_TWO = new Set(
  ENDINGS.map(ending => pairOf(ending.charCodeAt(ending.length - 2), ending.at(-1)!.charCodeAt(0))),
)

function pairOf(first: number, second: number): number {
  return (lowerCase(first) << 16) | lowerCase(second)
}

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code | 32 : code
}

/** Whether a name of a secret may end before a separator. */
export function mayEndName(text: string, separator: number): boolean {
  const end = endOfName(text, separator)
  if (end < 2 || !LAST_TWO.has(pairOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1)))) return false
  const last = text.slice(Math.max(0, end - 3), end).toLowerCase()
  return ENDINGS.some(ending => last.endsWith(ending))
}

function endOfName(text: string, separator: number): number {
  let end = separator
  while (end > 0 && separator - end < MOST_AFTER_NAME && AFTER_NAME.has(text.charCodeAt(end - 1))) end--
  return end
}

const TYPE = /\s{0,2}:\s{0,2}(?:&|&'static )?(?:string|str)$/i

function nameBefore(text: string, separator: number): string | null {
  const end = endOfName(text, separator)
  const slice = text.slice(Math.max(0, end - LONGEST_NAME), end)
  const line = slice.slice(Math.max(slice.lastIndexOf('\n'), slice.lastIndexOf('\r')) + 1)
  // An index ends in a quote and a bracket; a bracket alone ends something else, such as one of our markers.
  const after = text.slice(end, separator)
  if (after.includes(']') && !/["'`]\]/.test(after)) return null
  if (text[separator] === '>') return after === '' && /<[\w.:-]+$/.test(line) ? line : null
  // `password: string = "…"`
  return text[separator] === '=' ? line.replace(TYPE, '') : line
}

interface Assignment {
  readonly at: number
  readonly name: string
  readonly named: NamedSecret
}

/** What of the value has to go; `null`: nothing. */
function judgeAssignment(text: string, reader: ValueReader, { at, name, named }: Assignment): Span | null {
  const query = /[?&]([\w.-]*)$/.exec(name)
  // What opens a meeting or a shared folder is part of its address: `?pwd=…`.
  if (query?.[1] === 'pwd') return null
  const value = reader.read(at + 1, { isQuery: query !== null })
  if (value === null) return null
  if (text[at] === '>' && !text.startsWith('</', value.end)) return null
  if (named === 'credentials') return judgeCredentials(text, reader, value)
  const { start, end, isQuoted } = value
  const isExact = text[at] === '=' && start === at + 1 && !/\s/.test(text[at - 1]!)
  const written = { isQuoted, isExact, isVague: isVague(name) }
  if (!isSecretValue(text.slice(start, end), named, written)) return null
  return !isQuoted && (isCounted(text, end) || isPointer(text, end)) ? null : { start, end, kind: named }
}

/** `密码：8位`: a number with what it counts. */
export function isCounted(text: string, end: number): boolean {
  return /^[ \t]?[位个個次字天年月日号岁元块条]/.test(text.slice(end, end + 2))
}

/** `$self->{password}` */
function isPointer(text: string, end: number): boolean {
  return text[end] === '>' && text[end - 1] === '-'
}

export function isSecretValue(value: string, named: SecretKind, written: Written): boolean {
  if (named === 'password') return isPassword(value, written)
  return isKey(value, written, named === 'secret' && written.isQuoted ? 8 : 16)
}

const SCHEME = /(?:bearer|basic|token|apikey|api-key|bot|negotiate)[ \t]{1,4}/iy

/** Of an `Authorization` header the scheme stays. */
function judgeCredentials(text: string, reader: ValueReader, value: Value): Span | null {
  SCHEME.lastIndex = value.start
  const hasScheme = SCHEME.test(text)
  const start = hasScheme ? SCHEME.lastIndex : value.start
  const end = value.isQuoted ? value.end : reader.endOfBare(start)
  return isCredential(text.slice(start, end), { hasScheme }) ? { start, end, kind: 'token' } : null
}
