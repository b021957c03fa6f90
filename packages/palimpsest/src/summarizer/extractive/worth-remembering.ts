import { findDates } from '../relative-dates.ts'
import { findPersonal } from './personal-statements.ts'
import { findOfPlace } from './place-statements.ts'

/**
 * `lasting`: what was decided, planned or promised, and what a person is or likes. `telling`: a number,
 * another day, a name.
 */
export type Worth = 'lasting' | 'telling'

/**
 * What in a sentence is still worth knowing when its day is over; `null`: nothing. Nice weather or a tired
 * person is not worth it. Without a model, nothing of the kind is written down for good.
 */
export function worthRemembering(
  sentence: string,
  { hasCue, hasName }: { readonly hasCue: boolean; readonly hasName: boolean },
): Worth | null {
  if (WEATHER.test(sentence) && !FIGURE.test(sentence)) return null
  const isLasting =
    hasCue ||
    PROMISE.test(sentence) ||
    FAMILY.test(sentence) ||
    findPersonal(sentence) !== null ||
    findOfPlace(sentence) !== null
  if (isLasting) return 'lasting'
  const isTelling =
    hasName ||
    EXACT.test(sentence) ||
    HAN_NAME.test(sentence) ||
    UNKNOWN_SCRIPT.test(sentence) ||
    findDates(sentence, ANY_MOMENT).some(({ sameDay }) => !sameDay)
  return isTelling ? 'telling' : null
}

/** There is no table for these languages, so all that is no small talk may be worth it. */
const UNKNOWN_SCRIPT =
  /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Devanagari}\p{sc=Greek}]/u

const WEATHER = /天气|天氣|(?<!\p{L})(?:weather|sunny|rainy|raining)(?!\p{L})/iu

/** A number of something, in digits, or in characters with what they count behind them. */
const FIGURE =
  /\p{Nd}|(?:[二两三四五六七八九十百千万亿]+|[一][百千万])(?:[个個元块天年月日号號点點岁歳人次件张張本台辆斤米里周週层層楼樓位只条條页頁杯瓶套间間钱]|多?[个個]|公里|小时|分钟|星期|美元|欧元)/u
const LINK_OR_QUOTED = /https?:\/\/\S|(?<!\p{L})www\.\S|\p{L}@\p{L}|[“「『《][^”」』》]{2,40}[”」』》]/u
const EXACT = new RegExp(`${FIGURE.source}|${LINK_OR_QUOTED.source}`, 'u')

const PROMISE =
  /(?<!\p{L})(?:i promise|(?:i|we)(?:['’]ll| will) (?!(?:see|be (?:fine|ok|okay|back|right back)|let you know|think|try|check back|have to see|never know)(?!\p{L}))(?=\p{L})|i owe(?!\p{L})|remember (?:that|to) |don't forget|remind me)|我(?:们)?(?:会|一定|保证|答应)(?!的?$|儿)|(?:记得|别忘|提醒我|答应|保证)/iu

const FAMILY =
  /(?<!\p{L})my (?:\p{Ll}{1,12} )?(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|mother|father|mom|mum|dad|sister|brother|grandmother|grandfather|boss|doctor|landlord|landlady)(?!\p{L})|我(?:的|家)?(?:老婆|老公|妻子|丈夫|太太|女朋友|男朋友|儿子|女儿|孩子|妈妈|爸爸|母亲|父亲|姐姐|妹妹|哥哥|弟弟|老板|医生)/iu

const SURNAMES =
  '王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段'
/** `小王`, `老李`, `张总`, `陈老师`. Other names of people look like words. */
const HAN_NAME = new RegExp(
  `[小老阿][${SURNAMES}](?![心时孩])|[${SURNAMES}](?:总|老师|经理|先生|女士|小姐|医生|工|姐|哥|阿姨|叔叔|教授|主任)|(?:叫|名字是)[\\p{sc=Han}]{2,4}`,
  'u',
)

/** The moment decides what a date means, not whether there is a date. */
const ANY_MOMENT = { at: new Date(0), zone: 'UTC' }
