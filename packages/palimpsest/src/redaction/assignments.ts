import { isLineBreak } from '../log/index.ts'
import { isBlank } from './characters.ts'
import { isBasic, isCredential, isKey, isPassword, type Written } from './plausible-value.ts'
import { isOfEnvironment, isVague, MAX_NAME, type NamedSecret, secretOf } from './secret-names.ts'
import type { SecretKind, Span, Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'
import { isTestVerdict } from './test-verdict.ts'
import { type Value, ValueReader } from './written-value.ts'

/** Secrets that the text before them names: `password=…`, `"api_key": "…"`, `密码：…`, `<token>…</token>`. */

/** This many names are judged between two yields. */
const STEP_NAMES = 32

export function* findAssignments(text: string, found: Spans): Steps<void> {
  const reader = new ValueReader(text)
  let names = 0
  for (let from = 0; from < text.length; from += STEP) {
    const to = Math.min(text.length, from + STEP)
    for (let at = nextName(text, from, to); at < to; at = nextName(text, at + 1, to)) {
      if (++names % STEP_NAMES === 0) yield
      const name = isComparison(text, at) ? null : nameBefore(text, at)
      const named = name === null ? null : secretOf(name)
      if (named === null) continue
      const span = judgeAssignment(text, reader, { at, name: name!, named })
      if (span) found.push(span)
    }
    yield
  }
}

/** The next separator that may follow a name. */
function nextName(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) if (isSeparator(text.charCodeAt(at)) && mayEndName(text, at)) return at
  return to
}

/** `:` and `=`, also in full width, and the end of an XML tag. */
function isSeparator(code: number): boolean {
  return code === 58 || code === 61 || code === 62 || code === 0xff1a || code === 0xff1d
}

/** `==` compares and assigns nothing. */
function isComparison(text: string, at: number): boolean {
  return text[at] === '=' && text[at + 1] === '='
}

/** These may stand between a name and its `:`: blanks, quotes, marks of emphasis, the end of an index. */
const AFTER_NAME = new Set(Array.from(' \t\u00a0"\'`*_]\\’”', character => character.charCodeAt(0)))
const MAX_AFTER_NAME = 6

/** How all names end. For nearly every `:` this one look is enough. */
const ENDINGS = [
  ...[
    'ord',
    'swd',
    'pwd',
    'ass',
    'psw',
    'pw',
    'ase',
    'ode',
    'ort',
    'eña',
    'ena',
    'nha',
    'оль',
    'ола',
    'ード',
    '番号',
  ],
  ...[
    '번호',
    '비번',
    'sse',
    'mdp',
    'ave',
    'eso',
    'eta',
    'ola',
    'ine',
    'olă',
    'ole',
    'sło',
    'slo',
    'ana',
    'szó',
    'szo',
  ],
  ...[
    'κός',
    'σης',
    'fre',
    'esi',
    'niz',
    'rem',
    'رور',
    'لسر',
    'بور',
    'סמה',
    'סמא',
    'र्ड',
    'র্ড',
    'ẩu',
    'าน',
    'ndi',
    'uan',
  ],
  ...['key', 'eys', 'ret', 'ken', 'ion', 'sig', 'ing', 'str', 'uth', 'ess', 'sid', ';p'],
  ...['密码', '密碼', '口令', '密钥', '密鑰', '秘钥', '密匙', '私钥', '令牌'],
]
const LAST_TWO = new Set(
  ENDINGS.map(ending => pairOf(ending.charCodeAt(ending.length - 2), ending.at(-1)!.charCodeAt(0))),
)

const LAST_THREE = new Set(ENDINGS.filter(({ length }) => length === 3))
const SHORT_ENDINGS = ENDINGS.filter(({ length }) => length === 2)

function pairOf(first: number, second: number): number {
  return (lowerCase(first) << 16) | lowerCase(second)
}

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code | 32 : code
}

/** Whether the name of a secret may end before a separator. */
export function mayEndName(text: string, separator: number): boolean {
  const end = endOfName(text, separator)
  if (end < 2 || !LAST_TWO.has(pairOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1)))) return false
  const last = text.slice(Math.max(0, end - 3), end).toLowerCase()
  return LAST_THREE.has(last) || SHORT_ENDINGS.some(ending => last.endsWith(ending))
}

function endOfName(text: string, separator: number): number {
  let end = separator
  while (end > 0 && separator - end < MAX_AFTER_NAME && AFTER_NAME.has(text.charCodeAt(end - 1))) end--
  return end
}

const TYPE = /\s{0,2}:\s{0,2}(?:&|&'static )?(?:string|str)$/i

function nameBefore(text: string, separator: number): string | null {
  const end = endOfName(text, separator)
  const slice = text.slice(Math.max(0, end - MAX_NAME), end)
  const line = slice.slice(Math.max(slice.lastIndexOf('\n'), slice.lastIndexOf('\r')) + 1)
  // An index ends in a quote and a bracket. A bracket alone ends something else, such as one of our markers.
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

/** The part of the value that has to go; `null`: nothing. */
function judgeAssignment(text: string, reader: ValueReader, { at, name, named }: Assignment): Span | null {
  const query = /[?&]([\w.-]*)$/.exec(name)
  // `?pwd=…` opens a meeting or a shared folder, and is part of its address.
  if (query?.[1] === 'pwd') return null
  const value = reader.read(at + 1, { isQuery: query !== null })
  if (value === null) return judgeNextLine(text, reader, { at, name, named })
  if (text[at] === '>' && !text.startsWith('</', value.end)) return null
  if (!reader.isWorthIt(value)) return null
  if (named === 'credentials') return judgeCredentials(text, reader, value)
  const { start, end, isQuoted } = value
  if (named === 'basic') return isBasic(text.slice(start, end)) ? { start, end, kind: 'token' } : null
  const isEnvironment = isOfEnvironment(name)
  const isExact = text[at] === '=' && start === at + 1 && !/\s/.test(text[at - 1]!)
  const written = { isQuoted, isExact: isExact || isEnvironment, isVague: isVague(name), isEnvironment }
  if (!isSecretValue(text.slice(start, end), named, written)) return null
  if (named === 'password' && isTestVerdict(text, { nameEnd: endOfName(text, at), start, end })) return null
  return !isQuoted && (isCounted(text, end) || isPointer(text, end)) ? null : { start, end, kind: named }
}

const MAX_BETWEEN_LINES = 40

/** `Password:` with the value alone on the next line, or after one empty line. */
function judgeNextLine(text: string, reader: ValueReader, { at, name, named }: Assignment): Span | null {
  if (named === 'credentials' || named === 'basic' || text[at] === '>' || isVague(name)) return null
  let [start, lines] = [at + 1, 0]
  for (; start - at < MAX_BETWEEN_LINES; start++) {
    const code = text.charCodeAt(start)
    if (isLineBreak(code)) lines += code === 10 || text.charCodeAt(start + 1) !== 10 ? 1 : 0
    else if (!isBlank(code) && !(code === 42 && lines === 0)) break
  }
  if (lines === 0 || lines > 2) return null
  const value = reader.read(start)
  if (value === null || value.start - start > 1 || !isAlone(text, value)) return null
  const { end, isQuoted } = value
  const words = text.slice(value.start, end)
  const isLikely = isQuoted || (/\d/.test(words) && /[A-Za-z]/.test(words))
  const written = { isQuoted: false, isExact: false }
  return isLikely && isSecretValue(words, named, written) ? { start: value.start, end, kind: named } : null
}

/** Whether the value is alone on its line, apart from a quote and the end of a sentence. */
function isAlone(text: string, { end, isQuoted }: Value): boolean {
  let last = isQuoted ? end + 1 : end
  while (last - end < 8 && (isBlank(text.charCodeAt(last)) || /[.*]/.test(text[last] ?? ''))) last++
  return last >= text.length || isLineBreak(text.charCodeAt(last))
}

/** `密码：8位`: a number and what it counts. */
export function isCounted(text: string, end: number): boolean {
  return /^[ \t]?[位个個次字天年月日号岁元块条]/.test(text.slice(end, end + 2))
}

/** `$self->{password}` */
function isPointer(text: string, end: number): boolean {
  return text[end] === '>' && text[end - 1] === '-'
}

export function isSecretValue(
  value: string,
  named: SecretKind,
  written: Written & { readonly isEnvironment?: boolean },
): boolean {
  if (named === 'password') return isPassword(value, written)
  if (isKey(value, written, named === 'secret' && written.isQuoted ? 8 : 16)) return true
  // A person chose this secret, so it need not look random: `SESSION_SECRET=…`.
  if (!written.isEnvironment || named === 'token' || value.length < 8) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && isPassword(value, written)
}

const SCHEME = /(?:bearer|basic|token|apikey|api-key|bot|negotiate)[ \t]{1,4}/iy

/** The scheme of an `Authorization` header stays. */
function judgeCredentials(text: string, reader: ValueReader, value: Value): Span | null {
  SCHEME.lastIndex = value.start
  const hasScheme = SCHEME.test(text)
  const start = hasScheme ? SCHEME.lastIndex : value.start
  const end = value.isQuoted ? value.end : reader.endOfBare(start)
  return isCredential(text.slice(start, end), { hasScheme }) ? { start, end, kind: 'token' } : null
}
