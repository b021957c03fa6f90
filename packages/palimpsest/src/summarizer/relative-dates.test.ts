import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DATE_WORDS } from './date-words.ts'
import { findDates } from './relative-dates.ts'

/** A Monday, late in the evening: in Shanghai and Berlin it is Tuesday already. */
const monday = { at: new Date('2026-03-02T23:30:00Z'), zone: 'UTC' }

function labels(text: string, moment = monday): string {
  return findDates(text, moment)
    .map(({ start, end, label }) => `${text.slice(start, end)} = ${label}`)
    .join('; ')
}

describe('English', () => {
  test.each([
    ['See you tomorrow', 'tomorrow = 2026-03-03'],
    ['I arrived YESTERDAY.', 'YESTERDAY = 2026-03-01'],
    ['the day after tomorrow', 'day after tomorrow = 2026-03-04'],
    ['last night was fun', 'last night = 2026-03-01'],
    ['last week', 'last week = 2026-02-23/03-01'],
    ['next week', 'next week = 2026-03-09/15'],
    ['this weekend', 'this weekend = 2026-03-07/08'],
    ['next month', 'next month = 2026-04'],
    ['last year', 'last year = 2025'],
    ['next Friday', ''],
    ['next Monday, next Tuesday', 'next Monday = 2026-03-09; next Tuesday = 2026-03-10'],
    ['this Friday', 'this Friday = 2026-03-06'],
    ['last Friday', 'last Friday = 2026-02-27'],
    ['last Monday', 'last Monday = 2026-02-23'],
    ['Let us ship it on Wednesday', 'Wednesday = 2026-03-04'],
    ['We shipped it on Wednesday', 'Wednesday = 2026-02-25'],
    ['three days ago', 'three days ago = 2026-02-27'],
    ['in 2 weeks', 'in 2 weeks = 2026-03-16'],
    ['two months ago', 'two months ago = 2026-01'],
    ['a couple of years ago, about two weeks ago, twenty two years ago', ''],
    ['on 9 March', '9 March = 2026-03-09'],
    ['December 30', ''],
    ['It broke on December 30', 'December 30 = 2025-12-30'],
    ['It opens on December 30', ''],
    ['June 1st, 2027 and 2026-05-04', 'June 1st, 2027 = 2027-06-01; 2026-05-04 = 2026-05-04'],
    ['on Tuesday 9 June, or 16 June (Tuesday)', '9 June = 2026-06-09; 16 June = 2026-06-16'],
    ['by Friday the 20th of March, on Monday', '20th of March = 2026-03-20'],
    ['yesterdays, tomorrowland, every Friday, 2026-02-31, may 5.5', ''],
  ])('%s', (text, expected) => expect(labels(text)).toBe(expected))
})

describe('Chinese', () => {
  test.each([
    ['明天下午三点开会', '明天 = 2026-03-03'],
    ['昨天买的，后天到', '昨天 = 2026-03-01; 后天 = 2026-03-04'],
    ['下周五交', '下周五 = 2026-03-13'],
    ['4月18日（周六）发布，周日4月19日休息', '4月18日 = 2026-04-18; 4月19日 = 2026-04-19'],
    ['我女儿今年六岁', '今年 = 2026'],
    ['下个月五号交房租', '下个月五号 = 2026-04-05'],
    ['我们说好了周五发布', '周五 = 2026-03-06'],
    ['上个星期天', '上个星期天 = 2026-03-01'],
    ['下周出差', '下周 = 2026-03-09/15'],
    ['周三给我', '周三 = 2026-03-04'],
    ['周三已经交了', '周三 = 2026-02-25'],
    ['周末去爬山', '周末 = 2026-03-07/08'],
    ['下个月搬家，去年结婚', '下个月 = 2026-04; 去年 = 2025'],
    ['三天前', '三天前 = 2026-02-27'],
    ['两周后', '两周后 = 2026-03-16'],
    ['3月9日出发，2027年1月2号回来', '3月9日 = 2026-03-09; 2027年1月2号 = 2027-01-02'],
    ['天气很好', ''],
  ])('%s', (text, expected) => expect(labels(text)).toBe(expected))
})

describe('Japanese and Korean', () => {
  test.each([
    ['明日会いましょう', '明日 = 2026-03-03'],
    ['明後日と昨日', '明後日 = 2026-03-04; 昨日 = 2026-03-01'],
    ['来週の金曜日', '来週の金曜日 = 2026-03-13'],
    ['先週と再来週', '先週 = 2026-02-23/03-01; 再来週 = 2026-03-16/22'],
    ['金曜日に行きます', '金曜日 = 2026-03-06'],
    ['3日前に買った', '3日前 = 2026-02-27'],
    ['来月、昨年', '来月 = 2026-04; 昨年 = 2025'],
    ['다음 주에 만나요', '다음 주 = 2026-03-09/15'],
    ['내일은 괜찮아요', '내일 = 2026-03-03'],
  ])('%s', (text, expected) => expect(labels(text)).toBe(expected))
})

describe('other languages', () => {
  test.each([
    ['Nos vemos mañana por la mañana', 'mañana = 2026-03-03'],
    ['la semana que viene, hace dos días', 'semana que viene = 2026-03-09/15; hace dos días = 2026-02-28'],
    ['Guten Morgen! Bis morgen, spätestens am Freitag', 'morgen = 2026-03-03'],
    ['vor zwei Wochen', 'vor zwei Wochen = 2026-02-16'],
    ['après-demain ou la semaine prochaine', 'après-demain = 2026-03-04; semaine prochaine = 2026-03-09/15'],
    ['amanhã, 9 de março', 'amanhã = 2026-03-03; 9 de março = 2026-03-09'],
    ['завтра, через 3 дня', 'завтра = 2026-03-03; через 3 дня = 2026-03-05'],
  ])('%s', (text, expected) => expect(labels(text)).toBe(expected))
})

describe('the moment', () => {
  test.each([
    ['tomorrow', 'Asia/Shanghai', 'tomorrow = 2026-03-04'],
    ['last Sunday', 'Asia/Shanghai', 'last Sunday = 2026-03-01'],
    ['last Sunday', 'UTC', ''],
    ['last Monday', 'Asia/Shanghai', ''],
    ['tomorrow', 'America/Los_Angeles', 'tomorrow = 2026-03-03'],
  ])('%s in %s', (text, zone, expected) => expect(labels(text, { at: monday.at, zone })).toBe(expected))

  test.each([
    ['2026-12-31T12:00:00Z', 'tomorrow, next month, next year', '2027-01-01 2027-01 2027'],
    ['2026-03-01T12:00:00Z', 'yesterday, last month', '2026-02-28 2026-02'],
    ['2028-02-28T12:00:00Z', 'tomorrow', '2028-02-29'],
    ['2026-01-31T12:00:00Z', 'next month', '2026-02'],
    ['2026-01-02T12:00:00Z', 'last week', '2025-12-22/28'],
    ['2025-12-31T12:00:00Z', 'this week', '2025-12-29/2026-01-04'],
  ])('at %s, %s', (at, text, expected) => {
    const found = findDates(text, { at: new Date(at), zone: 'UTC' })
    expect(found.map(({ label }) => label).join(' ')).toBe(expected)
  })

  test('the day of writing is marked, and what was resolved before is not resolved again', () => {
    expect(findDates('today', monday)).toMatchObject([{ sameDay: true, relative: true }])
    expect(findDates('tomorrow (2026-03-03)', monday)[0]).toMatchObject({ resolved: true })
  })
})

describe('what stays as it was said', () => {
  test.each([
    // Of every week.
    ['我周二周四有课'],
    ['Bin day is Thursday, recycling every other Friday'],
    ['周五我可以'],
    ['小雯: 周五我可以'],
    ['Friday works for me'],
    // Titles, addresses and what another wrote.
    ['《周六夜现场》新一季出来吗'],
    ['疯狂星期四请我'],
    ['our board is on monday.com and #friday'],
    ['Fwd: school\nThe trip is on Friday'],
    ['> see you on Friday\nwho wrote that'],
    ['转发：周三停水'],
    // For the day, or on it.
    ['I picked up extra shifts Friday'],
    ['so Friday he tells me he is moving out'],
  ])('%j', text => expect(labels(text)).toBe(''))

  test('a day that is told by its distance, between midnight and four', () => {
    const before = { at: new Date('2026-03-03T16:30:00Z'), zone: 'Asia/Shanghai' }
    expect(labels('明天见，后天也行', before)).toBe('')
    expect(labels('exam tomorrow, party on Friday', before)).toBe('')
    expect(labels('明天见', { ...before, at: new Date('2026-03-03T15:50:00Z') })).toBe('明天 = 2026-03-04')
    expect(labels('明天见', { ...before, at: new Date('2026-03-03T20:00:00Z') })).toBe('明天 = 2026-03-05')
    // Whose clock shows what is not known.
    expect(labels('明天见', { at: new Date('2026-03-03T00:30:00Z'), zone: 'UTC' })).toBe('明天 = 2026-03-04')
  })
})

test('from one day to another, a week on a day, and a day that is said with a verb', () => {
  expect(labels('My flight got moved from Wednesday to Friday')).toBe('Friday = 2026-03-06')
  expect(labels('we are away a week on Friday')).toBe('a week on Friday = 2026-03-13')
  expect(labels('我周四出差，周五回来')).toBe('周四 = 2026-03-05; 周五 = 2026-03-06')
  expect(labels('周六周日我们去露营')).toBe('周六 = 2026-03-07; 周日 = 2026-03-08')
})

test('mentions lie in the text, in order, without overlap, whatever the text', () => {
  const words = fc.constantFrom(
    ...DATE_WORDS,
    'next',
    'last',
    'in',
    '3',
    '下',
    '周',
    '天',
    '前',
    ' ',
    '月',
    '9',
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words).map(parts => parts.join(' ')),
  )
  fc.assert(
    fc.property(
      texts,
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
      (text, at) => {
        let end = 0
        for (const mention of findDates(text, { at, zone: 'UTC' })) {
          expect(mention.start).toBeGreaterThanOrEqual(end)
          expect(mention.end).toBeGreaterThan(mention.start)
          expect(mention.end).toBeLessThanOrEqual(text.length)
          expect(mention.from <= mention.to).toBe(true)
          end = mention.end
        }
      },
    ),
  )
})

test.each([
  ['timber arrives Tuesday the 24th between 7 and 9', 'Tuesday', '2026-02-24'],
  ['see you Friday 27th', 'Friday', '2026-02-27'],
  ['Monday, 23rd works', 'Monday', '2026-02-23'],
  ['24号周二见', '周二', '2026-02-24'],
  ['周二（24号）送到', '周二', '2026-02-24'],
  ['Tuesday 7 pm', 'Tuesday', '2026-02-17'],
  // There is no such day about now.
  ['party on Tuesday the 31st', 'Tuesday', null],
  ['Tuesday 24.2.', 'Tuesday', null],
  // A number of people, or a day.
  ['on Tuesday 24 we fly', 'Tuesday', null],
])('a day of the week with a number: %s', (said, word, day) => {
  const found = findDates(said, { at: new Date('2026-02-13T17:00:00Z'), zone: 'UTC' })
  const start = said.indexOf(word)
  expect(found.find(mention => mention.start === start)?.from ?? null).toBe(day)
})
