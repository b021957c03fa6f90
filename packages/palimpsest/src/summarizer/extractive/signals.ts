import { isAssent } from './assent.ts'
import { isBare } from './questions.ts'

/** What in a sentence weighs more than its words: something was decided, promised, needed or changed. */

const DECIDED =
  /定[了在]|(?<![一不确约预])定(?=\s?[\d一二两三四五六七八九十])|(?:就|说)定|决定|确定|敲定|拍板|就(?:这么|这样|去|选|用|按|它)|那就|同意.{2}|通过了|选[了定]|订[好了在]|约[好在]|(?<!\p{L})(?:decid(?:ed|e)|agreed (?:on|to)|settled|final|confirmed|booked|reserved|it is|it['’]s official|let['’]s (?!see)|we (?:go|take|use|meet|keep|do not|don['’]t)|so we|from (?:now|april|monday) on|approved|signed|voted|entschieden|beschlossen|abgemacht|décidé|decidido|acordado|решили|договорились)(?!\p{L})/iu
const PROMISED =
  /我(?:来|去|带|负责|订|买|做|办|接|问|出|借|写|发|准备|开车)|(?:我|他|她)(?:会|可以).{2}|(?:由|归).{1,4}(?:负责|来)|负责|(?<!\p{L})(?:i['’]ll|i will|i can (?!['’]?t)(?:bring|do|pick|make|take|drive|get|book|ask|pay)|i (?:bring|do|make|pick|book|take|pay|drive|buy|print) (?!not)|i['’]m (?:bringing|doing|making|picking|driving)|we['’]ll|ich (?:bringe|mache|kaufe|übernehme)|je (?:m['’]occupe|prends|ramène)|yo (?:traigo|llevo|hago)|я (?:куплю|принесу|сделаю))(?!\p{L})/iu
const NEEDED =
  /过敏|忌口|不[能吃喝沾碰]{1,2}(?!去|来)|吃素|素食|怀孕|轮椅|晕[车船]|糖尿病|恐[高惧]|怕(?!是)|乳糖|禁[飞止烟]|(?<!\p{L})(?:allerg\p{L}*|intoleran\p{L}*|vegan|vegetarian|celiac|coeliac|diabetic|pregnant|wheelchair|scared of|afraid of|can['’]?t (?:eat|drink|have|stand|be)|cannot (?:eat|drink|have)|doesn['’]?t (?:eat|drink|smoke)|don['’]?t (?:eat|drink)|no (?:cheese|dj|milk|meat|nuts|parties|dogs|smoking|alcohol)|do not|not allowed|forbidden|epipen|allergisch|allergique|alérgic[oa]|аллерги\p{L}*)(?!\p{L})/iu
const OBLIGED =
  /必须|务必|记得|别忘|不[许准要得]|(?<!\p{L})(?:must|have to|needs? to|remember|don['’]?t forget|make sure)(?!\p{L})/iu
const CHANGED =
  /改[成到为在]|换[成到]|取消|推迟|延[到期]|提前|涨价|降价|现在是|不变|作废|(?<!\p{L})(?:moved|moves|changed|cancell?ed|postponed|rescheduled|instead|now|no longer|verschoben|geändert|annulé|cancelado|отменили|перенесли)(?!\p{L})/iu
const REFUSED =
  /绝不|绝对不|不[付给加要去带用等做买换改]|别(?!人|的)|(?<!\p{L})(?:(?:not|won['’]t|don['’]t|never) (?:going to |gonna )?(?:pay|print|use|take|bring|come|do|go|buy|need|wait|want|play)\p{L}{0,3}|not (?:paying|going|printing|doing))(?!\p{L})/iu
const DEFERRED =
  /^(?:那|好|行|嗯|我)?[，, ]?(?:(?:明天|明儿|后天|改天|回头|晚点|到时候?|以后|下次|等会儿?|待会儿?|回来|周末|晚上)[，, ]?(?:再)?(?:说|看|聊|讨论|商量|算|约)|再(?:说|看|议|联系)(?:吧)?)(?:吧|呗|咯)?[。.!！~]*$|^(?:ok |well |so |let['’]s )?(?:(?:talk|discuss|decide|see|look)(?: about| at)?(?: it| this| that)? (?:later|tomorrow|another time|next time)|later|tomorrow then|we['’]ll see|see you (?:\p{L}+ ?){1,2})[.! ]*$/iu
const NOTICES =
  /^(?:我|让我)?(?:看看|看一?下|想想|问问|问一下|等等|等下|稍等|刚下班|先忙|来了|在吗|有人吗|跟大家说个事|朋友们|大家好)(?:吧|啊|呢)?[。.!！~？?]*$|^(?:hold on|one sec|wait|let me (?:see|check|look|think)(?: it up)?|brb|hi all|guess what|listen|guys|so|anyone\??|bad news|good news)[.! ]*$/iu
/** Stickers of a platform, written in brackets. */
const STICKERS = /^(?:\s*\[[\p{L}]{1,8}\]\s*)+$/u
const LAUGHS =
  /^(?:\s|[哈呵嘿嘻啊哦噢嗯哎唉哇呜6]|笑死我?|233+|(?:ha|he|lol|lmao|rofl|omg|xd|no+|yes+|wo+w|phew|aw+|ugh|yay|oh|ah|hm+)\b|[!！?？.。…~，,])+$/iu
const VOTES = /^\s*[\p{L}]{0,6}\s*[+＋]\s?1[!！]*\s*$|^\s*1\s*$/u

const DECIDED_FACTOR = 1.4
const PROMISED_FACTOR = 1.35
const NEEDED_FACTOR = 1.7
const OBLIGED_FACTOR = 1.2
const CHANGED_FACTOR = 1.4
const REFUSED_FACTOR = 1.4
const FIGURE_FACTOR = 1.2
/** Added for each person who agrees, up to a few. */
const AGREED_BONUS = 0.2
const MAX_AGREED = 3

const FIGURE_WITH_NOUN = /\d[\d.,:]*\s?(?:[\p{L}]{2,}|[%€£$])|[$€£¥]\s?\d|[\p{L}]{2,}[ :：]?\d/u
const MAX_SIGN_CHARACTERS = 400

/** "1", "+1": it counts for what was said before it, and is no answer worth telling. */
export function isVote(text: string): boolean {
  return text.length <= 12 && VOTES.test(text)
}

/** Whether a text says nothing by itself: a vote, laughter, a sticker, "tomorrow again". */
export function saysNothing(text: string): boolean {
  const said = text.trim()
  if (said.length > 40) return false
  return (
    VOTES.test(said) ||
    LAUGHS.test(said) ||
    STICKERS.test(said) ||
    DEFERRED.test(said) ||
    NOTICES.test(said) ||
    isAssent(said) ||
    isBare(said)
  )
}

/**
 * Whether a text tells a need. What follows from a need stays with it: alone, it would not say why, or for
 * whom.
 */
export function tellsNeed(text: string): boolean {
  return NEEDED.test(text)
}

export function worthOf(text: string, agreed: number): number {
  const said = text.slice(0, MAX_SIGN_CHARACTERS)
  let worth = 1
  if (DECIDED.test(said)) worth *= DECIDED_FACTOR
  if (PROMISED.test(said)) worth *= PROMISED_FACTOR
  if (NEEDED.test(said)) worth *= NEEDED_FACTOR
  else if (REFUSED.test(said)) worth *= REFUSED_FACTOR
  if (OBLIGED.test(said)) worth *= OBLIGED_FACTOR
  if (CHANGED.test(said)) worth *= CHANGED_FACTOR
  if (FIGURE_WITH_NOUN.test(said)) worth *= FIGURE_FACTOR
  return worth * (1 + AGREED_BONUS * Math.min(agreed, MAX_AGREED))
}
