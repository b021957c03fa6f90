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
  /** It holds marks that nobody sees, or letters of full width. */
  Unplain: 128,
} as const

const KEY = 1
const DIGIT = 2
const SEPARATOR = 4
const AT = 8
/** A `w`: after two `s` it is that of a password. */
const DOUBLE_U = 16
const DASH = 32
const UNPLAIN = 64
/** The last character of 密码, 口令 and the like. */
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

function wideClassOf(code: number): number {
  if (isUnseen(code) || isWideAlphanumeric(code)) return UNPLAIN
  const character = String.fromCharCode(code)
  if (character === '：' || character === '＝') return SEPARATOR
  return '码碼令'.includes(character) ? LAST_OF_WORD : 0
}

/** So many digits in a row, or a digit beside a letter, may be a password that words of any language tell. */
const LEAST_DIGITS = 6
const BESIDE_DIGIT = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z!@#$%^&*?~_-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** One look at every character, which is all that most texts get. */
export class Look {
  #signs = 0
  #run = 0
  #digits = 0
  #index = 0
  #hasAt = false
  #hasAddress = false

  get signs(): number {
    return this.#signs
  }

  /** Goes on from where it was. */
  at(text: string, end: number): void {
    let [signs, run, digits] = [this.#signs, this.#run, this.#digits]
    for (let index = this.#index; index < end; index++) {
      const kind = CLASSES[text.charCodeAt(index)]!
      if (kind === KEY) {
        run++
        continue
      }
      if (kind === 0) {
        if (run >= SHORTEST_RUN) signs |= Sign.LongRun
        run = 0
        continue
      }
      if (kind & KEY) {
        run++
        if (kind & DIGIT) {
          digits++
          if (digits === LEAST_DIGITS || (!(signs & Sign.Said) && isBesideLetter(text, index)))
            signs |= Sign.Said
        } else if (kind & DOUBLE_U) {
          if (isAfterTwoS(text, index)) signs |= Sign.Said
        } else signs |= signOfDash(text, index)
        continue
      }
      if (run >= SHORTEST_RUN) signs |= Sign.LongRun
      run = 0
      if (kind & SEPARATOR) {
        if (!(signs & Sign.Name) && mayEndName(text, index)) signs |= Sign.Name
        if (!this.#hasAddress && text.startsWith('://', index)) this.#hasAddress = true
      } else if (kind & AT) this.#hasAt = true
      else signs |= kind & UNPLAIN ? Sign.Unplain : Sign.Said
    }
    if (end === text.length) {
      if (run >= SHORTEST_RUN) signs |= Sign.LongRun
      if (digits >= SHORTEST_CARD) signs |= Sign.Digits
      if (this.#hasAt && this.#hasAddress) signs |= Sign.Address
    }
    ;[this.#signs, this.#run, this.#digits, this.#index] = [signs, run, digits, end]
  }
}

function isBesideLetter(text: string, index: number): boolean {
  return BESIDE_DIGIT[text.charCodeAt(index + 1)] === 1 || BESIDE_DIGIT[text.charCodeAt(index - 1)] === 1
}

function isAfterTwoS(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) | 32) === 115 && (text.charCodeAt(index - 2) | 32) === 115
}

/** Of the armour of a key, or of an option of a command. */
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
