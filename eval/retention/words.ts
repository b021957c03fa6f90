import { stemmer } from 'stemmer'
import { STOP_WORDS } from '../../packages/palimpsest/src/search/index.ts'

/**
 * The content words of a text, such that the same thing written in two ways gives the same words: lower-cased,
 * stemmed, numbers as digits, a date as one word for each way of being exact about it. Only grammar is left out; what
 * the summariser takes for small talk is not, since an answer may be just that.
 */
export function contentWords(text: string): Set<string> {
  const { dates, rest } = takeDates(normalize(text))
  return new Set([...dates.flatMap(wordsOfDate), ...plainWords(rest)])
}

/** What of an answer has to be found: of a date no more than it says. */
export function answerWords(answer: string): Set<string> {
  const { dates, rest } = takeDates(normalize(answer))
  return new Set([...dates.map(dateWord), ...plainWords(rest)])
}

/** The share of an answer's words that a text has. */
export function shareFound(answer: ReadonlySet<string>, text: ReadonlySet<string>): number {
  return [...answer].filter(word => text.has(word)).length / answer.size
}

function normalize(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('’', "'").replace(THOUSANDS, '')
}

const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g

interface CalendarDate {
  readonly year: string | undefined
  readonly month: number
  readonly day: number | undefined
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'
const YEAR = '(\\d{4})'
const DATE = new RegExp(
  [
    `\\b${YEAR}-(\\d{2})-(\\d{2})\\b`,
    `\\b${DAY} (?:of )?${MONTH}\\b\\.?,?(?: ${YEAR}\\b)?`,
    `\\b${MONTH}\\.? ${DAY}\\b,?(?: ${YEAR}\\b)?`,
    `\\b${MONTH}\\b,? ${YEAR}\\b`,
    `\\b${YEAR}-(\\d{2})(?![-\\d])`,
  ].join('|'),
  'g',
)

/** A month alone is left to the words: May and March are other words too. */
function takeDates(text: string): { dates: CalendarDate[]; rest: string } {
  const dates: CalendarDate[] = []
  const rest = text.replace(DATE, (found, ...groups: (string | undefined)[]) => {
    const date = dateOf(groups)
    if (date === null) return found
    dates.push(date)
    return ' '
  })
  return { dates, rest }
}

function dateOf(groups: readonly (string | undefined)[]): CalendarDate | null {
  const [year, month, day, day2, name2, year2, name3, day3, year3, name4, year4, year5, month5] = groups
  const name = name2 ?? name3 ?? name4
  const date = {
    year: year ?? year2 ?? year3 ?? year4 ?? year5,
    month: name === undefined ? Number(month ?? month5) : MONTHS.indexOf(name.slice(0, 3)) + 1,
    day: toNumber(day ?? day2 ?? day3),
  }
  const isDate = date.month >= 1 && date.month <= 12 && (date.day === undefined || isDay(date.day))
  return isDate ? date : null
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}

function isDay(day: number): boolean {
  return day >= 1 && day <= 31
}

/** As exact as it is: `2023-05-07`, `2023-05`, `05-07`. */
function dateWord({ year, month, day }: CalendarDate): string {
  return [year, two(month), day === undefined ? undefined : two(day)]
    .filter(part => part !== undefined)
    .join('-')
}

/** A day is also one of its month and its year, and a day of any year. */
function wordsOfDate(date: CalendarDate): string[] {
  const { year, month, day } = date
  const words = [dateWord(date), MONTHS[month - 1]!]
  if (day !== undefined) words.push(dateWord({ ...date, year: undefined }))
  if (year !== undefined) words.push(year, dateWord({ ...date, day: undefined }))
  return words
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** A run of a script that writes words without spaces; a figure; or a word. */
const WORD =
  /([[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]&&[\p{L}\p{M}]]+)|\d+(?:[.:]\d+)*|[[\p{L}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]]+(?:'\p{L}+)*/gv

function* plainWords(text: string): Generator<string> {
  for (const [word, unspaced] of text.matchAll(WORD)) {
    if (unspaced !== undefined) yield* pairs(unspaced)
    else if (!word.endsWith("n't")) {
      const said = word.replace(/'(?:s|re|ve|ll|d|m)$/, '')
      if (!STOP_WORDS.has(said) && !ORDINAL_ENDINGS.has(said)) yield NUMBERS.get(said) ?? stemOf(said)
    }
  }
}

/** Of the month's name or its short form, the short one. */
function stemOf(word: string): string {
  return MONTH_NAME.test(word) ? word.slice(0, 3) : stemmer(word)
}

const MONTH_NAME = new RegExp(`^${MONTH}$`)
/** What a figure leaves of 2nd, once its digits are taken. */
const ORDINAL_ENDINGS: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th'])

/** In scripts without spaces two characters tell about as much as a word. */
function* pairs(run: string): Generator<string> {
  const characters = [...run]
  if (characters.length === 1) yield run
  for (let at = 0; at + 1 < characters.length; at++) yield `${characters[at]}${characters[at + 1]}`
}

const CARDINALS =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
  sixteen seventeen eighteen nineteen twenty`.split(/\s+/)
const ORDINALS = 'zeroth first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ')
const NUMBERS: ReadonlyMap<string, string> = new Map(
  [CARDINALS, ORDINALS].flatMap(names => names.map((name, number) => [name, String(number)] as const)),
)
