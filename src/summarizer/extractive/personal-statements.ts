import { undatedLine } from '../memory-line.ts'
import type { FactSection } from '../summarizer.ts'
import { withoutQuotations } from './not-quoted.ts'

/** What a person has one of at a time, so that a later statement takes the place of an earlier one. */
export type Slot = 'name' | 'home' | 'work' | 'birthday'

export interface Statement {
  readonly section: FactSection
  readonly slots: ReadonlySet<Slot>
  /** Beside these it says something that they do not cover. */
  readonly saysMore: boolean
  /** Where it begins in the sentence. */
  readonly at: number
}

type Pattern = readonly [section: 'profile' | 'preferences', slot: Slot | null, pattern: RegExp]

/** Each with a space before it. */
const ADVERBS =
  '(?: (?:really|absolutely|still|also|now|currently|always|just|do|actually|totally|usually|mostly|generally|personally|honestly|even|both|only|much|kind of))*'
const I = `(?<![\\p{L}'-])i${ADVERBS}`
const I_AM = `(?<![\\p{L}'-])(?:i'm|im|i am)${ADVERBS}`
const JOBS =
  'accountant|actor|actress|analyst|architect|artist|assistant|attorney|author|baker|banker|barista|bartender|biologist|bookkeeper|builder|butcher|carpenter|cashier|chef|chemist|cleaner|coach|composer|consultant|contractor|cook|dentist|designer|dev|developer|director|doctor|driver|economist|editor|electrician|engineer|farmer|firefighter|freelancer|gardener|geologist|hairdresser|historian|journalist|judge|lawyer|lecturer|librarian|magician|manager|mathematician|mechanic|midwife|musician|nurse|nutritionist|officer|optician|painter|paramedic|pharmacist|photographer|physicist|physician|physiotherapist|pilot|plumber|police officer|postdoc|producer|professor|programmer|psychiatrist|psychologist|realtor|receptionist|recruiter|researcher|salesperson|scientist|secretary|singer|social worker|soldier|student|surgeon|surveyor|tailor|teacher|technician|therapist|trader|trainer|translator|tutor|vet|veterinarian|waiter|waitress|welder|writer'
/** What stands before a job; with others of its kind it is praise, or somebody else's job. */
const MODIFIERS =
  '(?:(?!(?:good|bad|great|terrible|horrible|decent|lousy|better|worse|poor|fan|friend|of|my|the|your|for|with|to|like|than) )[\\p{L}-]{1,20} ){0,3}'
const HAN_JOBS =
  '医生|醫生|护士|律师|老师|教师|教授|工程师|程序员|设计师|会计|会计师|学生|研究生|博士生|大学生|司机|厨师|记者|作家|画家|翻译|警察|军人|经理|产品经理|项目经理|销售|顾问|公务员|演员|歌手|摄影师|药剂师|建筑师|分析师|研究员|科学家|导游|店主|农民|工人|理发师|健身教练|教练|牙医|兽医|编辑|老板|创业者|自由职业者|前端|后端|运营'
const FAMILY =
  'wife|husband|partner|spouse|girlfriend|boyfriend|fiancée?|son|daughter|kids?|child|children|baby|mother|father|mom|mum|dad|sister|brother|grandmother|grandfather|grandma|grandpa|dogs?|cats?|puppy|kitten|horse|parrot|rabbit'
const HAN_FAMILY =
  '老婆|老公|妻子|丈夫|太太|先生|爱人|女朋友|男朋友|儿子|女儿|孩子|妈妈|爸爸|母亲|父亲|姐姐|妹妹|哥哥|弟弟|爷爷|奶奶|外公|外婆|狗|猫'
const MONTH = 'january|february|march|april|may|june|july|august|september|october|november|december'
/** What somebody likes for the moment, or in the person whom they talk to. */
const PASSING =
  '(?:it|its|that|this|these|those|them|you|your|yours|u|him|her|how|what|where|to (?:say|ask|see|hear|know|think|bother|interrupt|admit|be)|the (?:idea|sound|look|way|first|second|third|last|other|former|latter|\\p{L}+ one|one)|not to|both|either|all of)(?![\\p{L}])'

const PATTERNS: readonly Pattern[] = [
  [
    'profile',
    'name',
    /(?<![\p{L}'-])my (?:full |real |first |last |nick)?name(?:'s| is) (?!(?:on|in|at|not|also|missing|spelled|there|wrong)(?!\p{L}))\S/iu,
  ],
  ['profile', 'name', /(?<!\p{L})I go by \p{Lu}/u],
  ['profile', 'name', /我(?:的)?(?:名字|全名)(?:是|叫)[^，。！？,.!?\s]/],
  [
    'profile',
    'name',
    /(?<![对给跟帮把])我叫(?:做)?(?![他她它你您人车車了不什个個大过過醒一外])[^，。！？,.!?\s]/,
  ],
  [
    'profile',
    'name',
    /(?:^|[，。！,.!\s]|可以|请|就|都|大家|以后)叫我(?![去来做吃起别不回给把帮过开写买等走说看一干])[^，。！？,.!?\s]{1,8}(?=[，。！,.!\s]|$)/,
  ],
  [
    'profile',
    'home',
    new RegExp(`${I} live in (?!(?:an?|fear|hope|peace|the moment|the past|denial)(?!\\p{L}))\\S`, 'iu'),
  ],
  // Where exactly, and how: that may hold beside the town.
  [
    'profile',
    null,
    new RegExp(
      `${I} live (?:in an? (?!bubble|dream)|at |on |near |close to |outside |just outside |by |with |alone|together)`,
      'iu',
    ),
  ],
  [
    'profile',
    null,
    /(?<!\p{L})[Ii](?:'ve| have)?(?: just| recently| finally)? moved (?:back )?(?:from \p{Lu}\S{0,30} )?to (?:the )?\p{Lu}/u,
  ],
  ['profile', 'home', /我(?:现在|目前|一直|还|就){0,2}住在(?![这那哪])[^，。！？,.!?\s]/],
  ['profile', 'home', /我家(?:就)?(?:住)?在(?![这那哪装搬])[^，。！？,.!?\s]/],
  [
    'profile',
    'home',
    /我(?![^，。]{0,8}[把将要想会])[^，。！？,.!?]{0,8}搬(?:家)?(?:到|去)了[^，。！？,.!?\s]/,
  ],
  [
    'profile',
    'work',
    new RegExp(
      `${I} work (?:at|as an?|as the|for|in) (?!(?:it|that|this|you|home|progress|free|fun|now|\\d+|the (?:morning|evening|afternoon|weekend)|an? (?:few|minute|hour|while|bit))(?!\\p{L}))\\S`,
      'iu',
    ),
  ],
  ['profile', null, new RegExp(`${I} work from home`, 'iu')],
  [
    'profile',
    'work',
    new RegExp(`${I_AM} an? ${MODIFIERS}(?:${JOBS})(?![\\p{L}'-])(?! of (?:mine|yours))`, 'iu'),
  ],
  [
    'profile',
    'work',
    /我(?:现在|目前)?在(?![^，。]{0,6}(?:努力|认真|拼命|加班|忙|想|找|看|等|聊|说|做|讨论|准备|安排))[^，。！？,.!?\s]{1,20}?(?:工作|上班|任职|实习)(?!的)/,
  ],
  [
    'profile',
    'work',
    new RegExp(
      `我(?:现在|目前)?是(?![他她你您])(?:一?[名个個位])?[^，。！？,.!?\\s他她你您不]{0,10}?(?:${HAN_JOBS})(?=[，。！,.!；;、\\s]|$)`,
    ),
  ],
  [
    'profile',
    'birthday',
    /(?<![\p{L}'-])my birthday(?:'s| is) (?!(?:not|over|coming|soon|party|almost|close)(?!\p{L}))\S/iu,
  ],
  ['profile', 'birthday', new RegExp(`${I} was born (?:on|in)(?= (?:the )?(?:\\d|${MONTH}))`, 'iu')],
  ['profile', null, new RegExp(`${I} was born in (?!(?:${MONTH})(?!\\p{L}))\\p{L}`, 'iu')],
  ['profile', 'birthday', /我的?生日[^，。！？,.!?]{0,8}[\d一二三四五六七八九十]/],
  ['profile', 'birthday', /我(?:是)?(?:出生[于在]|生于)?\d{2,4}年[^，。！？,.!?]{0,8}(?:出生|生的|生人)/],
  ['profile', 'birthday', /我(?:出生[于在]|生于)\d/],
  ['profile', null, /我出生[于在](?!\d)[^，。！？,.!?\s]/],
  ['profile', null, new RegExp(`${I_AM} \\d{1,3} ?(?:years? old|yo|y/o)(?!\\p{L})`, 'iu')],
  ['profile', null, /我(?:今年)?\d{1,3}岁/],
  [
    'profile',
    null,
    new RegExp(`${I_AM}(?: (?!not |never )\\p{L}{1,12})? (?:allergic|intolerant) to \\S`, 'iu'),
  ],
  [
    'profile',
    null,
    new RegExp(
      `${I_AM}(?: an?)?(?: strict)? (?:vegan|vegetarian|pescatarian|diabetic|deaf|blind|colou?r[ -]?blind|left-handed|coeliac|celiac|dyslexic|(?:lactose|gluten)[ -]intolerant)(?!\\p{L})`,
      'iu',
    ),
  ],
  [
    'profile',
    null,
    /(?<![\p{L}'-])(?:i have|i've got)(?: an?)?(?: [\p{L}-]{1,20}){0,2} (?:allergy|allergies|intolerance|diabetes|asthma|epilepsy)(?!\p{L})/iu,
  ],
  ['profile', null, /我对[^，。！？,.!?]{1,15}(?<![不没])过敏/],
  ['profile', null, /我(?:有|患有)(?:[^，。！？,.!?]{0,6})(?:糖尿病|哮喘|高血压|心脏病|乳糖不耐)/],
  ['profile', null, /我(?:一直|现在|是)?(?:吃素|素食)/],
  [
    'profile',
    null,
    new RegExp(
      `(?<!\\p{L})[Mm]y (?:\\p{Ll}{1,12} ){0,2}(?:${FAMILY})(?:'s name(?:'s| is) \\S|(?:'s| is| are) (?:called |named |an? (?!bit |little |lot |few )|\\d|allergic |vegan|vegetarian|from |born |\\p{Lu}))`,
      'u',
    ),
  ],
  [
    'profile',
    null,
    new RegExp(
      `${I} have (?:an?|one|two|three|four|five|\\d) (?:[\\p{L}-]{1,15} ){0,2}(?:sons?|daughters?|kids?|children|dogs?|cats?|brothers?|sisters?)(?!\\p{L})`,
      'iu',
    ),
  ],
  [
    'profile',
    null,
    new RegExp(
      `我(?:的|家)?(?:大|小|二)?(?:${HAN_FAMILY})(?:的名字)?(?:是(?!不是|说|在)|叫(?!我|你|他|她|人|了|醒)|今年|对[^，。！？]{1,10}(?<!不)过敏)[^，。！？,.!?\\s]?`,
    ),
  ],
  ['profile', null, new RegExp(`我有[一两三四五\\d]{1,2}[个個只条匹](?:${HAN_FAMILY})`)],
  [
    'preferences',
    null,
    new RegExp(
      `${I} (?:like|love|prefer|hate|dislike|adore|enjoy|can't stand|cannot stand|can't eat|cannot eat|don't eat|do not eat|don't drink|do not drink|don't like|do not like|never eat|never drink) (?!${PASSING})\\S`,
      'iu',
    ),
  ],
  ['preferences', null, /(?<![\p{L}'-])my (?:all-time )?favou?rite (?:[\p{L}-]{1,20} ){1,3}(?:is|are) \S/iu],
  [
    'preferences',
    null,
    /我(?:也|很|最|特别|非常|更|一直|还是|比较|真的|都|超|挺|不|不太|不怎么|从来不|从小就|就|平时){0,4}(?:喜欢|喜歡|爱吃|爱喝|爱看|爱听|偏好|讨厌|討厭|受不了|不吃|不能吃|不喝)(?![你他她它这這那您吗嗎什])[^，。！？,.!?\s]/,
  ],
]

/** A thought, somebody else's words, or a task for the bot: what it says of its speaker need not be so. */
const NOT_MEANT =
  /(?<!\p{L})(?:if|unless|suppose|supposing|imagine|pretend|assuming|wish|hypothetically|let's say|as though)(?!\p{L})|(?<!\p{L})(?:said|says|told|thinks?|thought|believes?|claims?|claimed|asked|wrote|heard)(?: me| you| us)?(?: that)? (?:i|i'm|my)(?!\p{L})|如果|要是|假如|假设|倘若|万一|的话|[说问](?:过)?我(?!们)|以为我|认为我/iu
const TASK =
  /^\s*(?:(?:please|can you|could you) )?(?:write|translate|say|repeat|draft|compose|rewrite|correct|fix|summari[sz]e|print|echo|act|roleplay|role-play)(?![\p{L},])|^\s*(?:请|帮我|麻烦)?(?:你)?(?:写|翻译|改写|润色|重复|假装|扮演|总结)/iu
const FIRST_PERSON = /(?<!\p{L})(?:i|i'm|im|my|me)(?!\p{L})|我/iu

/** What somebody says of themself in a sentence; `null`: nothing that lasts. */
export function findPersonal(sentence: string): Statement | null {
  const said = withoutQuotations(sentence)
  if (!FIRST_PERSON.test(said) || NOT_MEANT.test(said) || TASK.test(said)) return null
  return findStatement(said)
}

function findStatement(said: string): Statement | null {
  const slots = new Set<Slot>()
  let section: FactSection | null = null
  let saysMore = false
  let at = said.length
  const note = (start: number, ofSection: FactSection, slot: Slot | null) => {
    at = Math.min(at, start)
    if (section !== 'profile') section = ofSection
    if (slot === null) saysMore = true
    else slots.add(slot)
  }
  for (const [ofSection, slot, pattern] of PATTERNS) {
    const match = pattern.exec(said)
    if (match) note(match.index, ofSection, slot)
  }
  const calledSo = findCallMe(said)
  if (calledSo >= 0) note(calledSo, 'profile', 'name')
  return section && { section, slots, saysMore, at }
}

const CALL_ME =
  /(?<!(?:don't|do not|never|not|didn't|to|will|they|she|he) )(?<!\p{L})call me ["“'„]?([\p{L}_][\p{L}_'-]{0,40})(?: [\p{L}_][\p{L}_'-]{0,40})?["”'“]?(?=\s*(?:[.,!;)]|$)| please| instead| from now on| for short| and )/iu
/** What may stand behind "call me" and is no name. */
const NO_NAME = new Set(
  'back later now today tonight tomorrow asap when if at on in a an the after before anytime anyways crazy maybe then again please first soon once up out by sometime whenever monday tuesday wednesday thursday friday saturday sunday mad old-fashioned stupid lazy names out here there instead directly immediately early'.split(
    ' ',
  ),
)

function findCallMe(said: string): number {
  const match = CALL_ME.exec(said)
  return match && !NO_NAME.has(match[1]!.toLowerCase()) ? match.index : -1
}

/** How memories say it that are not in the words of their person: behind whom they speak of, or as a heading. */
const TOLD: readonly (readonly [slot: Slot, behindName: RegExp, alone: RegExp])[] = [
  [
    'name',
    /^(?:'s (?:full |first |last |nick)?name is| is (?:called|named)| goes by| (?:wants|likes|prefers|asked) to be called|的名字|叫)/i,
    /^(?:full |first )?name[:：]|^(?:姓名|名字|称呼)[:：]/i,
  ],
  [
    'home',
    /^(?: now| currently| still)* (?:lives?|resides?|is living|is based) (?:in|at|on|near|outside)|^(?:现在|目前)?(?:住在|居住在|家在)/i,
    /^(?:now )?lives? (?:in|at|near) |^(?:home|location|address|residence)[:：]|^(?:住址|居住地|住在|家在)/i,
  ],
  [
    'work',
    new RegExp(
      `^(?: now| currently)* (?:works?|is working) (?:at|as|for|in) |^ is an? ${MODIFIERS}(?:${JOBS})(?![\\p{L}'-])|^(?:现在|目前)?在[^，。]{1,20}(?:工作|上班|任职)|^是[^，。他她你]{0,10}(?:${HAN_JOBS})(?=[，。；;\\s]|$)`,
      'iu',
    ),
    /^works? (?:at|as|for|in) |^(?:job|occupation|profession|work)[:：]|^(?:职业|工作)[:：]/i,
  ],
  [
    'birthday',
    new RegExp(
      `^'s birthday|^ was born (?:on|in)(?= (?:the )?(?:\\d|${MONTH}))|^的?生日|^(?:是)?(?:出生[于在]|生于)\\d`,
      'iu',
    ),
    /^(?:birthday|date of birth|born)(?:[:：]| (?:on )?\d)|^(?:生日|出生日期)/i,
  ],
]

const NO_SLOTS: ReadonlySet<Slot> = new Set()

/** All that a line of a person's memory says of that person; none where it says more than these. */
export function slotsOf(line: string, name: string | null): ReadonlySet<Slot> {
  const text = undatedLine(line).replaceAll('’', "'")
  const own = findStatement(withoutQuotations(text))
  if (own !== null) return own.saysMore ? NO_SLOTS : own.slots
  const behind = behindName(text, name)
  return new Set(
    TOLD.flatMap(([slot, behindSomebody, alone]) =>
      (behind !== null && behindSomebody.test(behind)) || alone.test(text) ? slot : [],
    ),
  )
}

/** `null`: the line speaks of nobody, or of somebody else. */
function behindName(text: string, name: string | null): string | null {
  const names = ['the user', 'user', '用户', ...(name ? [name, name.split(' ')[0]!] : [])].filter(Boolean)
  const lower = text.toLowerCase()
  for (const each of names.toSorted((left, right) => right.length - left.length)) {
    const rest = text.slice(each.length)
    if (lower.startsWith(each.toLowerCase()) && !/^[[\p{L}\p{N}]--\p{sc=Han}]/v.test(rest)) return rest
  }
  return null
}
