import { headOf } from '../log/index.ts'
import { namesAnotherDay } from './relative-dates.ts'
import {
  CLOSING,
  MAX_PHRASE,
  MAX_UNSPACED,
  OPENING,
  SMALL_TALK,
  UNSPACED_CLOSING,
  UNSPACED_OPENING,
  UNSPACED_SMALL_TALK,
} from './small-talk.ts'

/** A person who says something says it within so many characters. */
const MAX_CHARACTERS = 2_000
const MIN_WORDS = 3
/** For scripts that need few characters for a word, and for scripts that need many. */
const MIN_HAN = 4
const MIN_HANGUL = 6
const MIN_UNSPACED = 12

/**
 * Whether a line says something that a memory could hold. Greetings, thanks, assent, laughter, bare emoji and
 * fragments do not. Without them, at least three words have to be left, or something exact.
 */
export function isWorthKeeping(text: string): boolean {
  const line = headOf(text, MAX_CHARACTERS).normalize('NFKC').replaceAll('’', "'").replace(MENTION, ' ')
  const said = line.replace(EMOTICON, ' ').split(CLAUSE_END).flatMap(saidIn)
  return isEnough(said) || (EXACT.test(line) && !CHEERING.test(line)) || holdsDate(said)
}

/** A mention of the person that a message is for, as platforms write it. */
const MENTION = /<@[!&]?\w+>|(?<![\p{L}\p{N}._%+-])@[\p{L}\p{N}_-]+/gu
const EMOTICON = /(?<![\p{L}\p{N}])(?:[:;=][-'^]?[()[\]DdPpOo3/\\|*]+|<3+|\+1)(?![\p{L}\p{N}])/gu
const CLAUSE_END =
  /[.,!?;:…，。！？；：、~～()（）"“”「」『』|\n\r\u2028\u2029]+|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}]+/u

const HAN = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー`
/** Thai and its neighbours put no spaces between words either, but they are written in letters. */
const LETTERS = String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const WORD = new RegExp(`[${HAN}]+|[[\\p{L}\\p{M}\\p{N}']--[${HAN}]]+`, 'gv')
const IS_HAN = new RegExp(`^[${HAN}]`, 'v')
const IS_HANGUL = /^\p{sc=Hangul}/u
const IS_UNSPACED = new RegExp(`^[${LETTERS}]`, 'v')

/** The words of a clause that tell something; empty where all of the clause is small talk. */
function saidIn(clause: string): string[] {
  const words = (clause.match(WORD) ?? []).filter(word => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0 || isSmallTalk(words)) return []
  const { rest, last } = withoutOpening(words)
  if (last !== '' && (isForSomebody(rest) || isThanksFor(last, rest))) return []
  return withoutClosing(rest)
}

function isSmallTalk(words: readonly string[]): boolean {
  for (let at = 0; at < words.length; ) {
    const taken = remarkAt(words, at) || phraseAt(words, at, SMALL_TALK) || Number(isUnspacedTalk(words[at]!))
    if (taken === 0) return false
    at += taken
  }
  return true
}

const REMARK =
  /^(?:(?:(?:that|this|it)(?:'s| is| was)|what an?|how|so|too|very|really|lmao|lol) )+(?:(?:so|really|very|pretty|quite|too|just|absolutely|all) )*(?:cool|nice|great|good|amazing|awesome|cute|funny|hilarious|sweet|lovely|fun|sad|crazy|insane|wild|perfect|fantastic|wonderful|beautiful|brilliant|excellent|bad|terrible|awful|weird|fine|ok|okay|true|right|correct|interesting|impressive|exciting)$/
const MAX_REMARK_WORDS = 8

/** "That's so cool": a month later, no reader can say what "that" is. */
function remarkAt(words: readonly string[], at: number): number {
  let count = Math.min(MAX_REMARK_WORDS, words.length - at)
  while (count > 0 && !inFull(phrase(words, at, count)).some(remark => REMARK.test(remark))) count--
  return count
}

function phrase(words: readonly string[], from: number, count: number): string {
  return words
    .slice(from, from + count)
    .join(' ')
    .toLowerCase()
}

/** How many words from `at` make up the longest phrase of the list that stands there; 0: no phrase. */
function phraseAt(words: readonly string[], at: number, phrases: ReadonlySet<string>): number {
  for (let count = Math.min(MAX_PHRASE, words.length - at); count > 0; count--)
    if (phrases.has(phrase(words, at, count))) return count
  return isDrawnOut(words[at]!.toLowerCase(), phrases) ? 1 : 0
}

const LAUGHTER =
  /^(?:a?(?:ha|he|hi|ho|ja|je|ji|ха|хе){2,}[hj]?|l+o+l+|lo(?:lo)+l|lmf?ao+|rofl|x+d+|k{2,}|w{2,}|z{2,}|h+m+|m{2,}|[ㅋㅎㅠㅜ]+)$/
const DRAWN_OUT = /(.)\1\1/u

/** Whether a word is laughter, or a phrase with drawn-out letters: "heyyy", "okkkk", "hahaha". */
function isDrawnOut(word: string, phrases: ReadonlySet<string>): boolean {
  if (LAUGHTER.test(word)) return true
  return inFull(word).some(each => phrases.has(each))
}

/** What a text with drawn-out letters may be in full: "sooo" may be "so", "goood" may be "good". */
function inFull(text: string): string[] {
  if (!DRAWN_OUT.test(text)) return [text]
  return [text.replace(/(.)\1{2,}/gu, '$1'), text.replace(/(.)\1{2,}/gu, '$1$1')]
}

function isUnspacedTalk(run: string): boolean {
  return IS_HAN.test(run) && withoutPhrases(run, UNSPACED_SMALL_TALK) === ''
}

/**
 * What is left of a run of characters after phrases of the list are taken off its front, the longest first.
 */
function withoutPhrases(run: string, phrases: ReadonlySet<string>): string {
  let from = 0
  for (;;) {
    let length = Math.min(MAX_UNSPACED, run.length - from)
    while (length > 0 && !phrases.has(run.slice(from, from + length))) length--
    if (length === 0) return run.slice(from)
    from += length
  }
}

/** The clause without its greeting or assent, and the last phrase that was taken off. */
function withoutOpening(words: readonly string[]): { rest: string[]; last: string } {
  let at = 0
  let last = ''
  for (let count = phraseAt(words, 0, OPENING); count > 0; count = phraseAt(words, at, OPENING)) {
    last = phrase(words, at, count)
    at += count
    if (at >= words.length) break
  }
  const rest = words.slice(at)
  if (rest.length > 0 && IS_HAN.test(rest[0]!)) rest[0] = withoutPhrases(rest[0]!, UNSPACED_OPENING)
  return { rest: rest.filter(Boolean), last }
}

const NAME_OR_AND = /^(?:\p{Lu}(?:\p{Ll}|$)|and$|und$|y$|et$|e$)/u
const MAX_NAMES = 5

/** Whether a greeting has nothing but names behind it: "Good morning Ann and Bob". */
function isForSomebody(words: readonly string[]): boolean {
  return words.length <= MAX_NAMES && words.every(word => NAME_OR_AND.test(word))
}

const THANKS = /^(?:thanks|thank you|thx|many thanks|cheers|danke|vielen dank|gracias|muchas gracias|merci)/
const FOR = /^(?:for|für|por|pour|de)$/i
const MAX_THANKED_FOR = 6

/** "Thanks for the quick reply". */
function isThanksFor(opening: string, words: readonly string[]): boolean {
  return THANKS.test(opening) && words.length <= MAX_THANKED_FOR && FOR.test(words[0]!)
}

function withoutClosing(words: readonly string[]): string[] {
  let end = words.length
  while (end > 0 && phraseAt(words, end - 1, CLOSING) > 0) end--
  const rest = words.slice(0, end)
  const last = rest.at(-1)
  if (last !== undefined && IS_HAN.test(last)) rest[end - 1] = withoutPhrasesBehind(last)
  return rest.filter(Boolean)
}

function withoutPhrasesBehind(run: string): string {
  let end = run.length
  for (;;) {
    let length = Math.min(MAX_UNSPACED, end)
    while (length > 0 && !UNSPACED_CLOSING.has(run.slice(end - length, end))) length--
    if (length === 0) return run.slice(0, end)
    end -= length
  }
}

/** Two words written as one count as two. */
const CONTRACTION = /^(?:im|\p{L}+'(?:m|re|ve|ll)|(?:he|she|it|that|there|here|who|what|where)'s)$/iu

function isEnough(said: readonly string[]): boolean {
  let words = 0
  const characters = { han: 0, hangul: 0, unspaced: 0 }
  for (const word of said) {
    if (IS_HAN.test(word)) characters.han += [...word].length
    else {
      if (IS_HANGUL.test(word)) characters.hangul += word.length
      if (IS_UNSPACED.test(word)) characters.unspaced += word.length
      words += CONTRACTION.test(word) ? 2 : 1
    }
  }
  const { han, hangul, unspaced } = characters
  if (words >= MIN_WORDS || han >= MIN_HAN || hangul >= MIN_HANGUL) return true
  // "我用Vim": beside characters, a word says as much as one of them.
  return unspaced >= MIN_UNSPACED || (words > 0 && words + han >= MIN_WORDS)
}

const LINK = String.raw`https?:\/\/\S|(?<!\p{L})www\.[\p{L}\p{N}]|(?<![\p{L}\p{N}@.-])[\p{L}\p{N}-]{1,63}\.(?:com|org|net|io|dev|app|cn|edu|gov|info|ai)(?![\p{L}\p{N}])`
const ADDRESS = String.raw`[\p{L}\p{N}._%+-]@[\p{L}\p{N}-]+\.\p{L}`
const NUMBER = String.raw`\p{Nd}[.,:/-]?\p{Nd}|\p{Nd} ?(?:[ap]\.?m|uhr)(?!\p{L})`
/** A link, an address, a number of two digits or more, or a time. */
const EXACT = new RegExp(`${LINK}|${ADDRESS}|${NUMBER}`, 'iu')
/** Numbers that stand for laughter and applause. */
const CHEERING = /^[^\p{L}\p{N}]*(?:6{3,}|23{2,})[^\p{L}\p{N}]*$/u
/** Whether the words name a day other than the one on which they are said. */
function holdsDate(said: readonly string[]): boolean {
  return said.length > 0 && namesAnotherDay(said.join(' '))
}
