import { dateMeaning, type Found, type FoundMeaning } from './day-words.ts'
import { forEachMatch } from './for-each-match.ts'
import type { Script } from './tense/tense.ts'

/**
 * The days in texts without spaces. Their characters also stand inside other words ("说明天气", "网上周边", "一周一次"),
 * so each match is checked together with the characters around it.
 */

interface Word {
  /** A longer word stands before the shorter word that it begins with. */
  readonly pattern: string
  readonly offset: number
}

/**
 * A character before 后天, 前天 or 明天 that makes another word of it. For 明天, the characters behind it have to do
 * so as well.
 */
const NO_DAY = {
  后天: '(?<![以今之最然往先背幕饭课会])',
  前天: '(?<![以之从目提眼当面])',
  明天: '(?<![说声证表文光透聪发阐注申标指鲜](?=明天(?:气|空(?!闲)|下(?!午|班|雨|雪|课)|使|才|性|赋|然|堂)))',
} as const

const DAYS: readonly Word[] = [
  { pattern: '大前天', offset: -3 },
  { pattern: '大后天|大後天', offset: 3 },
  { pattern: `${NO_DAY.前天}前天|一昨日|おととい|그저께|그제`, offset: -2 },
  { pattern: '昨天|昨日|昨晚|昨夜|昨儿|きのう|어제', offset: -1 },
  {
    pattern: `${NO_DAY.后天}后天(?!性|形成|努力|培养|养成|因素|环境|教育|习得|护理|免疫)|後天|明後日|あさって|모레`,
    offset: 2,
  },
  { pattern: `${NO_DAY.明天}明天|明日(?!方舟|之后|程)|明晚|明早(?!就)|明儿|あした|내일`, offset: 1 },
  { pattern: '今天|今日(?!头条)|今晚|今早|今夜|今儿|きょう|오늘', offset: 0 },
]
type SpanUnit = 'week' | 'month' | 'year'
interface Span extends Word {
  readonly unit: SpanUnit
}
/** They keep out 网上周边, 早上周二 and 一下周五. */
const NOT_UP = '(?<![早晚网身马楼街路头海船车地桌墙脸线世班课堂加赶遇碰附以皇史手天算])'
const NOT_DOWN = '(?<![一楼天乡底脚地手名旗属私阁剩留放坐躺写等乡])'
const WEEK = '(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?![围边刊转身遭岁])'
const MONTH = '(?:个|個)?月(?![亮球饼季光色经嫂台])'
const SPANS: readonly Span[] = [
  { pattern: `先々週|${NOT_UP}上上${WEEK}`, unit: 'week', offset: -2 },
  { pattern: `先週|${NOT_UP}上${WEEK}|지난\\s?주`, unit: 'week', offset: -1 },
  { pattern: `今週|(?:这|這|(?<![日基资根成版剧])本)${WEEK}|이번\\s?주`, unit: 'week', offset: 0 },
  { pattern: `再来週|${NOT_DOWN}下下${WEEK}`, unit: 'week', offset: 2 },
  { pattern: `来週|(?:${NOT_DOWN}|(?<=一下))下${WEEK}|다음\\s?주`, unit: 'week', offset: 1 },
  { pattern: `先月|${NOT_UP}上${MONTH}|지난\\s?달`, unit: 'month', offset: -1 },
  { pattern: `今月|(?:这|這|(?<![日基资根])本)${MONTH}|이번\\s?달`, unit: 'month', offset: 0 },
  { pattern: `来月|${NOT_DOWN}下${MONTH}|다음\\s?달`, unit: 'month', offset: 1 },
  { pattern: '(?<![以之从目])前年|一昨年', unit: 'year', offset: -2 },
  { pattern: '(?<![过失离出进回])去年|昨年|작년', unit: 'year', offset: -1 },
  { pattern: '今年(?![轻纪龄])|올해', unit: 'year', offset: 0 },
  { pattern: '明年(?![轻纪龄])|来年|내년', unit: 'year', offset: 1 },
  { pattern: '(?<![以今之最然往])后年', unit: 'year', offset: 2 },
]
const HAN_WEEKDAYS = '一二三四五六日'
const KANA_WEEKDAYS = '月火水木金土日'
const HAN_DIGITS: Readonly<Record<string, number>> = {
  ...{ 一: 1, 二: 2, 两: 2, 兩: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9, 十: 10 },
  ...{ 하루: 1, 이틀: 2, 사흘: 3 },
}
const HAN_NUMBER = '[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]'
/** What may stand behind a day of the month. It keeps out the number of a line, a house or a battery. */
const OF_MONTH_ENDS =
  '(?=$|[\\s，。,.!！?？;；~～、）)]|早|上午|中午|下午|晚|[之以]?前|以后|开|去|来|到|走|出发|回|交|见|的(?:飞机|火车|票|车|高铁|航班|机票|船|会|课|考试)|那天|就(?!诊)|要|我|你|他|她|咱|有|没|考|放|生|结|搬|手术|面试|报|截|还|上班|下班|发|必须|得|是|婚礼|签|办|出|入)'
const DATE = new RegExp(
  [
    DAYS.map(({ pattern }, at) => `(?<day${at}>${pattern})`).join('|'),
    `(?<named>(?:(?<![日基资根])本|这|這|${NOT_DOWN}下|${NOT_UP}上)${MONTH})(?:份)?\\s?(?<ofNamed>\\d{1,2}|${HAN_NUMBER})(?:号|號|日)`,
    // Only a week has weekdays: 今年六岁 names no Saturday.
    `(?:${SPANS.map(({ pattern }, at) => `(?<span${at}>${pattern})`).join('|')})(?:(?<=[周週期拜])(?<hanDay>[一二三四五六日天末])(?![一二三四五六七八九]?[次趟岁])|の?(?<kanaDay>[${KANA_WEEKDAYS}])曜日?)?[底初末中]?`,
    '(?:周|星期|礼拜|禮拜)(?<bareHan>末|[一二三四五六日天](?![一二三四五六七八九十日]|天(?!气)|[次趟围]|餐厅|乐队))',
    `(?<bareKana>[${KANA_WEEKDAYS}])曜日?`,
    '(?<count>\\d{1,3}|[一二两兩三四五六七八九十]|하루|이틀|사흘)\\s?(?<unit>天|日|일|周|週間?|주|个?星期|个?礼拜|个月|個月|[ヶか]月|개월|年|년)?\\s?(?:(?<before>以?前(?!面|往|后|台|台)|之前|전)|(?<after>以?[后後](?!面|台)|之[后後]|후|뒤))',
    `(?<never>(?:黑色|疯狂|超级|网络|神奇|血色)(?:周|星期)[一二三四五六日天]|(?:[每逢]个?|\\d|[一二两三四五六七八九十几半整多]个?|隔)(?:周|星期|礼拜|禮拜)(?:[一二三四五六日天末](?![次回趟天]))?)`,
    `(?:(?<year>\\d{4})\\s?[年년]\\s?)?(?<![\\d一二三四五六七八九十])(?<month>\\d{1,2}|十[一二]?|[一二三四五六七八九])\\s?[月월]\\s?(?<ofMonth>\\d{1,2}|${HAN_NUMBER})(?:\\s?[日号號일]|(?![\\d点點时個个天次周月年元块万千百%.:/號-]))`,
    `(?<![\\d一二三四五六七八九十百第月./:-])(?<alone>\\d{1,2}|${HAN_NUMBER})[号號]${OF_MONTH_ENDS}`,
  ].join('|'),
  'g',
)
const KANA = /[ぁ-ヿ]/
const HANGUL = /[\uac00-\ud7a3]/

export function findEastAsian(text: string, found: Found[]): void {
  const script: Script = KANA.test(text) ? 'japanese' : HANGUL.test(text) ? 'other' : 'chinese'
  forEachMatch(DATE, text, match => {
    const groups = match.groups!
    const { index } = match
    const meaning =
      groups.never !== undefined
        ? null
        : readEastAsian(groups, { text, index, script, end: index + match[0].length })
    if (meaning === undefined) return
    found.push({ start: index, end: index + match[0].length, meaning, script })
  })
}

interface Around {
  readonly text: string
  readonly index: number
  readonly end: number
  readonly script: Script
}

/** `undefined`: the match is no day. */
function readEastAsian(groups: Record<string, string | undefined>, around: Around): FoundMeaning | undefined {
  const day = DAYS.find((_, at) => groups[`day${at}`] !== undefined)
  if (day !== undefined) return { unit: 'day', offset: day.offset }
  if (groups.named !== undefined) {
    const offset = groups.named.startsWith('上') ? -1 : groups.named.startsWith('下') ? 1 : 0
    return { unit: 'day-of-month', ofMonth: hanNumber(groups.ofNamed!), offset }
  }
  const at = SPANS.findIndex((_, place) => groups[`span${place}`] !== undefined)
  if (at >= 0) return readSpan(groups, SPANS[at]!, groups[`span${at}`]!)
  const weekday = groups.bareHan ?? groups.bareKana
  if (weekday === '末') return { unit: 'weekend', offset: 0, find: 'by-tense' }
  if (weekday !== undefined)
    return { unit: 'weekday', weekday: eastAsianWeekday(weekday), offset: 0, find: 'by-tense' }
  if (groups.count !== undefined) return readCount(groups, around)
  if (groups.month !== undefined)
    return dateMeaning(hanNumber(groups.month), hanNumber(groups.ofMonth!), groups.year) ?? undefined
  const ofMonth = hanNumber(groups.alone ?? '')
  return ofMonth >= 1 && ofMonth <= 31 ? { unit: 'day-of-month', ofMonth, offset: null } : undefined
}

function readSpan(
  { hanDay, kanaDay }: Record<string, string | undefined>,
  { unit, offset }: Span,
  words: string,
): FoundMeaning {
  const named = hanDay ?? kanaDay
  if (unit === 'month' || unit === 'year') return { unit, offset }
  if (named === undefined) return { unit, offset, startsOnMonday: true }
  if (named === '末') return { unit: 'weekend', offset, find: weekendFind(words, offset) }
  const weekday = eastAsianWeekday(named)
  return { unit: 'weekday', weekday, offset, find: offset === 0 ? 'this' : 'in-week' }
}

/** 下周末 is the weekend of next week; 下个周末 may be the coming one. */
function weekendFind(words: string, offset: number) {
  if (offset === 0) return 'this'
  if (!/[个個]/.test(words)) return 'in-week'
  return offset === 1 ? 'next' : offset === -1 ? 'last' : 'in-week'
}

const CLAUSE_BEGINS =
  /(?:^|[\s，。！？、；：,.!?;:~…（(「“"]|我们?|你们?|他们?|她们?|咱们?|大家|那|就|是|在|于|大概是|都|也|才|吧|啊|公司|老板|医生|妈|爸|老师|客服|快递|这[个条件事]|房东|孩子)$/
const HAN_DIGIT_BEFORE =
  /[一二三四五六七八九十百千两几多数好零\d.个第来半约近快]$|大概|差不多|大约|左右|不到|至少|最多/
/** An order to do something so many days before a day that the text names elsewhere: 三天前通知我. */
const ASKED_FOR = /^(?:必须|要|得|通知|提交|提前|申请|预约|预订|报名|告知|取消|说一声|告诉我)/

function readCount(
  { count, unit, before }: Record<string, string | undefined>,
  around: Around,
): FoundMeaning | undefined {
  const { text, index, end, script } = around
  const number = (Number(count) || HAN_DIGITS[count!] || 0) * (before !== undefined ? -1 : 1)
  const prior = text.slice(Math.max(0, index - 4), index)
  if (unit === undefined)
    return /[하이사]/.test(count!) ? { unit: 'count', of: 'day', offset: number, needs: null } : undefined
  const isMonth = /月|개월/.test(unit)
  const isChinese = script === 'chinese'
  // 请3日前提交 means before the third.
  if (isChinese && unit === '日') return undefined
  if (isChinese) {
    if (HAN_DIGIT_BEFORE.test(prior)) return { unit: 'unclear' }
    // The count may begin elsewhere: after an operation, before a meeting.
    if (!CLAUSE_BEGINS.test(prior) || ASKED_FOR.test(text.slice(end, end + 4))) return { unit: 'unclear' }
  }
  const needs = isChinese && before === undefined ? 'ahead' : null
  if (/[天日일]/.test(unit)) return { unit: 'count', of: 'day', offset: number, needs }
  if (/[周週주]|星期|礼拜/.test(unit)) return { unit: 'count', of: 'day', offset: number * 7, needs }
  return { unit: 'count', of: isMonth ? 'month' : 'year', offset: number, needs }
}

function eastAsianWeekday(name: string): number {
  if (name === '天') return 6
  const han = HAN_WEEKDAYS.indexOf(name)
  return han >= 0 ? han : KANA_WEEKDAYS.indexOf(name)
}

/** Reads a number up to 39, in figures or as 二十三. */
function hanNumber(words: string): number {
  if (/^\d/.test(words)) return Number(words)
  const ten = words.indexOf('十')
  if (ten < 0) return HAN_DIGITS[words] ?? 0
  return 10 * (ten === 0 ? 1 : HAN_DIGITS[words[0]!]!) + (HAN_DIGITS[words.slice(ten + 1)] ?? 0)
}
