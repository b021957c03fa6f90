import { isDigit } from './characters.ts'
import type { Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/**
 * Numbers of payment cards: from a known issuer, with the right length and check digit, and written as one
 * number.
 */

/** A card has at least this many digits. */
export const SHORTEST_CARD = 14

interface Group {
  readonly start: number
  readonly end: number
  /** Stands between this group and the one before. */
  readonly separator: string
}

/** The groups as printed on cards: groups of four, or the own formats of American Express and Diners. */
const FORMATS: readonly (readonly number[])[] = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [6, 13],
]

/** This many groups are read together: the longest format and the group after it. */
const MAX_GROUPS = 6

/**
 * Reads groups of digits on one line, each separated from the next by one blank or dash. It holds only a few
 * groups at a time.
 */
export function* findCardNumbers(text: string, found: Spans, named = ''): Steps<void> {
  const groups: Group[] = []
  let separator = ''
  let looked = 0
  for (let at = nextDigit(text, 0); at < text.length; at = nextDigit(text, at)) {
    if (at - looked >= STEP) {
      looked = at
      yield
    }
    if (!isDigit(text.charCodeAt(at))) continue
    let end = at
    while (isDigit(text.charCodeAt(end))) if (++end % STEP === 0) yield
    groups.push({ start: at, end, separator })
    const next = text[end] ?? ''
    const isLast = !isBetweenGroups(next) || !isDigit(text.charCodeAt(end + 1))
    separator = isLast ? '' : next
    while (groups.length > (isLast ? 0 : MAX_GROUPS)) takeFirst(text, groups, found, named)
    at = end
  }
}

/** The next digit, or the end of one step. */
function nextDigit(text: string, from: number): number {
  const to = Math.min(text.length, from + STEP)
  for (let at = from; at < to; at++) if (isDigit(text.charCodeAt(at))) return at
  return to
}

function isBetweenGroups(character: string): boolean {
  return character === ' ' || character === '-' || character === '\u00a0' || character === '\u3000'
}

function takeFirst(text: string, groups: Group[], found: Spans, named: string): void {
  const taken = cardAt(text, groups, named)
  if (taken > 0) found.push({ start: groups[0]!.start, end: groups[taken - 1]!.end, kind: 'card number' })
  groups.splice(0, Math.max(1, taken))
}

/** How many of the groups, from the first one on, are a card's number. */
function cardAt(text: string, groups: readonly Group[], named: string): number {
  const format = FORMATS.find(lengths => isFormatted(text, groups, lengths))
  if (format) return format.length
  return isBareCard(text, groups, named) ? 1 : 0
}

function isFormatted(text: string, groups: readonly Group[], lengths: readonly number[]): boolean {
  const first = groups[0]!
  const last = groups[lengths.length - 1]
  if (!last) return false
  const { separator } = groups[1]!
  const isInFormat = lengths.every((length, place) => {
    const group = groups[place]!
    return group.end - group.start === length && (place === 0 || group.separator === separator)
  })
  if (!isInFormat || !isCard(digitsOf(text, groups.slice(0, lengths.length)))) return false
  // A longer row of such groups is not a card. A date or a code of three digits may follow a card.
  const next = groups[lengths.length]
  if (first.separator !== '' && (first.separator === separator || first.separator === '-')) return false
  if (next?.separator === separator && next.end - next.start >= 4) return false
  if (isInHexadecimal(text, first.start, last.end)) return false
  return isFreeBefore(text, first) && isFreeAfter(text, last.end)
}

/** A table of hexadecimal numbers: some of its numbers have no letters. */
function isInHexadecimal(text: string, start: number, end: number): boolean {
  const [before, after] = [text.slice(Math.max(0, start - 6), start), text.slice(end, end + 7)]
  return (
    /[0-9A-Fa-f]{4}[ -]$/.test(before) ||
    /^[ -](?=\d{0,4}[A-Fa-f])[0-9A-Fa-f]{4,5}(?![A-Za-z0-9])/.test(after)
  )
}

/** Many other numbers without blanks look like a card. So the words before the number decide too. */
function isBareCard(text: string, groups: readonly Group[], named: string): boolean {
  const { start, end, separator } = groups[0]!
  const length = end - start
  if (length < SHORTEST_CARD || length > 19) return false
  if (separator === '-' || groups[1]?.separator === '-') return false
  if (!isCard(digitsOf(text, [groups[0]!]))) return false
  if (!isFreeBefore(text, groups[0]!) || !isFreeAfter(text, end)) return false
  const words = wordsBefore(text, start, named)
  if (IS_CARD.test(words)) return true
  if (IS_ID.test(words) || IS_FIELD_OF_ID.test(words)) return false
  if (SPEAKS_OF_CARDS.test(words)) return true
  // Ids of messages, orders and posts have 17 to 19 digits. So have numbers of identity cards.
  return (length === 15 || length === 16) && !isInAddress(text, start)
}

/** The number is no part of a longer word or number, an amount, a telephone number, an IBAN or a path. */
function isFreeBefore(text: string, { start, separator }: Group): boolean {
  if (separator !== '') return true
  if (/[A-Za-z0-9_/\\.#+@%$€£¥~^&-]/.test(text[start - 1] ?? '')) return false
  // `DE89 3704 …` and `GB29-NWBK-…`: an IBAN begins with letters and two digits.
  return !/[A-Z]{2}\d{2}[ -]$/.test(text.slice(Math.max(0, start - 5), start))
}

function isFreeAfter(text: string, end: number): boolean {
  if (/[A-Za-z_@%€£¥]/.test(text[end] ?? '')) return false
  return !(/[.,-]/.test(text[end] ?? '') && /[A-Za-z0-9]/.test(text[end + 1] ?? ''))
}

const LOOK_BACK = 40

/** The words before it on the same line, without those of our own markers. */
function wordsBefore(text: string, start: number, named: string): string {
  const from = Math.max(0, start - LOOK_BACK)
  const before = text.slice(from, start)
  const own = before.slice(Math.max(...['\n', '\r', ']'].map(end => before.lastIndexOf(end))) + 1)
  return from === 0 && own.length === before.length ? `${named} ${own}` : own
}

const CARD =
  '(?<![A-Za-z])(?:cards?|visa|master ?card|maestro|amex|american express|discover|jcb|diners|union ?pay|pan|cc)'
const ID =
  '(?<![A-Za-z])(?:orders?|invoices?|tracking|tickets?|cases?|ref(?:erence)?|transactions?|txn|serial|imei|sku|items?|products?|account|acct|messages?|msg|tweet|mid|groups?|channels?|guilds?|chats?|[pu]?id|ids|uuid|no|nr|num|phone|tel|mobile|parcel|shipment|booking|receipt|contract|policy|seq|timestamp)'
const CHINESE_ID =
  '订单|单号|流水|编号|运单|快递|物流|序列|票号|发票|案件|工单|身份证|手机|电话|账户|账号|帐号|群|用户|消息|合同|保单|学号|工号'
/** What may stand between a word and its number. */
const LEADING = String.raw`(?:[ _-]?(?:account )?(?:numbers?|nos?|nums?|ids?|codes?)|号码?)?[\s"'\\:：=#.,(（]{0,6}(?:is|was|为|是)?[\s"'\\:：=#(（]{0,6}$`

const IS_CARD = new RegExp(`(?:${CARD}|卡)${LEADING}`, 'i')
const IS_ID = new RegExp(`(?:${ID}|${CHINESE_ID})${LEADING}`, 'i')
/** `userId` */
const IS_FIELD_OF_ID = /[a-z]I[dD]s?[\s"'\\:=]{0,6}$/
const SPEAKS_OF_CARDS = new RegExp(`${CARD}(?![A-Za-z])|卡`, 'i')

/** Whether the place is inside a URL. */
function isInAddress(text: string, start: number): boolean {
  let from = start
  while (from > start - 300 && from > 0 && !/\s/.test(text[from - 1]!)) from--
  return /\w:\/\/|www\./.test(text.slice(from, start))
}

function digitsOf(text: string, groups: readonly Group[]): string {
  return groups
    .map(({ start, end }) => text.slice(start, end))
    .join('')
    .replace(/[\uff10-\uff19]/g, digit => String(digit.charCodeAt(0) - 0xff10))
}

/** How the numbers of each issuer begin, and their lengths. Visa's old numbers of 13 digits are long gone. */
const ISSUERS: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { prefix: /^(?:30[0-5]|36|38|39)/, lengths: [14] },
  { prefix: /^35(?:2[89]|[3-8]\d)/, lengths: [16] },
  { prefix: /^62/, lengths: [16, 17, 18, 19] },
  { prefix: /^220[0-4]/, lengths: [16] },
]

function isCard(digits: string): boolean {
  const { length } = digits
  return (
    ISSUERS.some(issuer => issuer.lengths.includes(length) && issuer.prefix.test(digits)) && checks(digits)
  )
}

/** The check digit by Luhn's method. */
function checks(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48
    const counted = place % 2 === 1 ? digit * 2 : digit
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}
