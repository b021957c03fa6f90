import { parseInstant } from '../log/index.ts'

/** A day, month or year in a query. Without a year, it stands for every year. */
export interface NamedDate {
  readonly year: number | null
  /** 1 to 12, or null for the whole year. */
  readonly month: number | null
  /** 1 to 31, or null for the whole month. */
  readonly day: number | null
}

/** A stretch of time in minutes since 1970. The end is not included. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

const MONTH = `(?:${MONTHS.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\\.?`

/**
 * A month without a day or a year. `may` and `march` are verbs, unless the word before them shows that a time
 * is meant.
 */
const LONE_MONTH = `(?<=\\b(?:in|of|last|this|next|since|until|till|during|by|early|late|mid)[ -])(?:may|march)|${MONTHS.filter(
  name => name !== 'may' && name !== 'march',
).join('|')}`

const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'
const YEAR = '((?:19|20)\\d{2})'

type Fields = readonly [
  'year' | 'month' | 'day' | 'dayOrMonth',
  ...('year' | 'month' | 'day' | 'dayOrMonth')[],
]

/** In the order in which they are tried, the more complete forms first. */
const FORMS: readonly { readonly pattern: string; readonly fields: Fields }[] = [
  { pattern: `\\b${YEAR}[-/.](\\d{1,2})[-/.](\\d{1,2})(?!\\d)`, fields: ['year', 'month', 'day'] },
  {
    pattern: `\\b(\\d{1,2})[-/.](\\d{1,2})[-/.]${YEAR}\\b`,
    fields: ['dayOrMonth', 'dayOrMonth', 'year'],
  },
  { pattern: `\\b${YEAR}[-/](\\d{1,2})(?!\\d)`, fields: ['year', 'month'] },
  { pattern: `${YEAR} ?年 ?(\\d{1,2}) ?月 ?(\\d{1,2}) ?[日号號]`, fields: ['year', 'month', 'day'] },
  { pattern: `${YEAR} ?年 ?(\\d{1,2}) ?月`, fields: ['year', 'month'] },
  { pattern: `${YEAR} ?年`, fields: ['year'] },
  { pattern: '(\\d{1,2}) ?月 ?(\\d{1,2}) ?[日号號]', fields: ['month', 'day'] },
  { pattern: '(\\d{1,2}) ?月(?!\\d)', fields: ['month'] },
  { pattern: `\\b${DAY} (?:of )?(${MONTH}),? ?${YEAR}\\b`, fields: ['day', 'month', 'year'] },
  { pattern: `\\b(${MONTH}) ${DAY},? ?${YEAR}\\b`, fields: ['month', 'day', 'year'] },
  { pattern: `\\b(${MONTH}),? ?(?:of )?${YEAR}\\b`, fields: ['month', 'year'] },
  { pattern: `\\b${DAY} (?:of )?(${MONTH})(?![a-z])`, fields: ['day', 'month'] },
  { pattern: `\\b(${MONTH}) (?:the )?${DAY}(?!\\d)`, fields: ['month', 'day'] },
  { pattern: `\\b(${LONE_MONTH})\\b`, fields: ['month'] },
  { pattern: `(?<![\\d.:/-])${YEAR}(?![\\d.:/-]\\d|\\d)`, fields: ['year'] },
]

const EXPRESSIONS = FORMS.map(({ pattern, fields }) => ({ expression: new RegExp(pattern, 'g'), fields }))

/** The dates in a normalised query, and the query with spaces in their places. */
export function findDates(query: string): { dates: NamedDate[]; rest: string } {
  const dates: NamedDate[] = []
  let rest = query.replace(/\s/g, ' ')
  for (const { expression, fields } of EXPRESSIONS) {
    rest = rest.replace(expression, (match: string, ...values: string[]) => {
      const found = readings(fields, values).filter(isPossible)
      dates.push(...found)
      return found.length > 0 ? ' '.repeat(match.length) : match
    })
  }
  return { dates, rest }
}

/** In 5/8, the month is unclear, so both readings count. */
function readings(fields: Fields, values: readonly string[]): NamedDate[] {
  if (fields[0] !== 'dayOrMonth') return [readFields(fields, values)]
  return [readFields(['month', 'day', 'year'], values), readFields(['day', 'month', 'year'], values)]
}

function readFields(fields: Fields, values: readonly string[]): NamedDate {
  const read = (field: Fields[number]) => {
    const place = fields.indexOf(field)
    return place < 0 ? null : values[place]!
  }
  const year = read('year')
  const month = read('month')
  const day = read('day')
  return {
    year: year === null ? null : Number(year),
    month: month === null ? null : monthNumber(month),
    day: day === null ? null : Number(day),
  }
}

function monthNumber(name: string): number {
  return /^\d/.test(name) ? Number(name) : MONTHS.findIndex(month => month.startsWith(name.slice(0, 3))) + 1
}

function isPossible({ month, day }: NamedDate): boolean {
  return (month === null || (month >= 1 && month <= 12)) && (day === null || (day >= 1 && day <= 31))
}

/** When a date is, by the clocks of a zone. Without a year, in each of `years`. */
export function rangesOf(date: NamedDate, years: readonly number[], zone: string): TimeRange[] {
  return (date.year === null ? years : [date.year]).map(year => rangeIn(date, year, zone))
}

function rangeIn({ month, day }: NamedDate, year: number, zone: string): TimeRange {
  const from = [year, (month ?? 1) - 1, day ?? 1] as const
  const to =
    month === null
      ? ([year + 1, 0, 1] as const)
      : day === null
        ? ([year, month, 1] as const)
        : ([year, month - 1, day + 1] as const)
  return { from: midnight(from, zone), to: midnight(to, zone) }
}

/** The 32nd of a month is the 1st of the next month. */
function midnight([year, month, day]: readonly [number, number, number], zone: string): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  const written = date.toISOString().slice(0, 10)
  return (parseInstant(`${written}T00:00:00`, zone) ?? date.getTime()) / 60_000
}
