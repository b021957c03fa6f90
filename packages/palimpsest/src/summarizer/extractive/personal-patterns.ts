import {
  A_HAN_JOB,
  ALLERGENS,
  ANIMALS,
  BUSINESSES,
  CIVIL,
  CONDITIONS,
  COUNT,
  DWELLINGS,
  FAITH,
  FAVOURITES,
  FIELDS,
  HAN_ALLERGENS,
  HAN_ANIMALS,
  HAN_CONDITIONS,
  HAN_COUNT,
  HAN_DRINKS,
  HAN_FIRM_ENDS,
  HAN_FIRMS,
  HAN_FOODS,
  HAN_HOUSEHOLD,
  HAN_JOBS,
  HAN_KIN,
  HAN_KIN_COUNTED,
  HAN_LANGUAGES,
  HAN_PEOPLES,
  HAN_PLACE_ENDS,
  HAN_PLACES,
  HAN_SURNAMES,
  HOUSEHOLD,
  isJob,
  KIN,
  KIN_COUNTED,
  LANGUAGES,
  MONTH,
  NUMBERS,
  STATUS,
  WORKPLACES,
} from './personal-words.ts'

/** What a person has one of at a time, so that a later statement replaces an earlier one. */
export type Slot = 'name' | 'home' | 'work' | 'birthday'

/**
 * The words in which people tell something of themselves. A clause begins with these words, and ends or goes
 * on as the pattern says.
 */
export interface PersonalPattern {
  readonly section: 'profile' | 'preferences'
  /** `null`: a person may have several of these. */
  readonly slot: Slot | null
  readonly pattern: RegExp
  /** Beside "today" and the like, the statement may hold for the moment alone. */
  readonly mayPass: boolean
  /** Whether the words in the group `x` are of the right kind. */
  readonly fits?: (x: string) => boolean
  /** The statement is about the speaker, so that a clause without a person goes on about the speaker. */
  readonly isOfSelf: boolean
  /**
   * Only for clauses that begin in Chinese. Other clauses do not try the pattern, so it is not compiled for
   * them.
   */
  readonly isHan: boolean
}

type Rest = Partial<Omit<PersonalPattern, 'pattern' | 'slot' | 'isHan'>>

const ADVERBS =
  '(?: (?:really|absolutely|still|also|now|currently|always|do|actually|totally|usually|mostly|generally|personally|honestly|both|only|kind of|originally|definitely|genuinely|especially|particularly|mainly|strongly|highly|very much))*'
export const I = `^i${ADVERBS}`
export const I_AM = `^(?:i'm|im|i am|am)${ADVERBS}`
const I_HAVE_BEEN = `^(?:i've|ive|i have) been`
const HAVE = `^(?:i|we)${ADVERBS} (?:have|got|have got|own)|^(?:i|we)'ve got|^ive got`

/** The thought ends, or goes on about how, where and since when. */
const END =
  '(?=[\\s.!…)~\\p{Extended_Pictographic}\\u200d\\ufe0f]*$| (?:and|but|or|so|who|that|which|called|named|too|with|at|in|on|from|near|for|since|as well|by the way|btw|now|nowadays|these days|here|originally|by trade|myself|though|tho|lol|haha|tbh|atm|please|pls|because|where|outside|by|over|more than|most|this|last)(?!\\p{L})| \\d)'
const ALONE =
  '(?=[\\s.!…)~\\p{Extended_Pictographic}\\u200d\\ufe0f]*$| (?:too|as well|tbh|lol|haha|btw|by the way|please|pls|at all|anyway|though|tho)(?!\\p{L}))'
const X = '(?<x>[^\\s,.!?;:]+(?: [^\\s,.!?;:]+){0,3}?)'
const HAN_END = '(?=[\\s。！!~～啦哦呢哈的\\p{Extended_Pictographic}\\ufe0f]*$)'

/** A state that a person is in for years, not for a month. */
const NOT_FOR_NOW = `${END}(?! (?:to|without|from|after|for (?:january|february|march|lent|now|an? (?:day|week|month))|this|with (?:rage|anger|love|joy))(?!\\p{L}))`
/** A person who told of a time long ago may have moved on since. */
const NOT_LONG_AGO =
  '(?![^,.!?]{0,60} (?:in (?:19|20)\\d\\d|(?:years|decades) ago|when i was|as a (?:kid|child|student)|back then|once)(?!\\p{L}))'
/** Ends the thing that a person has. A longer name that begins with the same word is another thing. */
const HAD =
  '(?=\\s*(?:[.!…)]|$|\\p{Extended_Pictographic})| (?:and|but|who|that|called|named|too|so|with|in (?!the |my |a |an |here|this)|from|aged|under|over|both|now|as well|already|at home|by the way|btw|older|younger)(?!\\p{L}))'
const SOME_JOB = `an? (?<x>[\\p{L}'-]{1,20}(?: [\\p{L}'-]{1,20}){0,3}?)${END}`
/** A trade that people who write no articles name alone. */
const JOB_BARE =
  '(?:nurse|doctor|teacher|student|engineer|driver|cook|programmer|accountant|lawyer|waiter|waitress|cleaner|electrician|mechanic)'

const own = (source: string) => new RegExp(`(?:${source})`, 'iu')
const profile = (slot: Slot | null, source: string, rest: Rest = {}): PersonalPattern => ({
  section: 'profile',
  slot,
  pattern: own(source),
  mayPass: false,
  isOfSelf: true,
  isHan: /\p{sc=Han}/u.test(source),
  ...rest,
})
const preference = (source: string, rest: Rest = {}): PersonalPattern => ({
  ...profile(null, source),
  section: 'preferences',
  mayPass: true,
  ...rest,
})

const wordsOf = (text: string) => text.trim().split(/\s+/u)
const setOf = (words: string) => new Set(wordsOf(words))
const ALL_LOWER = /^\P{Lu}+$/u

/** Words behind "my name is" and "call me" that are no name. */
const NO_NAME = setOf(
  'a an the on in at not also still always being never already all everywhere nowhere missing gone misspelled misspelt mistyped spelled spelt there wrong incorrect taken listed mentioned mud here hard easy long short weird unusual common rare back later now today tonight tomorrow asap when if after before anytime anyways anyway crazy maybe then again please first soon once up out by sometime whenever monday tuesday wednesday thursday friday saturday sunday mad old-fashioned stupid lazy names instead directly immediately early old paranoid cynical naive biased weird what whatever that this it so my your his her me you i is test user customer irrelevant unknown secret bond batman superman spartacus inigo earl',
)
const TITLE = /^(?:dr|mr|mrs|ms|mx|prof|professor|sir|doctor)\.?$/iu
const NAME_WORD =
  /^["“„]_+["”“]$|^["“'„]?\p{Lu}[\p{L}\p{M}'’._-]{0,30}["”'“]?$|^(?:de|da|van|von|der|del|la|bin|al|o')$/u
const LOWER_NAME = /^["“'„]?[\p{Ll}][\p{L}\p{M}'-]{1,20}["”'“]?$/u

/** Words that begin with capitals, or one word without any capital. */
function isName(x: string): boolean {
  const words = wordsOf(x)
  if (words.some(word => NO_NAME.has(word.toLowerCase()))) return false
  if (words.every(word => TITLE.test(word) || NAME_WORD.test(word))) return !TITLE.test(words.at(-1)!)
  return words.length === 1 && LOWER_NAME.test(x)
}

/** What people move to, or live in, that is no place: their tools, and names such as "Phase 2" or "Next". */
const NO_TOWN =
  /^(?:TypeScript|JavaScript|Python|Rust|Go|Java|Kotlin|React|Vue|Postgres|PostgreSQL|SQLite|MySQL|AWS|Azure|Docker|Kubernetes|Slack|Teams|Discord|Telegram|WhatsApp|Signal|Zoom|Gmail|Outlook|Notion|Figma|Excel|Jira|Vim|Emacs|GitHub|GitLab|Linux|Ubuntu|Windows|Android|Chrome|Firefox|Plan|Phase|Step|Part|Chapter|Level|Version|Option|Next|Room|Table|Row|Line|Page|Slide|Tab|Gate|Platform|Seat|Mars|Venus|Narnia|Gondor|Hogwarts|Neverland|HR|IT|PR|QA|Sales|Support|Accounting|Accounts|Finance|Marketing|Legal|Engineering|I|My|The (?:Matrix|Moon|Shire)|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)(?![\p{L}])/u
const TOWN_WORD =
  /^[\p{Lu}][\p{L}\p{M}'’.-]*$|^\p{Lu}{2}$|^(?:the|of|de|da|do|del|la|le|los|las|am|an|upon|and|on|near|downtown|central|east|west|north|south|northern|southern|eastern|western|rural|old|new|upstate|outside|greater|inner)$/u
const NO_LOWER_TOWN = setOf(
  'fear hope peace dread terror chaos harmony denial shame sin silence hell heaven luxury poverty pain style constant perpetual darkness exile my your his her this that these those our the a an it here there reality fantasy excel slack discord sweatpants pajamas pyjamas jeans hoodies sync real wonder mystery misery comfort style',
)

/**
 * The words have capitals, except those that join them. Without any capital: one or two words that are none
 * of the usual jokes.
 */
function isTown(x: string): boolean {
  if (NO_TOWN.test(x)) return false
  const words = wordsOf(x)
  if (words.some(word => /^\p{Lu}/u.test(word)))
    return words.every(word => TOWN_WORD.test(word)) && /^\p{Lu}/u.test(words.at(-1)!)
  return words.length <= 2 && words.every(word => /^\p{L}[\p{L}'-]+$/u.test(word) && !NO_LOWER_TOWN.has(word))
}
const isCapitalTown = (x: string) => !ALL_LOWER.test(x) && isTown(x)
/** Behind "I work in" or "I work at": a name with a capital. */
const isFirm = (x: string) =>
  /^(?:the )?[\p{Lu}\d]/u.test(x) && !NO_TOWN.test(x) && !/^(?:the )?\p{Lu}[\p{Ll}]+day/u.test(x)

const NAMES: readonly PersonalPattern[] = [
  profile('name', `^my (?:full |real |first |last |nick)?name(?:'s| is) ${X}${END}`, { fits: isName }),
  profile(
    'name',
    `^(?:(?:you can|u can|everyone can|just|feel free to) )?call me ${X}(?=[\\s.!…)~]*$| (?:please|instead|from now on|for short|and|not|btw|everyone|nobody|everybody) ?)`,
    { fits: isName, isOfSelf: false },
  ),
  profile('name', `^i go by ${X}${END}`, { fits: x => isName(x) && !ALL_LOWER.test(x) }),
  profile(
    'name',
    `^我(?:(?:的)?(?:名字|全名|大名|本名)(?:是|叫)|叫做?)(?<x>[^，。！？,.!?\\s]{2,12})${HAN_END}`,
    {
      fits: isHanName,
    },
  ),
  profile('name', `^我姓${HAN_SURNAMES}${HAN_END}`),
  profile(
    'name',
    `^(?:可以|请|就|都|大家|你们|你|也|可|直接|以后){0,3}(?:叫|称呼|喊)我(?<x>[^，。！？,.!?\\s]{1,8}?)(?:就行|就好|就可以|即可|吧|也行|就成|好了)?(?:了|啦|哈)?${HAN_END}`,
    {
      fits: isHanCall,
      isOfSelf: false,
    },
  ),
]

/**
 * 我叫 also tells that a person calls another. So a name has to begin with a surname, or be one that friends
 * use.
 */
const HAN_NAME = new RegExp(
  `^(?:${HAN_SURNAMES}[\\p{sc=Han}·]{1,3}|[小老阿大][\\p{sc=Han}]{1,2}|(\\p{sc=Han})\\1|[\\p{Lu}][\\p{sc=Latin} .'-]{1,20})$`,
  'u',
)
const NO_HAN_NAME =
  /^(?:老[公婆师爸妈板爷乡]|小[孩弟妹姐哥时事心区]|阿[姨公婆]|大[家夫叔爷妈哥姐]|外卖|快递|车|妈妈|爸爸|爷爷|奶奶|姐姐|妹妹|哥哥|弟弟|姑姑|叔叔|谢谢|天天|常常|往往|偏偏|通通|刚刚|慢慢)|师傅|老师|医生|经理|[总]$|先生|女士|代驾|保洁|物业|快递|外卖|滴滴|[了的吗呢吧啊过来去到着]$|测试|起床|吃饭|帮忙|不|[你他她它]|明天|今天|一起|什么|啥|错|谁|醒/u

function isHanName(x: string): boolean {
  return HAN_NAME.test(x) && !NO_HAN_NAME.test(x)
}

const HAN_CALL = new RegExp(
  `^(?:${HAN_SURNAMES}?[小老阿大]?\\p{sc=Han}{1,2}[哥姐叔姨总工]|学[长姐妹弟霸]|老师)$`,
  'u',
)

function isHanCall(x: string): boolean {
  return (
    isHanName(x) ||
    (HAN_CALL.test(x) && !/^(?:大哥|大姐|帮工|打工|加工|开工|收工|上工)$|[去来做吃起开等快]/u.test(x))
  )
}

const HAN_WHEN =
  '(?:上个?月|上周|去年|今年|前年|前几天|昨天|前天|最近|近期|年初|年底|月初|月底|刚刚|刚|已经|终于|又|后来|毕业后|这个月|\\d{1,2}月份?|\\d{4}年){0,3}'
const HAN_NOW = '(?:现在|目前|现|如今|一直|一般|平时|常年|长期|家|人|也|就|都|还|是|主要){0,3}'
const HAN_YEARS =
  '(?:快|都|已经|有|差不多)?(?:[\\d一二两三四五六七八九十几]{1,3}(?:多|来)?年(?:多|半)?)(?:了)?'
const HAN_PLACE = `(?<x>[^，。！？,.!?\\s]{1,14}?)`

const HAN_PLACE_NAME = new RegExp(
  `^(?:(?:${HAN_PLACES})[市省县区]?(?:的)?[\\p{sc=Han}\\d]{0,8}|[\\p{sc=Han}]{1,8}(?:${HAN_PLACE_ENDS})|\\p{Lu}[\\p{sc=Latin} ]{1,20})$`,
  'u',
)
const NO_HAN_PLACE =
  /[这那哪你他她它谁吗了着过]|我|酒店|宾馆|旅馆|旅店|民宿|青旅|医院|朋友|同学|同事|亲戚|[一两三几\d]天|晚|出差|开会|玩|旅游|度假|隔壁|附近|转机|换车|站$|机场|路上/u

const isHanPlace = (x: string) => HAN_PLACE_NAME.test(x) && !NO_HAN_PLACE.test(x)

/** People move from town to town; to a street, they mostly walk. */
const isHanTown = (x: string) => isHanPlace(x) && !/[路街巷号楼店口]$/u.test(x)

const HOME: readonly PersonalPattern[] = [
  profile('home', `${I} (?:live|reside) (?:in|near|just outside|outside|close to) ${X}${END}`, {
    fits: isTown,
    mayPass: true,
  }),
  profile(
    'home',
    `(?:${I_AM} (?:living|based|residing)|${I_HAVE_BEEN} (?:living|based)|^(?:i've|ive|i have) lived) (?:in|near|just outside) ${X}${END}`,
    {
      fits: isTown,
      mayPass: true,
    },
  ),
  // Where exactly the person lives, and how. That may hold beside the town.
  profile(
    null,
    `${I} live (?:(?:in|on) (?:an?|the) (?:[\\p{L}-]{1,15} ){0,2}(?:${DWELLINGS}|countryside|mountains|suburbs|city cent(?:re|er)|outskirts|coast)(?!\\p{L})|on the \\p{L}{3,12} floor|(?:at|near|by|close to) (?:the (?:sea|harbour|harbor|beach|lake|river|coast|station|park|forest|airport|ocean)(?!\\p{L})|\\d)|(?:together )?with (?:my|two|three|four|five|\\d) (?:[\\p{L}-]{1,15} ){0,2}(?:${KIN}|parents|family|in-laws|kids|roommates?|flatmates?|housemates?|friends|${ANIMALS})(?!\\p{L})|alone${ALONE}|alone with |on my own${ALONE}|by myself${ALONE}|together with my )`,
    { mayPass: true },
  ),
  profile(
    'home',
    `^(?:i|i've|i have|ive)(?: (?:have|just|recently|finally|now))* moved (?:back )?(?:from [^,.!?]{1,30} )?(?:over )?to ${X}${END}${NOT_LONG_AGO}`,
    {
      fits: isCapitalTown,
    },
  ),
  profile(null, `^i(?:'ve| have)? moved (?:back )?(?:from [^,.!?]{1,30} )?(?:over )?to ${X}${END}`, {
    fits: isCapitalTown,
  }),
  profile(null, `${I_AM} (?:from|a native of) ${X}${END}`, { fits: isCapitalTown }),
  profile(null, `^i was born and raised in ${X}${END}`, { fits: isCapitalTown }),
  profile(
    'home',
    `^我${HAN_NOW}(?:住在|住|定居在?|常住在?|居住在|生活在)${HAN_PLACE}(?:${HAN_YEARS}|这边|那边)?${HAN_END}`,
    { fits: isHanPlace, mayPass: true },
  ),
  profile('home', `^我${HAN_NOW}在${HAN_PLACE}(?:定居|住|生活)(?:${HAN_YEARS}|着)?${HAN_END}`, {
    fits: isHanPlace,
  }),
  profile('home', `^我(?:们)?家(?:就)?(?:住在?|在)${HAN_PLACE}${HAN_END}`, { fits: isHanPlace }),
  profile(
    'home',
    `^我(?:们)?${HAN_WHEN}(?:从[\\p{sc=Han}]{1,8})?(?:搬家?|移居|移民)(?:到|去|来)了?${HAN_PLACE}(?:了|来了|去了|定居了?)?${HAN_END}`,
    { fits: isHanTown },
  ),
  profile(null, `^我(?:的)?老家(?:是|在|就在)?${HAN_PLACE}(?:的|人|那边)?${HAN_END}`, { fits: isHanPlace }),
  profile(
    null,
    `^我(?:是|来自)?(?:土生土长的|地道的|正宗)?(?:${HAN_PLACES})(?:[市省县]|本地)?(?:人|的|那边的|来的|滴)${HAN_END}|^我来自(?:${HAN_PLACES})|^我是(?:土生土长的)?\\p{sc=Han}{2}(?:${HAN_PLACES})人${HAN_END}`,
  ),
  profile(null, `^我出生[于在](?:${HAN_PLACES}|[\\p{sc=Han}]{1,6}(?:${HAN_PLACE_ENDS}))`),
]

const A_PLACE_OF_WORK = `(?:(?:an?|the|my|our|this) (?:[\\p{L}'-]{1,15} ){0,3}(?:${WORKPLACES})(?!\\p{L}))`

const WORK: readonly PersonalPattern[] = [
  profile(
    'work',
    `${I} work(?: (?:part[ -]time|full[ -]time|nights|shifts|remotely))? as (?:an?|the) (?!(?:team|unit|favou?r|whole|group|treat|dog|horse|slave|charm|joke)(?!\\p{L}))[\\p{L}]`,
    { mayPass: true },
  ),
  profile(
    'work',
    `${I} work(?: (?:part[ -]time|full[ -]time|nights|shifts|remotely))? (?:at|for|with|in) ${A_PLACE_OF_WORK}`,
    { mayPass: true },
  ),
  profile('work', `${I} work(?: (?:part[ -]time|full[ -]time|remotely))? in (?<x>${FIELDS})${END}`, {
    fits: x => x !== 'it',
    mayPass: true,
  }),
  profile(
    'work',
    `${I} work(?: (?:part[ -]time|full[ -]time|nights|shifts|remotely))? (?:at|for) ${X}${END}`,
    { fits: isFirmName, mayPass: true },
  ),
  profile(
    null,
    `${I} work (?:from home|remotely|nights|night shifts?|part[ -]time|full[ -]time|from my home office)${END}`,
    { mayPass: true },
  ),
  profile('work', `${I_AM} (?:now )?${SOME_JOB}(?! at heart)(?! (?:down|short|now and then)(?!\\p{L}))`, {
    fits: isJob,
  }),
  profile('work', `${I_AM} ${JOB_BARE}${END}`),
  profile('work', `${I_HAVE_BEEN} ${SOME_JOB}`, { fits: isJob }),
  profile(
    'work',
    `${I} teach (?:[\\p{L} ]{3,30} )?(?:at|in) (?:an? |the )?(?:[\\p{L}-]{1,15} ){0,2}(?:school|university|college|kindergarten|academy)(?!\\p{L})`,
  ),
  profile('work', `${I} (?:run|own) (?:an?|my own) (?:[\\p{L}-]{1,15} ){0,3}(?:${BUSINESSES})${END}`),
  profile(
    'work',
    `${I} (?:drive (?:an? )?(?:taxis?|trucks?|lorr(?:y|ies)|bus(?:es)?)|[\\p{L}]{3,12}(?: [\\p{L}]{3,12})?) for a living(?!\\p{L})`,
  ),
  profile(
    'work',
    `(?:${I} study|${I_AM} (?:studying|doing (?:an?|my) (?:phd|master's|masters|bachelor's|degree|apprenticeship) in)|${I_AM} majoring in) (?!(?:for|how|this|that|the|it|at|tonight|with|hard|all)(?!\\p{L}))[\\p{L}]{4,}(?: [\\p{L}]{3,}){0,2}(?=[\\s.!]*$| (?:at|in|and)(?!\\p{L}))`,
    { mayPass: true },
  ),
  profile('work', `^我(?:现在|目前|平时)?(?:是|做|当)${A_HAN_JOB}(?:的|${HAN_YEARS})?${HAN_END}`, {
    mayPass: true,
  }),
  profile(
    'work',
    `^我(?:现在|目前)?(?:是|就是)?(?:自己|在家)?(?:送快递|送外卖|跑外卖|跑滴滴|开出租车?|开网约车|开滴滴|开货车|开大巴|开公交|卖保险|做生意|做小生意|做外贸|做销售|做设计|做金融|做开发|做测试|做运营|做会计|做电商|做直播|做自媒体|搞装修|搞科研|摆摊|种地|开挖机|跑长途)的?(?:${HAN_YEARS})?${HAN_END}`,
  ),
  profile(
    'work',
    `^我(?:现在|目前|平时)?在${HAN_PLACE}(?:工作|上班|任职|实习|当差|打工|读研|读博|读书|上学|上大学|读大学)(?:的)?${HAN_END}`,
    { fits: isHanOrg, mayPass: true },
  ),
  profile(
    'work',
    `^我(?:现在|目前)?在(?<x>[^，。！？,.!?\\s]{1,14}?)(?:做|当|教)(?:${A_HAN_JOB}|语文|数学|英语|生意|外贸|金融|设计|开发)(?:的)?${HAN_END}`,
    { fits: isHanOrg },
  ),
  profile(
    'work',
    `^我(?:自己)?开了?(?:一)?[家间个](?:小)?[\\p{sc=Han}]{0,4}(?:店|馆|公司|工作室|厂|民宿|餐厅|酒吧|诊所|超市|网吧)${HAN_END}`,
  ),
  profile(
    'work',
    `^我(?:现在|目前|今年)?(?:在)?(?:是)?(?:读|上|念)?(?:大[一二三四五]|研[一二三]|博[一二三]|高[一二三]|初[一二三]|本科|博士)(?:了|在读)?${HAN_END}`,
  ),
  profile('work', `^我(?:已经|刚)?(?:退休|失业|待业)(?:了|在家)?(?:${HAN_YEARS}|半年了?)?${HAN_END}`),
  profile(null, `^我(?:平时|现在|一直|都){0,2}在家里?(?:工作|上班|办公)${HAN_END}`, { mayPass: true }),
]

/** Behind "I work at" or "I work for": a name, or one word of a person who writes no capitals. */
function isFirmName(x: string): boolean {
  if (NO_TOWN.test(x) || NO_FIRM.test(x)) return false
  return isFirm(x) || (ALL_LOWER.test(x) && wordsOf(x).length === 1 && /^\p{Ll}{3,}$/u.test(x))
}
const NO_FIRM =
  /^(?:home|it|that|this|you|me|him|her|them|us|free|fun|food|peanuts|money|night|nights|work|once|least|all|best|now|times|the|an?|my|your|\d+)(?![\p{L}])/iu

const HAN_ORG = new RegExp(
  `^(?:[^他她你您我这那]{0,8}(?:${HAN_FIRMS})[\\p{sc=Han}]{0,4}|[^他她你您我这那]{0,12}(?:${HAN_FIRM_ENDS})|(?:${HAN_PLACES})[市省县]?(?:的)?[\\p{sc=Han}]{0,6}|[\\p{sc=Latin}][\\p{sc=Latin}\\d .&-]{1,20})$`,
  'u',
)
const NO_HAN_ORG = /努力|认真|拼命|加班|忙|想|找|看|等|聊|说|讨论|准备|安排|淘宝|网上/u

function isHanOrg(x: string): boolean {
  return HAN_ORG.test(x) && !NO_HAN_ORG.test(x)
}

const BIRTH: readonly PersonalPattern[] = [
  profile(
    'birthday',
    `^my (?:birthday|bday|b-day)(?:'s| is)(?: on)? (?:the )?(?:\\d|(?:${MONTH})(?!\\p{L})|tomorrow|today|(?:in|at the end of) (?:${MONTH})(?!\\p{L}))`,
  ),
  profile('birthday', `${I} was born (?:on|in) (?:the )?(?:\\d|(?:${MONTH})(?!\\p{L}))`),
  profile(null, `${I} was born in ${X}${END}`, { fits: isCapitalTown }),
  profile(null, `${I_AM} (?:almost |nearly )?\\d{1,3} ?(?:years? (?:old|young)|yo|y/o|yrs? old)(?!\\p{L})`),
  profile(
    null,
    `${I_AM} (?:1[3-9]|[2-9]\\d)(?=[\\s.!…]*$| and (?:in|live|study|work|still|single|just|have|never|i)(?!\\p{L})| now[\\s.!]*$)`,
  ),
  profile(
    'birthday',
    `^我的?生日(?:就)?(?:是|在|[:：])?(?:公历|农历|阴历|阳历|旧历)?(?:每年)?[^，。！？,.!?那前后花收还过请用]{0,2}(?:[\\d一二三四五六七八九十正腊冬]{1,4} ?[年月号日./-]|\\d{4})`,
  ),
  profile(
    'birthday',
    `^我(?:是)?(?:出生[于在]|生于)?\\d{2,4}年?[^，。！？,.!?]{0,8}(?:出生的?|生的|生人)${HAN_END}|^我(?:是)?\\d{2,4}年的${HAN_END}|^我(?:出生[于在]|生于)\\d`,
  ),
  profile(
    null,
    `^我(?:今年|现在|都|已经|快|刚满){0,2}[\\d一二三四五六七八九十]{1,3}周?岁(?:了|半|啦)?${HAN_END}`,
  ),
  profile(null, `^我(?:是)?属[鼠牛虎兔龙蛇马羊猴鸡狗猪](?:的)?${HAN_END}`),
]

const HEALTH: readonly PersonalPattern[] = [
  profile(
    null,
    `${I_AM}(?: (?:severely|very|highly|deathly|deadly|extremely|super|a bit|slightly|mildly|quite|so))? (?:allergic|intolerant) to (?:(?:most|all|raw|tree|cow's|house|dust|some|certain) )?(?:${ALLERGENS})(?!\\p{L})`,
  ),
  profile(
    null,
    `^(?:i have|i've got|ive got|i've had|i have had|i suffer from)(?: (?:an?|really|very|severe|mild|bad|chronic|terrible|the))*(?: (?:${ALLERGENS}|nut|tree nut|pollen|food|drug|skin))? (?:${CONDITIONS}|type [12] diabetes|allergy|intolerance|a (?:${ALLERGENS}) (?:allergy|intolerance))${END}`,
  ),
  profile(
    null,
    `^i (?:was|got|have been|'ve been) diagnosed with (?:[\\p{L}-]{1,12} )?(?:${CONDITIONS})(?!\\p{L})`,
  ),
  profile(
    null,
    `${I_AM}(?: (?:an?|partly|fully|legally|completely|strict|severely|the only))* (?:${STATUS})${NOT_FOR_NOW}`,
    { mayPass: true },
  ),
  profile(null, `${I_HAVE_BEEN}(?: (?:an?|strict))* (?:${STATUS})${END}`),
  profile(null, `${I_AM}(?: (?:an?|practi[sc]ing|devout))* (?:${FAITH})${END}`),
  profile(
    null,
    `(?:${I_AM}|${I_HAVE_BEEN})(?: (?:happily|recently|freshly|newly|\\d{1,2} (?:weeks|months)|\\p{L}{3,5} months))? (?:${CIVIL})(?! to (?:this|the|my (?:job|work|career|phone|laptop)|excel))(?! of )(?! (?:in|with|by) )${END}`,
  ),
  profile(
    null,
    `${I_AM} in a wheelchair(?!\\p{L})|^i use (?:a wheelchair|a cane|crutches|a screen reader|a walker|an insulin pump|hearing aids)(?!\\p{L})|^i wear (?:hearing aids|a hearing aid|a pacemaker)|^i have (?:a pacemaker|a hearing aid|hearing aids)(?!\\p{L})`,
  ),
  profile(
    null,
    `${I} (?:only eat|eat only|keep|always eat|eat|can only eat) (?:halal|kosher|vegan|vegetarian|gluten[ -]free|plant[ -]based)${END}`,
    { mayPass: true },
  ),
  profile(
    null,
    `^我(?:从小|一直|也|好像)?对?(?:${HAN_ALLERGENS})(?:[和跟、与及](?:${HAN_ALLERGENS})){0,3}(?:严重|重度|有点|轻微|都|也)?过敏(?:的|体质)?${HAN_END}`,
  ),
  profile(
    null,
    `^我(?:有|患有|得了|确诊了?|先天性?|是)?(?:轻度|中度|重度|严重|慢性|一点|点|红绿|多年|遗传性|I型|II型|1型|2型|一型|二型){0,2}(?:${HAN_CONDITIONS})(?:患者|症|病)?(?:${HAN_YEARS}|很多年了?|好几年了?)?${HAN_END}`,
  ),
  profile(
    null,
    `^我(?:从小|一直|现在|是|长期){0,2}(?:吃素|素食|吃斋|素食者|素食主义者|吃清真|只吃清真)(?:的|${HAN_YEARS}|很多年了?|好多年了?)?${HAN_END}`,
    { mayPass: true },
  ),
  profile(
    null,
    `^我是(?:左撇子|独生子女?|独生女|单亲妈妈|单亲爸爸|(?:红绿)?色盲|${HAN_PEOPLES}|基督徒|佛教徒|穆斯林|天主教徒|丁克|孤儿|聋哑人|盲人|残疾人|双胞胎)${HAN_END}`,
  ),
  profile(
    null,
    `^我(?:们)?(?:已经|刚|去年|上个月|今年|前年)?(?:结婚|怀孕|毕业|订婚)(?:了|${HAN_YEARS}|[\\d一二两三四五六七八九十]{1,2}个月了?)${HAN_END}`,
  ),
  profile(null, `^我(?:是|现在|目前|一直){0,2}(?:单身|离异|未婚|已婚|丧偶)${HAN_END}`),
  profile(null, `^我近视(?:\\d{3,4}|[一二三四五六七八九]百(?:多)?)度?${HAN_END}`),
  profile(null, `^我不会(?:开车|游泳|做饭|说英语|骑车)${HAN_END}`),
]

const KINSHIP: readonly PersonalPattern[] = [
  profile(
    null,
    `^my (?:\\p{L}{1,12} ){0,2}(?:${KIN}|${ANIMALS})(?:'s name(?:'s| is) \\S|(?: \\p{L}{2,15})?(?:'s| is| are| (?:just )?turned| just turned)(?: (?:also|only|now|almost))? (?:called |named |(?:\\d{1,2}|${NUMBERS})(?=[\\s.!]*$| and | years?(?: old)?| months? old| now)))`,
    { isOfSelf: false },
  ),
  profile(
    null,
    `^my (?:\\p{L}{1,12} ){0,2}(?:${KIN})(?: \\p{L}{2,15})?(?:'s| is| are) (?:also |now )?${SOME_JOB}`,
    {
      fits: isJob,
      isOfSelf: false,
    },
  ),
  // People of one household eat together.
  profile(
    null,
    `^my (?:\\p{L}{1,12} ){0,2}(?:${HOUSEHOLD})(?: \\p{L}{2,15})?(?:'s| is| are) (?:(?:also|severely) )?(?:allergic to (?:${ALLERGENS})|vegan|vegetarian|diabetic|deaf|autistic)(?!\\p{L})`,
    { isOfSelf: false },
  ),
  profile(null, `^my (?:\\p{L}{1,12} ){0,2}(?:${KIN}|${ANIMALS})(?:'s| is) (?:from )?${X}${ALONE}`, {
    fits: isCapitalTown,
    isOfSelf: false,
  }),
  profile(null, `(?:${HAVE}) (?:(?:${COUNT}) (?:[\\p{L}-]{1,15} ){0,2}|(?=twins))(?:${KIN_COUNTED})${HAD}`),
  profile(
    null,
    `(?:${HAVE}) (?:${COUNT}) (?!(?:lost|sick|missing|hot|new)(?!\\p{L}))(?:[\\p{L}-]{1,15} ){0,2}(?:${ANIMALS})${HAD}`,
  ),
  profile(
    null,
    `${I} speak (?:fluent |some |a bit of |a little |mostly |native )?(?:${LANGUAGES})(?!\\p{L})`,
  ),
  profile(
    null,
    `^my (?:native language|mother tongue|first language|native tongue) is (?:${LANGUAGES})(?!\\p{L})`,
  ),
  profile(null, `^my pronouns are (?:he|she|they|it|any)(?!\\p{L})`),
  profile(
    null,
    `^我(?:的|家)?(?:大|小|二)?(?:${HAN_KIN})(?:的名字[是叫]|叫|名叫)(?<x>[^，。！？,.!?\\s]{1,4})${HAN_END}`,
    { fits: isHanPetOrChild, isOfSelf: false },
  ),
  profile(
    null,
    `^我(?:的|家)?(?:大|小|二)?(?:${HAN_KIN})(?:(?:是|在[^，。！？,.!?\\s]{0,8}当)(?:退休|[^，。！？,.!?\\s的他她你]{0,6})?(?:${HAN_JOBS})|今年(?:[\\d一二三四五六七八九十]{1,3}岁|[上读](?:幼儿园|小学|初中|高中|大学|[小初高大][一二三四五六]|[一二三四五六]年级))|[\\d一二三四五六七八九十]{1,3}岁|是(?:${HAN_PLACES})人|在[^，。！？,.!?\\s]{1,10}(?:工作|上班|读书|上学|读大学|念书))(?:了)?${HAN_END}`,
    { isOfSelf: false },
  ),
  profile(null, `^我(?:的|家)?(?:大|小|二)?(?:${HAN_HOUSEHOLD})对(?:${HAN_ALLERGENS})过敏${HAN_END}`, {
    isOfSelf: false,
  }),
  profile(
    null,
    `^我(?:家)?有(?:了)?(?:${HAN_COUNT}[个個位名对對])?(?:双胞胎)?(?:亲)?(?:${HAN_KIN_COUNTED})${HAN_END}|^我有个(?:${HAN_KIN_COUNTED})(?![\\p{sc=Han}]{0,3}(?:朋友|同学|同事))`,
  ),
  profile(
    null,
    `^我(?:家|自己|现在|们)?(?:里)?(?:有|养了?|养着)(?:${HAN_COUNT}[个個只隻条匹头])(?:\\p{sc=Han}{0,3})?(?:${HAN_ANIMALS})(?:${HAN_END}|(?=[和跟]))`,
  ),
  profile(
    null,
    `^我家(?:的)?(?:${HAN_ANIMALS})(?:的名字[是叫]|叫|名叫)(?<x>[^，。！？,.!?\\s]{1,4})${HAN_END}`,
    { fits: isHanPetOrChild, isOfSelf: false },
  ),
  profile(
    null,
    `^我(?:会|能)?(?:说|讲)(?:一点|流利的|一些)?(?:${HAN_LANGUAGES})|^我会(?:一点)?(?:${HAN_LANGUAGES})|^我(?:的)?母语是(?:${HAN_LANGUAGES})`,
  ),
]

const NO_HAN_PET = /^(?:我|你|他|她|人|醒|救护|不|快递|外卖|车|什么|啥)|[了着过来去]|起床|吃饭|回家/u

function isHanPetOrChild(x: string): boolean {
  return !NO_HAN_PET.test(x)
}

/** These do not name a thing as such: this one thing, what was just said, what happens. */
const NO_THING =
  /^(?:up|still|by|next|down|back|it|its|it's|that|this|these|those|them|they|you|your|yours|u|ya|him|his|her|hers|he|she|my|mine|me|our|us|how|what|where|when|who|why|which|if|the|an?|both|either|neither|all|some|any|every|everything|everyone|anything|nothing|something|one|another|not|more|most|less|waiting|paying|losing|getting|having|sitting|seeing|hearing|knowing|working|spending|sending|asking|feeling|tomorrow|today|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?!\p{L})(?! (?:mornings?|brunch))|option|version|variant|plan|choice|number|draft|design|then|there|here|very|too|so|much|people (?:like|in)|each|plan)(?!\p{L})/iu
/**
 * Behind "to" and "being", only these count: a person really does them. Other verbs mostly tell what the
 * person only says to do.
 */
const DOES =
  /^to (?!(?:be called|bake|be alone|be outdoors|cook|cycle|dance|draw|drive|eat|fish|fly|garden|get up|go (?:out|hiking|swimming|dancing|to bed)|hike|knit|paint|read|run|sew|sing|sit|sleep|stay|swim|travel|wake|walk|write)(?!\p{L}))|^being (?!(?:alone|late|outdoors|outside|called|cold|rushed|interrupted)(?!\p{L}))/iu
const NOT_AS_SUCH =
  /(?<!\p{L})(?:this|that|these|those|your|you|u|one|ones|option|here|there|again|when|while|if|said|now|today|tonight|yesterday|tomorrow|right|already|anymore|yet|until|till|instead|either|someone|deadlines|the \p{L}+ (?:one|option|version))(?!\p{L})|^\p{Lu}{2,}|(?<!\p{L})\p{Lu}{4,}(?!\p{L})/u

function isThing(x: string): boolean {
  return (
    /^[\p{L}\d"']/u.test(x) &&
    !NO_THING.test(x) &&
    !DOES.test(x) &&
    !NOT_AS_SUCH.test(x) &&
    wordsOf(x).length <= 9
  )
}
/** What a person never eats or drinks. */
const isFare = (x: string) =>
  isThing(x) &&
  !/^(?:until|till|before|after|while|now|yet|up|still|around|and|at|enough|lunch|dinner|during|tonight|out|in|from|with|alone)(?!\p{L})/iu.test(
    x,
  )
const isWayOfLife = (x: string) =>
  isThing(x) && !/^(?:cash|later|to|waiting|no|refund|delivery|pickup)/iu.test(x)

const REST = '(?<x>[^,.!?;:]{2,90})'

const HAN_VERY =
  '(?:也|很|最|特别|非常|更|一直|还是|比较|真的|都|超|超级|挺|蛮|不|不太|不怎么|从来不|从小就?|就|平时|一般|其实|个人|现在|一向|向来|尤其|格外|极其|不是很|不大){0,4}'
const NO_HAN_THING =
  /[你您他她它谁]|[这那哪]|我(?!行我素)|了$|了(?=\s)|吗|什么|第|上面|下面|左边|右边|前面|后面|刚才|刚刚|方案|选项|版本|归|是喜欢|就|今天|明天|昨天|今晚|现在|一下|一点|得很|不得|死|的$|^(?:着|过|的|得|上了|不|别|人家|自己|和|跟|来|去$|死|极|归)|呢|吧|啊$|这样|那样|怎|哈|吃醋|[点些]$|[A-Da-d]$|个(?!人)/u
const isHanThing = (x: string) => !NO_HAN_THING.test(x) || (TASTES.test(x) && !/[你您他她这那]/u.test(x))
/** These end in 的, and still name a thing as such. */
const TASTES = /^(?:[吃喝])?[\p{sc=Han}]{0,2}(?:甜|辣|酸|咸|苦|清淡|热|冰|冷|重口味)的$/u

const LIKES: readonly PersonalPattern[] = [
  preference(
    `${I} (?:like|love|hate|dislike|adore|enjoy|despise|loathe|can't stand|cannot stand|cant stand|can not stand|don't like|do not like|dont like|don't enjoy|am into) ${REST}`,
    { fits: isThing },
  ),
  preference(`${I} prefer ${REST}`, { fits: isWayOfLife }),
  preference(
    `${I} (?:can't eat|cannot eat|cant eat|don't eat|do not eat|dont eat|never eat|don't drink|do not drink|dont drink|never drink|drink only|only drink|never touch) ${REST}`,
    { fits: isFare },
  ),
  preference(
    `${I} (?:don't|do not|dont|never) (?:drink|smoke)${ALONE}|^i (?:don't|do not|dont|never) smoke cigarettes`,
  ),
  preference(
    `^my (?:all-time |absolute )?favou?rite (?:[\\p{L}-]{1,12} )?(?:${FAVOURITES}) (?:is|are|of all time is|ever is) (?!(?:the|this|that|your|not|still|a|which|it|gone|on|out|back|over|missing|sold|coming|here|playing|broken|closed|closing|cancel\\p{L}*|empty|about|now)(?!\\p{L}))\\S`,
  ),
  preference(`${I_AM} not (?:really )?(?:an?|much of an?) (?:big |huge |great )?fan of ${REST}`, {
    fits: isThing,
  }),
  preference(`${I_AM} (?:really )?not (?:really )?into ${REST}`, { fits: isThing }),
  preference(
    `${I_AM} (?:not |such |definitely |more of |very much )*(?:an? )?(?:morning|night|early|evening|dog|cat|coffee|tea|beach) (?:person|owl|bird|drinker|lover)${ALONE}`,
  ),
  preference(
    `^我${HAN_VERY}(?:喜欢|喜歡|爱吃|愛吃|爱喝|爱看|爱听|爱玩|偏好|偏爱|讨厌|討厭|热爱|酷爱)(?<x>[^，。！？,.!?\\s]{1,16})`,
    { fits: isHanThing },
  ),
  preference(`^我${HAN_VERY}受不了(?<x>[^，。！？,.!?\\s]{2,12})`, { fits: isHanThing }),
  preference(
    `^我(?:最)?喜[欢歡]的(?:颜色|歌手|明星|演员|电影|电视剧|动漫|书|作家|球队|球星|运动|食物|菜|水果|饮料|动物|季节|城市|游戏|歌|乐队|导演|品牌|花|零食|科目|数字)(?:是|就是)(?![那这])\\S`,
  ),
  preference(
    `^我(?:也|从小|一直|平时|从来|都|一般|现在|真的|是|绝对){0,3}(?:(?:不|不能|不太能|不太会|不敢|吃不了|不爱|很少|不怎么|不大)(?:吃|能吃|碰)?|吃不了)(?:太|任何|各种)?(?:${HAN_FOODS})(?:[和跟、与](?:${HAN_FOODS})){0,3}(?:的)?${HAN_END}`,
  ),
  preference(
    `^我(?:也|从小|一直|平时|从来|都|一般|现在|基本){0,3}(?:不|不能|不会|不爱|很少|只|滴酒不)(?:喝|沾)(?:任何)?(?:${HAN_DRINKS})(?:[和跟、与](?:${HAN_DRINKS})){0,3}(?:的)?${HAN_END}|^我(?:也|从来|从|一直|都){0,2}不(?:抽烟|吸烟|喝酒|打牌)(?:的)?${HAN_END}`,
  ),
  preference(`^我(?:也|很|最|特别|比较|从小|有点){0,2}怕(?:吵|冷|热|辣|黑|狗|高)${HAN_END}`),
  preference(`^我(?:是|就是|一直是)?个?(?:夜猫子|早起的人|吃货|路痴|社恐)${HAN_END}`),
]

export const PERSONAL_PATTERNS: readonly PersonalPattern[] = [
  ...NAMES,
  ...HOME,
  ...WORK,
  ...BIRTH,
  ...HEALTH,
  ...KINSHIP,
  ...LIKES,
]
