/**
 * The exact values in a text, each of a kind: only a value of the same kind can replace another. The words
 * around a value say what it is a value of.
 */

type ValueKind = 'time' | 'day' | 'money' | 'code' | 'count'

export interface Value {
  readonly kind: ValueKind
  /** As it stands in the text. */
  readonly text: string
  /** Equal for values that are the same. */
  readonly key: string
  readonly start: number
  readonly end: number
}

const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?'
const HAN_NUMBER = '[一二两三四五六七八九十百千万]'
const NUMBER_WORD =
  'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|hundred'
const TIME = `(?<![\\d.,:])\\d{1,2}[:：]\\d{2}(?:\\s?[ap]\\.?m\\b\\.?)?|(?<![\\d.,:])\\d{1,2}(?:\\.\\d{2})?\\s?[ap]\\.?m\\b\\.?|(?<![\\d.,])(?:\\d{1,2}|${HAN_NUMBER}{1,3})点(?:半|一刻|三刻|\\d{1,2}分?|${HAN_NUMBER}{1,3}分)?(?![儿了])|\\d{1,2} ?o['’]clock|\\bnoon\\b|\\bmidnight\\b`
const DAY = `\\d{4}-\\d{2}-\\d{2}|(?<!\\d)\\d{1,2}月\\d{1,2}[号日]?|(?<!\\d)\\d{1,2}[号日](?!楼|线)|\\b\\d{1,2}(?:st|nd|rd|th)\\b(?: of)?(?: (?:${MONTH})\\b)?|\\b\\d{1,2} (?:${MONTH})\\b|\\b(?:${MONTH}) \\d{1,2}(?:st|nd|rd|th)?\\b|\\b${WEEKDAY}\\b|(?:周|星期|礼拜)[一二三四五六日天]|\\b(?:january|february|march|april|june|july|august|september|october|november|december)\\b`
const MONEY = `[$€£¥]\\s?\\d[\\d.,]*k?|\\b\\d[\\d.,]*\\s?(?:k\\b|euros?\\b|dollars?\\b|pounds?\\b|bucks\\b|quid\\b|rmb\\b|usd\\b|eur\\b|chf\\b|€|£|\\$)|\\d[\\d.,]*\\s?(?:块钱?|元|万)|${HAN_NUMBER}{1,6}(?:块钱?|元|[千百]${HAN_NUMBER}|万)`
const CODE = `(?<![\\p{L}\\d])(?=[A-Za-z\\d_-]{0,24}\\d)[A-Za-z]{1,12}[-_]?[A-Za-z\\d_-]{1,20}[#*]?|(?<![\\p{L}\\d])[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12})?[-_]\\d{1,12}[#*]?|\\d{4,20}[#*]?(?![.,]\\d)|\\d{1,4}[A-Z]{1,4}\\d{1,8}`
const COUNT = `\\d+(?:[.,]\\d+)*%?|\\b(?:${NUMBER_WORD})\\b|(?!一[^十百千万])${HAN_NUMBER}{1,4}(?=[个個人件张本台辆份间瓶箱票位盒双套桌])`
const VALUE = new RegExp(`(${TIME})|(${DAY})|(${MONEY})|(${CODE})|(${COUNT})`, 'giu')
const KINDS: readonly ValueKind[] = ['time', 'day', 'money', 'code', 'count']
const MAY_HOLD = new RegExp(
  `\\d|${HAN_NUMBER}|(?:${NUMBER_WORD}|${WEEKDAY}|noon|midnight|周|星期|礼拜|january|february|march|april|june|july|august|september|october|november|december)`,
  'iu',
)
const MAX_CHARACTERS = 600
const MAX_VALUES = 12

export function findValues(text: string): Value[] {
  const read = text.slice(0, MAX_CHARACTERS)
  if (!MAY_HOLD.test(read)) return []
  const values: Value[] = []
  for (const match of read.matchAll(VALUE)) {
    const at = match.slice(1).findIndex(each => each !== undefined)
    // A day that the summary itself has put into the text.
    if (read[match.index - 1] === '(' && /^\d{4}-/.test(match[0])) continue
    values.push({
      kind: KINDS[at]!,
      text: match[0].trim(),
      key: valueKey(match[0]),
      start: match.index,
      end: match.index + match[0].trimEnd().length,
    })
    if (values.length >= MAX_VALUES) break
  }
  return values
}

export function valueKey(text: string): string {
  return text
    .toLowerCase()
    .replace(/[#*$€£¥\s.,:：_-]|of|块钱?|元|euros?|dollars?/giu, '')
    .replace(/(\d)(?:st|nd|rd|th)/, '$1')
}

/** "7am" may have become "9": a bare small number also fits a value with a unit. */
export function mayReplace(later: Value, earlier: Value): boolean {
  if (later.key === earlier.key) return false
  if (DIGITS_ONLY.test(later.key) && DIGITS_ONLY.test(earlier.key) && isPlain(later) && isPlain(earlier))
    return true
  if (later.kind === earlier.kind)
    return later.kind !== 'day' || isWeekday(later.text) === isWeekday(earlier.text)
  if (later.kind === 'count') return earlier.kind !== 'code' && earlier.kind !== 'day'
  return false
}

const DIGITS_ONLY = /^\d+$/

/** Whether it is a number of something: money, a code or a count. */
function isPlain({ kind }: Value): boolean {
  return kind === 'code' || kind === 'count' || kind === 'money'
}

function isWeekday(text: string): boolean {
  return /day|周|星期|礼拜/iu.test(text)
}

/** 7741 and 7714, 48213 and 48231: whether one was written for the other by mistake. */
export function isMisspelled(later: Value, earlier: Value): boolean {
  const [one, other] = [later.key, earlier.key]
  if (one === other || one.length !== other.length || one.length < 3) return false
  if ([...one].sort().join('') === [...other].sort().join('')) return true
  let same = 0
  for (let at = 0; at < one.length; at++) if (one[at] === other[at]) same++
  return one.length - same === 1
}
