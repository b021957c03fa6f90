/**
 * Signs that tell another person's words from the sender's own. Each pattern is bounded, and looks at one
 * line.
 */

/** Whether a line is marked as another person's. Faces, arrows and "more than" are no such mark. */
export function isQuotedLine(line: string): boolean {
  return /^\s{0,8}[>＞»](?!\s{0,2}\d|[_.:;<^=~-]|\s{0,2}[oO0]?[<(])/.test(line)
}

export const FORWARDED_HEADER =
  /^\s{0,8}(?:-{2,}\s{0,4}(?:original message|forwarded (?:message|by)|ursprüngliche nachricht|weitergeleitete nachricht|message (?:d'origine|transféré)|mensaje (?:original|reenviado)|原始邮件|转发(?:的)?(?:邮件|消息)|轉寄(?:的)?郵件)|begin forwarded message\s{0,2}:|anfang der weitergeleiteten|début du message réexpédié|\[(?:forwarded|chat history|转发|聊天记录|合并转发)\]|【(?:转发|转)】|[（(](?:转|转发|forwarded(?: from [^)]{1,80})?)[）)]|forwarded (?:message )?from .{1,80}[:：]?\s{0,4}$|转自.{1,40}|.{0,40}的聊天记录\s{0,4}[:：]?\s{0,4}$|合并转发)/iu

export const FORWARDED_SUBJECT = /^\s{0,8}(?:fwd?|wg|tr|rv|转发|轉發|転送)\s{0,2}[:：]/i

export const MAIL_FROM = /^\s{0,8}(?:from|von|de|da|发件人|寄件者|寄件人|差出人)\s{0,2}[:：]\s{0,4}\S/i
export const MAIL_FIELD =
  /^\s{0,8}(?:sent|date|to|subject|cc|gesendet|datum|an|betreff|envoyé|objet|enviado|asunto|para|发送时间|发件时间|收件人|收件者|主题|主旨|日期|送信日時|宛先|件名)\s{0,2}[:：]/i

/** The line that mail programs put before what they quote. */
export const WROTE =
  /^\s{0,4}(?:on .{6,120} wrote\s?:|am .{6,120} schrieb .{1,80}:|le .{6,120} a écrit\s?:|el .{6,120} escribió\s?:|(?:在|于).{6,120}写道\s{0,2}[:：])\s{0,4}$/i

export const QUOTED_REPLY = /^\s{0,4}「[^：:」]{1,40}[：:]/

export function isDashes(line: string): boolean {
  return /^\s{0,4}[-—–_=](?:\s?[-—–_=]){3,80}\s{0,4}$/.test(line)
}

/** `[10:23, 1/15/2026] Ann: text`, `Ann: text`. */
export const COPIED_LINE =
  /^\s{0,4}(?:\[[^\]]{0,20}\d{1,2}[:.]\d{2}[^\]]{0,20}\]\s{0,4}|\d{1,2}:\d{2}(?::\d{2})?\s?(?:[ap]m)?\s{0,4}[-–]?\s{0,4})?([\p{L}][\p{L}\p{N}._'’-]{0,30}(?: [\p{L}][\p{L}\p{N}._'’-]{0,30}){0,2})\s?[:：](?!\/\/)\s{0,4}\S/iu
/** `Ann, [15.01.26 10:23]`, `小雯 2026/1/15 10:23:05`, `小雯 10:23`. */
export const COPIED_HEADER =
  /^\s{0,4}([^\s:：,，[\]][^:：,，[\]]{0,30}?)(?:,? \[\d[^\]]{4,24}\d\]|\s{1,4}(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\s{1,3}|(?:昨天|今天|yesterday|today)\s{1,3})?(?:上午|下午|晚上)?\s?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?)\s{0,4}[:：]?\s{0,4}$/iu

const TO_NOBODY = /^\s{0,4}dear\s+(?:diary|bot|assistant)\b/i

/** The words with which a letter greets a person; `null`: the line begins no letter. */
export function salutationIn(line: string): string | null {
  if (TO_NOBODY.test(line)) return null
  const found =
    /^\s{0,4}(?:dear|to whom it may concern|sehr geehrte[rs]?|liebe[rs]?|hallo|cher|chère|madame|monsieur|estimad[oa]s?|querid[oa]|gentile|caro|cara)(?![\p{L}])[^,:!.]{0,60}[,:!]/iu.exec(
      line,
    ) ?? /^\s{0,4}(?:亲爱的|親愛的|尊敬的|敬爱的|致)[^，,：:。！]{1,30}[，,：:！]/u.exec(line)
  return found === null ? null : found[0]
}

const CLOSING =
  /^\s{0,8}(?:(?:kind|best|warm|warmest|kindest|with kind|with best) (?:regards|wishes)|regards|best|sincerely|yours(?: sincerely| faithfully| truly)?|yours|respectfully|cheers|love|mit freundlichen gr(?:ü|ue)(?:ß|ss)en|freundliche gr(?:ü|ue)(?:ß|ss)e|(?:viele|liebe|beste) gr(?:ü|ue)(?:ß|ss)e|cordialement|bien à vous|atentamente|saludos(?: cordiales)?|cordiali saluti|此致|敬礼|敬禮|敬上|谨上|顺颂商祺|顺祝商祺|祝好|祝您.{1,12}|祝你.{1,12})\s{0,2}[,，.。!！]?\s{0,4}$/iu
const CLOSING_INLINE =
  /(?:[.!?]\s{1,3}|\n)(?:(?:kind|best|warm|kindest) (?:regards|wishes)|regards|sincerely|yours (?:sincerely|faithfully|truly)|mit freundlichen gr(?:ü|ue)(?:ß|ss)en|cordialement|atentamente)\s{0,2}[,.]?\s{1,3}(\p{L}[^\n,.!?]{1,40})\.?\s{0,4}$/iu
const CLOSING_INLINE_HAN =
  /[。！!，,\s](?:此致\s{0,2}敬礼|祝好|顺颂商祺)[！!。,，]?\s{0,4}([\p{sc=Han}]{2,8})(?:敬上)?\s{0,4}$/u
const SIGNED_HAN = /^\s{0,4}(.{1,20}?)\s{0,2}(?:敬上|谨上|启|上)\s{0,4}$/u

/**
 * Who signed the letter that ends in this line. Empty: the letter is signed below. `null`: no letter ends
 * here.
 */
export function closingIn(
  line: string,
  { isSameLine }: { readonly isSameLine: boolean },
): { readonly signature: string } | null {
  const tail = line.slice(-200)
  const inline = CLOSING_INLINE.exec(tail) ?? CLOSING_INLINE_HAN.exec(tail)
  if (inline) return { signature: inline[1]! }
  if (isSameLine) return null
  if (CLOSING.test(line)) return { signature: '' }
  const signed = SIGNED_HAN.exec(line)
  return signed ? { signature: signed[1]! } : null
}

export interface LeadIn {
  /** Where another person's words begin. */
  readonly end: number
  readonly lead: string
  /** The words lead to a question: one sentence is the question, and what follows it is an answer. */
  readonly isOneSentence: boolean
}

const WRITING =
  '(?:e-?mails?|mails?|letters?|messages?|msgs?|texts?|notes?|notices?|sms|voicemails?|signs?|reviews?|posts?|tweets?|ads?|adverts?|listings?|articles?|books?|poems?|songs?|lyrics|contracts?|lease|manuals?|leaflets?|flyers?|brochures?|reports?|repl(?:y|ies)|answers?|responses?|captions?|comments?|statements?|stor(?:y|ies)|diar(?:y|ies)|headlines?|cards?|invitations?|transcripts?|inscriptions?|posters?|labels?|stickers?|brief|nachrichten?|schreiben|lettre|carta|mensajes?)'
const SAY =
  '(?:said|says|say|wrote|writes|written|reads?|texted|texts|replied|replies|answered|answers|messaged|emailed|e-mailed|shouted|whispered|claims|claimed|goes|went|states|stated|posted|declared|announced|told (?:me|us|him|her|them)|tells (?:me|us)|schrieb|schreibt|sagte|sagt|meinte|meint|antwortete|a (?:écrit|dit|répondu)|écrit|dit|dijo|dice|escribió|escribe|respondió|ha scritto|ha detto)'
const WRITTEN = new RegExp(
  `(?<!\\p{L})${WRITING}(?!\\p{L})[^:：]{0,50}(?<!\\p{L})${SAY}(?!\\p{L})[^:：.!?]{0,30}$`,
  'iu',
)
const SAID = new RegExp(
  `(?<!\\p{L})${SAY}(?!\\p{L})(?: (?:to )?(?:me|us|him|her|them|this|so|back|again|today|yesterday|once|exactly that|the following|in (?:the|a|his|her|their) [\\p{L} ]{1,20}|on (?:the|his|her|their|monday|tuesday|wednesday|thursday|friday|saturday|sunday) ?[\\p{L} ]{0,20}|last \\p{L}+|this \\p{L}+)){0,3}$`,
  'iu',
)
const ASKED =
  /(?<!\p{L})(?:asked|asks|wanted to know)(?: (?:me|us|him|her|them|again|today|yesterday))?$|问(?:我|我们|道|过)?$/iu
/** A heading above something that was copied. */
const BARE =
  /^(?:(?:the |her |his |their )?(?:original text|quote|forwarded|copy of (?:the|his|her|their) \p{L}+|from (?:the|his|her|their|my \p{L}+'s) (?:e-?mail|letter|message|note|blog|website|book|diary|manual))|原文|原话|原帖|原消息|内容如下|以下(?:是|为).{0,30}|转(?:一下|述)?.{0,12}的话)$/iu

const OWN_ENGLISH = new RegExp(
  `(?<!\\p{L})(?:i|we|i've|we've|i'd|i'll|ich|wir|je|j'ai|nous|yo)(?: \\p{L}+){0,3} (?:just )?${SAY}(?!\\p{L})|(?<!\\p{L})my (?:own |last |first |earlier |latest )?${WRITING}(?! (?:from|by)(?!\\p{L}))|(?<!\\p{L})(?:that (?:being )?said|(?:let|allow) me|have to say|must say|needless to say|to say|could say|can say|might say|would say|should say|you say|you said|is to say|easier said|as they say|as you say|like i said|mentioned)(?!\\p{L})`,
  'iu',
)
const SAID_HAN =
  /(?:说|說|说道|写道|寫道|写着|寫著|写的是|回复(?:说|道|我|我们)?|回覆|告诉我(?:们)?|告訴我|留言(?:说)?|表示|喊道?|转告(?:我|我们)?|来信(?:说)?|发来(?:消息|微信|短信|邮件)?(?:说)?|发(?:消息|微信|短信|邮件|信息)(?:来)?(?:说)?|念叨|原话(?:是)?|原文(?:是)?|内容(?:是|如下)|说的是|是这么(?:写|说)的|这样(?:写|说)(?:的|道)?)$/u
const WRITTEN_HAN =
  /(?:邮件|郵件|来信|信|信件|短信|消息|微信|留言|公告|通知|帖子|评论|文章|合同|说明书|纸条|海报|广告|歌词|书|报道|签名|标语|朋友圈|简介)(?:里|中|上|里面|上面)?(?:的?(?:内容|原话|原文))?(?:是|写|说|写的|说的|如下|写着|写道|说道)?$/u
const OWN_HAN =
  /(?:^|[，,。；！？\s])(?:但|但是|所以|然后|那|那么|就|可|可是|而|于是)?我(?!妈|爸|姐|哥|弟|妹|老|爷|奶|外|同|朋|室|房|领|先|太|丈|女|儿|们?(?:的?(?:房东|老师|老板|医生|经理|同事|朋友|邻居|室友))|家)(?:们)?[^，,。；]{0,16}$|(?:换句话|简单(?:来|地)?|总的来|总体来|一般来|具体来|比如|例如|老实|说实话|实话|坦白|不瞒.{0,3}|也就是|就是|应该|可以|可以这么|严格来|怎么|再|所以|按理|据|听我|跟你们?|和你们?|对我来|对我而言来|不用|别|要|想|得|该|来)(?:实)?[说說]$/u

/** Where a line tells that a person says or writes what follows a colon; `null`: only the sender speaks. */
export function leadIn(line: string): LeadIn | null {
  const colon = /[:：](?!\/\/|\d)/.exec(line)
  if (colon === null || colon.index > MAX_LEAD_CHARACTERS) return null
  const before = line.slice(0, colon.index).trim().replaceAll('’', "'")
  const clause = before
    .split(/[.!?。！？；;]\s{0,3}/u)
    .at(-1)!
    .trim()
  const end = colon.index + 1
  if (clause === '') return null
  if (BARE.test(clause)) return { end, lead: clause, isOneSentence: false }
  if (OWN_ENGLISH.test(clause) || OWN_HAN.test(clause)) return null
  if (ASKED.test(clause)) return { end, lead: clause, isOneSentence: true }
  const isSaid = WRITTEN.test(clause) || SAID.test(clause) || SAID_HAN.test(clause)
  const isWritten = /^.{2,60}(?:的|给我|发的|来的|写的).{0,12}$/u.test(clause) && WRITTEN_HAN.test(clause)
  return isSaid || isWritten ? { end, lead: clause, isOneSentence: false } : null
}

const MAX_LEAD_CHARACTERS = 140

/**
 * A lead without a colon: `he said, I live …`, `she was like "I live …"`, 他说，我…. It takes the rest of the
 * line.
 */
export const SAYS_LATER =
  /(?<![\p{L}'’])(?:he|she|they|who|(?!I\b|We\b|You\b|As\b|So\b)\p{Lu}\p{Ll}{1,20}|(?:my|our|the|his|her|their) (?:\p{L}{2,20} ){0,2}\p{L}{2,20})(?:'s| has| had| just| then| also| always){0,2} (?:said|says|wrote|writes|told me|told us|tells me|replied|answered|texted(?: me)?|goes|was like|is like|went),? ?(?=["“„][^"”“]{0,400}|(?<=, )(?:I|I'm|I've|my)(?![\p{L}]))|(?:他|她|它|他们|她们|妈妈?|爸爸?|老师|老板|房东|医生|同事|朋友|邻居|客户|经理|老[\p{sc=Han}]|小[\p{sc=Han}]|阿[\p{sc=Han}]|[\p{sc=Han}]{1,2}(?:姐|哥|叔|姨|总))(?:今天|刚才|刚刚|昨天|又|还|就|也|都|老|总)?(?:跟我|对我|和我|给我)?(?:说|写道|说道|回复)(?:过)?[，,]?\s?(?=[“"「]|(?<=[，,]\s?)我(?!们))/u
