import { isCounted } from './assignments.ts'
import { isPassword } from './plausible-value.ts'
import type { Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'
import { type Value, ValueReader } from './written-value.ts'

/**
 * Passwords in words: `the password is …`, `password for the wifi: …`, `密码是…`, `mot de passe : …`,
 * `--password …`.
 */

/** The words for a password. */
const WORD = new RegExp(
  [
    'passw(?:or[dt]|d)|passcode|passphrase|kennwort|mot de passe|mdp|contrase[ñn]a|senha|palavra[- ]passe|wachtwoord',
    'has[łl]o|heslo|lösenord|adgangskode|salasana|jelszó|parol[aăe]|κωδικός|парол[ья]|şifre(?:si|niz|m)?',
    'كلمة (?:المرور|السر)|رمز (?:عبور|المرور)|סיסמ[הא]|पासवर्ड|পাসওয়ার্ড|パスワード|暗証番号|비밀번호|비번',
    '密码|密碼|口令|mật khẩu|รหัสผ่าน|kata (?:sandi|laluan)',
  ].join('|'),
  'iy',
)

/**
 * Three characters of each word, and how far from its beginning they stand. Nearly every text needs no more
 * than these.
 */
const ANCHORS: readonly (readonly [characters: string, offset: number])[] = [
  ...([
    ['pas', 0],
    ['enn', 1],
    ['mot', 0],
    ['mdp', 0],
    ['ntr', 2],
    ['enh', 1],
    ['lav', 2],
    ['wac', 0],
  ] as const),
  ...([
    ['asł', 1],
    ['asl', 1],
    ['esl', 1],
    ['nor', 4],
    ['dga', 1],
    ['asa', 3],
    ['els', 1],
    ['aro', 1],
  ] as const),
  ...([
    ['ωδι', 1],
    ['аро', 1],
    ['ifr', 1],
    ['كلم', 0],
    ['رمز', 0],
    ['סיס', 0],
    ['पास', 0],
    ['পাস', 0],
  ] as const),
  ...([
    ['パスワ', 0],
    ['暗証番', 0],
    ['비밀번', 0],
    ['mật', 0],
    ['รหั', 0],
    ['kat', 0],
  ] as const),
]

const HASH_BITS = 14

function hashOf(first: number, second: number, third: number): number {
  return (
    (Math.imul(first, 0x9e5) ^ Math.imul(second, 0x3d3) ^ Math.imul(third, 0x1f)) & ((1 << HASH_BITS) - 1)
  )
}

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code | 32 : code
}

/** For each hash the offsets, as bits. */
const OFFSETS = new Uint8Array(1 << HASH_BITS)
for (const [characters, offset] of ANCHORS)
  OFFSETS[hashOf(characters.charCodeAt(0), characters.charCodeAt(1), characters.charCodeAt(2))]! |=
    1 << offset
const MAX_OFFSET = 4

/** The second characters of words that have only two. */
const SECOND_OF_TWO = new Set(Array.from('码碼令번', character => character.charCodeAt(0)))

/** This many words are judged between two yields. */
const STEP_WORDS = 32

export function* findSaidPasswords(text: string, found: Spans): Steps<void> {
  const reader = new ValueReader(text)
  let words = 0
  for (let from = 0; from < text.length; from += STEP) {
    const to = Math.min(text.length, from + STEP)
    for (let at = nextAnchor(text, from, to); at < to; at = nextAnchor(text, at + 1, to)) {
      if (++words % STEP_WORDS === 0) yield
      const offsets = offsetsAt(text, at)
      for (let offset = 0; offset <= MAX_OFFSET; offset++)
        if (offsets & (1 << offset)) judgeAt(text, reader, at - 2 - offset, found)
      if (SECOND_OF_TWO.has(text.charCodeAt(at))) judgeAt(text, reader, at - 1, found)
    }
    yield
  }
}

/** Whether the text speaks of a password at all. */
export function mayBeSaid(text: string): boolean {
  return nextAnchor(text, 0, text.length) < text.length
}

function offsetsAt(text: string, end: number): number {
  const [first, second, third] = [text.charCodeAt(end - 2), text.charCodeAt(end - 1), text.charCodeAt(end)]
  return OFFSETS[hashOf(lowerCase(first), lowerCase(second), lowerCase(third))]!
}

/** The next place where three such characters of a word end, or a word of two characters. */
function nextAnchor(text: string, from: number, to: number): number {
  let [first, second] = [lowerCase(text.charCodeAt(from - 2)), lowerCase(text.charCodeAt(from - 1))]
  for (let at = from; at < to; at++) {
    const third = lowerCase(text.charCodeAt(at))
    if (OFFSETS[hashOf(first, second, third)] !== 0) return at
    if (third >= 0x4ee4 && SECOND_OF_TWO.has(third)) return at
    first = second
    second = third
  }
  return to
}

function judgeAt(text: string, reader: ValueReader, at: number, found: Spans): void {
  if (at < 0) return
  WORD.lastIndex = at
  const word = WORD.exec(text)?.[0]
  if (word !== undefined) judgeWord(text, reader, { word: word.toLowerCase(), at }, found)
}

interface Word {
  readonly word: string
  readonly at: number
}

function judgeWord(text: string, reader: ValueReader, { word, at }: Word, found: Spans): void {
  for (const { words, isAfterWord, isSaid } of waysOf(word)) {
    words.lastIndex = isAfterWord ? at + word.length : at
    const match = words.exec(text)
    if (match === null) continue
    const start = words.lastIndex
    const value = reader.read(start)
    // The value has to stand right there. A value after further signs is not the one that the words announce.
    if (value === null || value.start !== start + (value.isQuoted ? 1 : 0)) continue
    const said = text.slice(value.start, value.end)
    if (!isPassword(said, { isQuoted: value.isQuoted, isExact: false }) || !isSaid(text, match, value))
      continue
    found.push({ start: value.start, end: value.end, kind: 'password' })
    return
  }
}

function waysOf(word: string): readonly Way[] {
  if (word.startsWith('pass')) return ENGLISH_WAYS
  return CHINESE.test(word) ? CHINESE_WAYS : OTHER_WAYS
}

interface Way {
  /** Matches from the word up to the password. With `isAfterWord`, from the end of the word. */
  readonly words: RegExp
  readonly isAfterWord?: true
  readonly isSaid: (text: string, words: RegExpExecArray, value: Value) => boolean
}

const CHINESE = /密码|密碼|口令/

const ENGLISH: Way = {
  words:
    /(?:passw(?:or)?d|passcode|passphrase)(?:[ \t](?:for|of|to|on|at|in)(?:[ \t][\w'’.-]{1,24}){1,5})?(?:[ \t](?:is|was|set to|changed to|is now)|['’]s)?[ \t]?[:：]?[ \t]{1,3}/iy,
  isSaid: isSaidInEnglish,
}

const CHINESE_WAYS: readonly Way[] = [
  {
    words:
      /(?:密码|密碼|(?<![淘包])口令)[ \t]{0,2}(?:就?是|为|為|改成|改为|换成|设为|设成)?[ \t]{0,2}[:：]?[ \t]{0,2}/y,
    isSaid: isSaidInChinese,
  },
]

/** First what the password is for, then a verb, a dash or a colon. */
const OTHER: Way = {
  words:
    /(?:[ \t](?:de|du|da|do|del|della|dla|für|fürs|zum|van|voor|för|til|от|для|к)(?:[ \t][^\s:：,.;!?]{1,24}){1,3})?[ \t\u3000]{0,2}(?<link>[:：—–]|->|est|ist|lautet|es|é|è|is|to|je|är|er|on|este|είναι|это|такой|такий|هي|هو|है|は|が|는|은|là|adalah|היא)?[ \t\u3000]{0,2}[:：]?[ \t\u3000]{0,3}(?![ \t\u3000])/uy,
  isAfterWord: true,
  isSaid: isSaidElsewhere,
}

const OTHER_WAYS: readonly Way[] = [OTHER]
const ENGLISH_WAYS: readonly Way[] = [ENGLISH, OTHER]

/**
 * Takes only what looks like no word and no year: far more people write about passwords than write a password
 * down.
 */
function isSaidElsewhere(text: string, words: RegExpExecArray, { start, end, isQuoted }: Value): boolean {
  const value = text.slice(start, end)
  const hasLink = words.groups?.['link'] !== undefined || /[:：]\s*$/.test(words[0])
  if (isCounted(text, end)) return false
  if (!/\d/.test(value)) return isQuoted && hasLink
  if (!/[A-Za-z]/.test(value)) return hasLink && value.length >= 6
  // Without a link: the word is in another script than Latin, and the value ends the clause: `비번 abc123`.
  return (
    hasLink ||
    (text.charCodeAt(words.index - 1) > 0x250 &&
      (AFTER_CLAUSE.test(text.slice(end, end + 10)) || STRONG.test(value)))
  )
}

/** Without a verb or a colon the sentence may simply go on: `忘记密码windows10怎么办`. */
function isSaidInChinese(text: string, words: RegExpExecArray, { start, end, isQuoted }: Value): boolean {
  if (isQuoted) return true
  if (isCounted(text, end)) return false
  if (!/^[密口][码碼令][ \t]*$/.test(words[0])) return true
  const value = text.slice(start, end)
  return (
    /^\d{6,}$/.test(value) ||
    /^(?:$|[\n\r，。；！？、）,.;!?)])/.test(text.slice(end, end + 1)) ||
    STRONG.test(value)
  )
}

/** What follows the last word of a clause. */
const AFTER_CLAUSE =
  /^(?:\s*$|\s*[\n\r]|[.,;!?)\]}]{1,3}(?:\s|$|[^ -~])|[^ -~]|\s(?:and|but|so|then|thanks|please|btw|now)\b)/
/** Matches no word of any language. */
const STRONG = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,}$/

function isSaidInEnglish(text: string, words: RegExpExecArray, { start, end, isQuoted }: Value): boolean {
  // Without a verb or a colon this can only be the flag of a command or a line of a `.netrc`.
  if (/^pass(?:w(?:or)?d|code|phrase)[ \t]+$/i.test(words[0])) {
    const before = text.slice(Math.max(0, words.index - 90), words.index)
    return /(?:^|\s)--?[\w-]{0,20}$/.test(before.slice(-24)) || /\blogin\s{1,8}\S{1,64}\s{1,8}$/.test(before)
  }
  return isQuoted || AFTER_CLAUSE.test(text.slice(end, end + 10)) || STRONG.test(text.slice(start, end))
}
