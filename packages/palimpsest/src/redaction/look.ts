import { mayEndName } from './assignments.ts'
import { SHORTEST_CARD } from './card-numbers.ts'
import { SHORTEST_RUN } from './known-keys.ts'
import { isUnseen, isWideAlphanumeric } from './plain-text.ts'

/** Signs that a text may hold a secret of some kind. */
export const Sign = {
  LongRun: 1,
  Digits: 2,
  Name: 4,
  Said: 8,
  Address: 16,
  Armour: 32,
  Command: 64,
  /** The text holds invisible marks or letters of full width. */
  Unplain: 128,
} as const

const KEY = 1
const DIGIT = 2
const SEPARATOR = 4
const AT = 8
/** A `w`: after two `s` it may be the one in "password". */
const DOUBLE_U = 16
const DASH = 32
const UNPLAIN = 64
/** The last character of 密码, 口令 and similar words. */
const LAST_OF_WORD = 128

const CLASSES = Uint8Array.from({ length: 65_536 }, (_, code) => {
  if (code >= 128) return wideClassOf(code)
  const character = String.fromCharCode(code)
  if (/[0-9]/.test(character)) return KEY | DIGIT
  if (/w/i.test(character)) return KEY | DOUBLE_U
  if (character === '-') return KEY | DASH
  if (/\w/.test(character)) return KEY
  if (/[:=>]/.test(character)) return SEPARATOR
  return character === '@' ? AT : 0
})

/**
 * The classes of nearly all characters that occur. The table is small enough to stay in the processor's
 * cache.
 */
const ASCII = CLASSES.slice(0, 128)

function wideClassOf(code: number): number {
  if (isUnseen(code) || isWideAlphanumeric(code)) return UNPLAIN
  const character = String.fromCharCode(code)
  if (character === '：' || character === '＝') return SEPARATOR
  return '码碼令'.includes(character) ? LAST_OF_WORD : 0
}

/** This many digits, or a digit beside a letter, may be a password that words of any language announce. */
const MIN_DIGITS = 6
const BESIDE_DIGIT = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z!@#$%^&*~]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** What was seen so far, for a text that is read in steps. */
export class Look {
  signs = 0
  /** How many key characters stand right before the end. */
  run = 0
  digits = 0
  hasAt = false
  hasAddress = false
}

/** Shared by texts that are read in one go: a new `Look` for each would cost more than the reading. */
const AT_ONCE = new Look()

export function signsOf(text: string): number {
  AT_ONCE.signs = 0
  AT_ONCE.run = 0
  AT_ONCE.digits = 0
  AT_ONCE.hasAt = false
  AT_ONCE.hasAddress = false
  lookOn(AT_ONCE, text, 0, text.length)
  return AT_ONCE.signs
}

/**
 * Reads every character once. Most texts need no more than this. It continues with what was seen before
 * `from`.
 */
export function lookOn(look: Look, text: string, from: number, to: number): void {
  let signs = look.signs
  let run = look.run
  let digits = look.digits
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index)
    const kind = code < 128 ? ASCII[code]! : CLASSES[code]!
    if (kind === KEY) {
      run++
      continue
    }
    if (kind & KEY) {
      run++
      if (kind & DIGIT) {
        digits++
        if (!(signs & Sign.Said) && (digits === MIN_DIGITS || isBesideLetter(text, index))) signs |= Sign.Said
      } else if (kind & DOUBLE_U) {
        if (isAfterTwoS(text, index)) signs |= Sign.Said
      } else signs |= signOfDash(text, index)
      continue
    }
    if (run >= SHORTEST_RUN) signs |= Sign.LongRun
    run = 0
    if (kind === 0) continue
    if (kind & SEPARATOR) {
      if (!(signs & Sign.Name) && mayEndName(text, index)) signs |= Sign.Name
      if (text.charCodeAt(index + 1) === 47 && text.startsWith('://', index)) look.hasAddress = true
    } else if (kind & AT) look.hasAt = true
    else signs |= kind & UNPLAIN ? Sign.Unplain : Sign.Said
  }
  if (to === text.length) {
    if (run >= SHORTEST_RUN) signs |= Sign.LongRun
    if (digits >= SHORTEST_CARD) signs |= Sign.Digits
    if (look.hasAt && look.hasAddress) signs |= Sign.Address
  }
  look.signs = signs
  look.run = run
  look.digits = digits
}

function isBesideLetter(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1)
  if (BESIDE_DIGIT[before] === 1 || BESIDE_DIGIT[text.charCodeAt(index + 1)] === 1) return true
  // `horse-9`, and not `10-20`
  return (before === 45 || before === 95) && BESIDE_DIGIT[text.charCodeAt(index - 2)] === 1
}

function isAfterTwoS(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) | 32) === 115 && (text.charCodeAt(index - 2) | 32) === 115
}

/** The dash belongs to the armour of a key, or to an option of a command. */
function signOfDash(text: string, index: number): number {
  const before = text.charCodeAt(index - 1)
  if (before === 45)
    return text.startsWith('-----BEGIN ', index - 4) || text.startsWith('-----END ', index - 4)
      ? Sign.Armour
      : 0
  if (before === 32 || before === 9) {
    const after = text.charCodeAt(index + 1)
    return after === 45 || (after | 32) >= 97 ? Sign.Command : 0
  }
  return before === 101 && text.startsWith('Private-Lines: ', index - 7) ? Sign.Armour : 0
}
