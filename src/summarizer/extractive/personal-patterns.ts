/** What a person has one of at a time, so that a later statement takes the place of an earlier one. */
export type Slot = 'name' | 'home' | 'work' | 'birthday'

/** The words in which people tell something of themselves. */
export interface PersonalPattern {
  readonly section: 'profile' | 'preferences'
  /** `null`: a person may have several of these. */
  readonly slot: Slot | null
  readonly pattern: RegExp
  /** Beside "today" and the like it may be so for the moment alone. */
  readonly mayPass: boolean
}

const lasting = (slot: Slot | null, pattern: RegExp): PersonalPattern => ({
  section: 'profile',
  slot,
  pattern,
  mayPass: false,
})
const passing = (slot: Slot | null, pattern: RegExp): PersonalPattern => ({
  ...lasting(slot, pattern),
  mayPass: true,
})
const preference = (pattern: RegExp): PersonalPattern => ({
  section: 'preferences',
  slot: null,
  pattern,
  mayPass: true,
})

/** Each with a space before it. */
const ADVERBS =
  '(?: (?:really|absolutely|still|also|now|currently|always|just|do|actually|totally|usually|mostly|generally|personally|honestly|even|both|only|much|kind of|originally))*'
export const I = `(?<![\\p{L}'-])i${ADVERBS}`
export const I_AM = `(?<![\\p{L}'-])(?:i'm|im|i am)${ADVERBS}`
const JOBS =
  'accountant|actor|actress|analyst|architect|artist|assistant|attorney|author|baker|banker|barista|bartender|biologist|bookkeeper|builder|butcher|carpenter|cashier|chef|chemist|cleaner|coach|composer|consultant|contractor|cook|dentist|designer|dev|developer|director|doctor|driver|economist|editor|electrician|engineer|farmer|firefighter|freelancer|gardener|geologist|hairdresser|historian|journalist|judge|lawyer|lecturer|librarian|magician|manager|mathematician|mechanic|midwife|musician|nurse|nutritionist|officer|optician|painter|paramedic|pharmacist|photographer|physicist|physician|physiotherapist|pilot|plumber|police officer|postdoc|producer|professor|programmer|psychiatrist|psychologist|realtor|receptionist|recruiter|researcher|salesperson|scientist|secretary|singer|social worker|soldier|student|surgeon|surveyor|tailor|teacher|technician|therapist|trader|trainer|translator|tutor|vet|veterinarian|waiter|waitress|welder|writer'
/** What stands before a job; with others of its kind it is praise, or somebody else's job. */
const MODIFIERS =
  '(?:(?!(?:good|bad|great|terrible|horrible|decent|lousy|better|worse|poor|fan|friend|of|my|the|your|for|with|to|like|than) )[\\p{L}-]{1,20} ){0,3}'
export const A_JOB = `an? ${MODIFIERS}(?:${JOBS})(?![\\p{L}'-])`
export const HAN_JOBS =
  '医生|醫生|护士|律师|老师|教师|教授|工程师|程序员|设计师|会计|会计师|学生|研究生|博士生|大学生|司机|厨师|记者|作家|画家|翻译|警察|军人|经理|产品经理|项目经理|销售|顾问|公务员|演员|歌手|摄影师|药剂师|建筑师|分析师|研究员|科学家|导游|店主|农民|工人|理发师|健身教练|教练|牙医|兽医|编辑|老板|创业者|自由职业者|前端|后端|运营|空姐|空乘|保安|保姆|快递员|外卖员'
const KIN =
  'wife|husband|partner|spouse|girlfriend|boyfriend|fiancée?|son|daughter|kids?|child|children|baby|twins|mother|father|mom|mum|dad|sister|brother|grandmother|grandfather|grandma|grandpa'
const FAMILY = `${KIN}|dogs?|cats?|puppy|kitten|horse|parrot|rabbit`
const HAN_ANIMALS = '狗|猫|兔子|鹦鹉|仓鼠'
const HAN_FAMILY = `老婆|老公|妻子|丈夫|太太|先生|爱人|女朋友|男朋友|儿子|女儿|孩子|妈妈|爸爸|母亲|父亲|姐姐|妹妹|哥哥|弟弟|爷爷|奶奶|外公|外婆|${HAN_ANIMALS}`
export const MONTH = 'january|february|march|april|may|june|july|august|september|october|november|december'
const LANGUAGES =
  'arabic|bengali|chinese|mandarin|cantonese|czech|danish|dutch|english|estonian|farsi|finnish|french|german|greek|hebrew|hindi|hungarian|italian|japanese|korean|norwegian|polish|portuguese|romanian|russian|spanish|swedish|thai|turkish|ukrainian|urdu|vietnamese'
export const DIETS =
  'vegan|vegetarian|pescatarian|diabetic|deaf|blind|colou?r[ -]?blind|left-handed|coeliac|celiac|dyslexic|(?:lactose|gluten)[ -]intolerant'
const NUMBERS = 'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
/** Behind what somebody has or is: the thought ends there, or goes on about it. */
const ENDS =
  '(?=\\s*(?:[.,!;:)…]|$|\\p{Extended_Pictographic})| (?:and|but|who|that|called|named|too|so|with|at|in|from|aged|both|now|as well|by the way|btw)(?!\\p{L}))'
const HAN_ENDS = '(?=[，。！,.!；;、\\s]|$)'

/** What people move to that is no place: their tools, and what comes next. */
const NO_TOWN =
  '(?:TypeScript|JavaScript|Python|Rust|Go|Java|Kotlin|React|Vue|Postgres|PostgreSQL|SQLite|MySQL|AWS|Azure|Docker|Kubernetes|Slack|Teams|Discord|Telegram|WhatsApp|Signal|Zoom|Gmail|Outlook|Notion|Figma|GitHub|GitLab|Linux|Ubuntu|Windows|Android|Chrome|Firefox|Plan|Phase|Step|Part|Chapter|Level|Version|Option|Next|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)(?!\\p{L})'
const A_TOWN = `to (?:the )?(?!${NO_TOWN})\\p{Lu}`
/** Where a colleague is from. */
const DEPARTMENTS =
  '(?:HR|IT|PR|QA|Sales|Support|Accounting|Accounts|Finance|Marketing|Legal|Engineering|Mars|Venus)(?!\\p{L})'

/** What somebody likes for the moment, or in the person whom they talk to. */
const PASSING =
  '(?:it|its|that|this|these|those|them|you|your|yours|u|him|her|how|what|where|when(?! people| someone)|(?:option|version|variant|plan|choice|number|draft|design) \\p{L}{1,2}(?!\\p{L})|to (?:say|ask|see|hear|know|think|bother|break|interrupt|admit|be(?! called))|the (?:idea|sound|look|way|fact|first|second|third|last|other|former|latter|\\p{L}+ one|one)|not to|both|either|all of)(?![\\p{L}])'
/** What nobody is allergic to, and everybody says. */
const NO_ALLERGEN =
  '(?:this|that|these|those|you|him|her|it|them|mondays?|work(?:ing)?|meetings?|people|bullshit|bs|nonsense|stupid(?:ity)?|drama|mornings?|money|fun|losing|exercise|anything|nothing|small talk|stress|advice|commitment|politics|paperwork|homework|effort|your|(?:[\\p{L}]+ ){1,2}(?:meetings?|jokes?|code|mondays?|mornings?|excuses))(?!\\p{L})'
/** What somebody does not eat now is no matter of taste. */
const NOT_NOW =
  '(?:until|till|before|after|while|here|now|yet|up|still|around|and|at|much|enough|anything|lunch|dinner|breakfast|all)(?!\\p{L})'
/** Of several that lie there. */
const HAN_CHOICE =
  '[^，。！？,.!?]{0,6}那[个款件首条种双台部张]|第|上面|下面|左|右|前面|后面|刚才|刚刚|方案|选项|版本|归|是喜欢|[A-Da-d](?![A-Za-z])'

/** To a place, not a thing to another corner. */
const HAN_MOVED =
  '我(?:们)?(?![^，。]{0,8}[把将要想会打])[^，。！？,.!?]{0,8}搬(?:家)?(?:到|去)(?![^，。！？]{0,8}(?:沙发|阳台|客厅|房间|楼|桌|车上|屋|里|边|外面|线上|服务器|工位|会议))'

const u = (source: string, flags = 'iu') => new RegExp(source, flags)

const NAMES: readonly PersonalPattern[] = [
  lasting(
    'name',
    /(?<![\p{L}'-])my (?:full |real |first |last |nick)?name(?:'s| is) (?!(?:on|in|at|not|also|still|always|being|never|already|all over|everywhere|nowhere|missing|gone|mis\p{L}+|spelled|spelt|there|wrong|incorrect|taken|listed|mentioned|mud)(?!\p{L}))\S/iu,
  ),
  lasting('name', /^\s*(?:hi|hey|hello)?[,! ]*[Nn]ame(?:'s| is) \p{Lu}/u),
  lasting('name', /(?<!\p{L})I go by \p{Lu}/u),
  lasting('name', /我(?:的)?(?:名字|全名)(?:是|叫)(?![错对不没谁写拼被]|什么|怎么|随便)[^，。！？,.!?\s]/),
  // Who is called, and for what, is said behind it: a name has none of these.
  lasting(
    'name',
    /(?<![对给跟帮把说])我叫(?:做)?(?![他她它你您我人车車了不什个個大过過醒一外上的])(?![^，。！？,.!?\s]{0,8}(?:了|的|过来|出来|起床|回家|吃饭|帮|送|外卖|快递|[去来](?:接|拿|取|找|看|修|吃|做)|明天|后天|今天|一起|服务员|救护|滴滴|保洁|师傅|物业|警察|代驾|[^，。！？,.!?\s]车|妈妈|爸爸|同事|朋友|室友|孩子))[^，。！？,.!?\s]/,
  ),
  lasting(
    'name',
    /(?:^|[，。！,.!\s]|可以|请|就|都|大家|以后)叫我(?![去来做吃起别不回给把帮过开写买等走说看一干快滚赶站坐停闭记试再拿找填交洗睡准]|早点|加班|马上|先(?!生)|学(?![长姐妹弟霸]))[^，。！？,.!?\s]{1,8}(?=[，。！,.!\s]|$)/,
  ),
]

const HOME: readonly PersonalPattern[] = [
  passing(
    'home',
    u(
      `${I} live in (?!(?:an?|fear|hope|peace|dread|terror|chaos|harmony|constant|perpetual|the (?:hope|future|present|dark|shadows?|moment|past|wrong)|my (?:own|head|car|inbox)|the office|the library|the gym|denial)(?!\\p{L}))\\S`,
    ),
  ),
  // Where exactly, and how: that may hold beside the town.
  passing(
    null,
    u(
      `${I} live (?:in an? (?!bubble|dream)|at |on (?!coffee|caffeine|noodles|takeaway|takeout)|near (?!the edge)|close to |outside (?!the box)|just outside |by (?!the (?:clock|book|sword)|(?:this|that|these|those|my|one|two|an?|some) (?:[\\p{L}-]+ )?(?:rules?|principles?|values|motto|calendar|schedule)(?!\\p{L}))|with (?!(?:that|this|it|regrets?|guilt|the (?:consequences|fact|guilt|pain|knowledge|decision))(?!\\p{L}))|alone|together)`,
    ),
  ),
  lasting(
    'home',
    u(
      `(?<!\\p{L})[Ii](?:'ve| have| just|'ve just| have just| recently| finally)+ moved (?:back )?(?:from \\p{Lu}\\S{0,30} )?${A_TOWN}`,
      'u',
    ),
  ),
  lasting(null, u(`(?<!\\p{L})[Ii] moved (?:back )?(?:from \\p{Lu}\\S{0,30} )?${A_TOWN}`, 'u')),
  lasting(null, u(`(?<!\\p{L})[Ii](?:'m| am) (?:originally )?from (?!${DEPARTMENTS})\\p{Lu}`, 'u')),
  passing(
    'home',
    /我(?:现在|目前|一直|还|就){0,2}住在(?![这那哪])(?![^，。！？]{0,10}(?:凑合|将就|借住|一晚|[几两]天))[^，。！？,.!?\s](?![^，。！？,.!?]{0,12}了(?:[，。！,.!\s]|$))/,
  ),
  passing(
    'home',
    u(
      `我(?:现在|目前|一直|就){0,2}住(?![在院校这那哪一得不的下进着])(?![^，。！？]{0,8}(?:酒店|宾馆|旅馆|医院|朋友|同学|同事|亲戚|晚|[一两三几\\d]天|了))\\p{sc=Han}{2,10}${HAN_ENDS}`,
    ),
  ),
  passing(
    'home',
    u(
      `我(?:老)?家(?:就)?(?:住)?在(?![这那哪装搬放看吃开修打做办吵闹着等漏聚搞]|下[雨雪]|网上|停[电水])(?![^，。！？]{0,10}(?:装修|装|吵|停|开会|搬))[^，。！？,.!?\\s]{1,14}${HAN_ENDS}`,
    ),
  ),
  lasting('home', u(`${HAN_MOVED}了[^，。！？,.!?\\s]{2,10}${HAN_ENDS}`)),
  lasting('home', u(`${HAN_MOVED}[^，。！？,.!?\\s了]{2,10}了${HAN_ENDS}`)),
]

const WORK: readonly PersonalPattern[] = [
  passing(
    'work',
    u(
      `${I} work (?:at|as an?|as the|for|in) (?!(?:it|that|this|you|home|progress|free|fun|food|peanuts|mysterious|strange|silence|the dark|now|\\d+|nights?(?! as (?:an?|the) )|hours|days|shifts|pairs|sprints|(?:short )?bursts|the (?:mornings?|evenings?|afternoons?|weekends?|nights?)|an? (?:few|minute|hour|while|bit|(?:[\\p{L}-]+ )?team))(?!\\p{L}))\\S`,
    ),
  ),
  passing(null, u(`${I} work from home`)),
  passing(null, u(`我(?:现在|目前|平时|一直|都|也){0,2}在家里?(?:工作|上班|办公)${HAN_ENDS}`)),
  passing(
    'work',
    u(`${I_AM} ${A_JOB}(?! of (?:mine|yours|life|character))(?! at heart)(?! (?:down|short)(?!\\p{L}))`),
  ),
  lasting('work', u(`(?<![\\p{L}'-])i(?:'ve| have) been ${A_JOB}(?= for| since|[.,!]|$)`)),
  lasting('work', u(`${I} teach [\\p{L} ]{3,30} (?:at|in) an? `)),
  lasting(
    'work',
    u(
      `${I} (?:run|own) (?:an?|my own) (?:[\\p{L}-]{1,15} ){0,2}(?:shop|bookshop|company|business|bakery|restaurant|café|cafe|bar|studio|farm|startup|agency|practice|hotel|workshop)(?![\\p{L}-]| (?:case|chart|session|meeting|plan|trip|account|card)(?!\\p{L}))`,
    ),
  ),
  passing(
    'work',
    u(
      `我(?:现在|目前)?在(?![^，。]{0,6}(?:努力|认真|拼命|加班|忙|想|找|看|等|聊|说|做|讨论|准备|安排)|家里?(?:工作|上班))[^，。！？,.!?\\s]{1,20}?(?:工作|上班|任职|实习|读研|读博|上学)(?=[，。！,.!；;、\\s\\d已多快]|$)`,
    ),
  ),
  passing(
    'work',
    u(`我(?:现在|目前)?在[^，。！？,.!?\\s]{1,10}[做当](?:${HAN_JOBS}|生意|外贸|金融|设计|开发)${HAN_ENDS}`),
  ),
  passing(
    'work',
    u(
      `我(?:现在|目前)?是(?![他她你您来去想要说帮替跟问听为看找给被因让请陪]|打工人|和(?!睦)|刚[看见找问])(?:一?[名个個位])?[^，。！？,.!?\\s他她你您不]{0,10}?(?:${HAN_JOBS})${HAN_ENDS}`,
    ),
  ),
]

const BIRTH: readonly PersonalPattern[] = [
  lasting(
    'birthday',
    /(?<![\p{L}'-])my birthday(?:'s| is) (?!(?:not|over|coming|soon|party|almost|close|cancell?ed|ruined|(?:next|this) (?:week|month|weekend)|always|still|never)(?!\p{L}))\S/iu,
  ),
  lasting('birthday', u(`${I} was born (?:on|in)(?= (?:the )?(?:\\d|${MONTH}))`)),
  lasting(null, u(`${I} was born in (?!(?:${MONTH}|the (?:wrong|right))(?!\\p{L}))\\p{L}`)),
  lasting(
    'birthday',
    /我的?生日(?![那前后花收还过请用])[^，。！？,.!?]{0,8}(?:[\d一二三四五六七八九十]{1,4} ?[年月号日./-]|(?<=[是:：] ?)\d{4})/,
  ),
  lasting('birthday', /我(?:是)?(?:出生[于在]|生于)?\d{2,4}年[^，。！？,.!?]{0,8}(?:出生|生的|生人)/),
  lasting('birthday', /我(?:出生[于在]|生于)\d/),
  lasting(null, /我出生[于在](?!\d)[^，。！？,.!?\s]/),
  lasting(null, u(`${I_AM} \\d{1,3} ?(?:years? old|yo|y/o)(?!\\p{L})`)),
  lasting(null, u(`${I_AM} (?:1[3-9]|[2-9]\\d)(?= and (?:in|live|study|work|still|single)|, |\\.?$)`)),
  lasting(null, /我(?:今年)?\d{1,3}岁(?!的时候|那[年天时]|[就时前后]|生日|以前|之前|之后|的侄)/),
  lasting(
    null,
    u(
      `我是(?:土生土长的|地道的)?(?!.{0,2}(?:好|坏|大|男|女|本|机器|什么|哪里|负责|主持))(?!(?:过来|当事|联系|中间|自己|局外|局内|申请|普通|成年|未成年|收件|寄件|打工|介绍|监护|年轻|中年|老年|老实|明白|聪明|正常|现代|外地|候选|发起|委托|投保|借款|担保|旁观|内部|圈内|圈外|有心|可怜|同路|陌生|经纪|继承|接班|单身|透明|外星|地球)人)\\p{sc=Han}{2,3}人${HAN_ENDS}`,
    ),
  ),
]

const HEALTH: readonly PersonalPattern[] = [
  lasting(
    null,
    u(`${I_AM}(?: (?!not |never )\\p{L}{1,12})? (?:allergic|intolerant) to (?!${NO_ALLERGEN})\\S`),
  ),
  passing(
    null,
    u(
      `${I_AM}(?: an?)?(?: strict)? (?:${DIETS})(?!\\p{L}| (?:to|without|for (?:january|lent|an? (?:day|week|month)))(?!\\p{L}))`,
    ),
  ),
  lasting(
    null,
    /(?<![\p{L}'-])(?:i have|i've got|i've had)(?: an?)?(?: [\p{L}\d-]{1,20}){0,2} (?:allergy|allergies|intolerance|diabetes|asthma|epilepsy|celiac|coeliac)(?!\p{L}| (?:questions?|tests?|appointment|season|warnings?|pills?|meds)(?!\p{L}))/iu,
  ),
  lasting(null, u(`${I} was diagnosed with (?!(?:that|this|it)(?!\\p{L}))\\S`)),
  lasting(
    null,
    u(
      `${I_AM} (?:in a wheelchair|pregnant|married|divorced|engaged(?! (?:in|with))|retired|a (?:widower|widow|single (?:mom|mum|dad|mother|father|parent)))(?! to (?:this|the|my (?:job|work|career)))`,
    ),
  ),
  lasting(
    null,
    /我对(?![他她你您它这那]|[早晚]起|加班|.{0,6}(?:方案|工作|上班|周一|开会|老板|加班|这种|价格))[^，。！？,.!?]{1,15}(?<![不没]|没有|并不)过敏/,
  ),
  lasting(null, /我(?:有|患有)(?:[^，。！？,.!?]{0,6})(?:糖尿病|哮喘|高血压|心脏病|乳糖不耐)/),
  passing(null, /我(?:一直|现在|是)?(?:吃素|素食)(?!了)/),
  lasting(null, u(`我是(?:左撇子|独生子女|单亲妈妈|单亲爸爸|素食者|色盲)`)),
  lasting(null, u(`我(?:们)?(?:已经|刚|去年|上个月|今年)?(?:结婚|怀孕|退休|毕业)了${HAN_ENDS}`)),
  lasting(null, u(`我不会(?:开车|游泳|做饭|说英语|骑车)${HAN_ENDS}`)),
]

const KINSHIP: readonly PersonalPattern[] = [
  lasting(
    null,
    u(
      `(?<!\\p{L})[Mm]y (?:\\p{Ll}{1,12} ){0,2}(?:${FAMILY})(?:'s name(?:'s| is) \\S|(?:'s| is| are) (?:called |named |${A_JOB}|(?:\\d{1,2}|${NUMBERS})(?= and |[.,!]| years?|$)|(?!\\d+ (?:min(?:ute)?s?|hours?|days?|weeks?|blocks?|miles?|km)(?!\\p{L}))\\d|allergic |vegan|vegetarian|from |born |\\p{Lu}))`,
      'u',
    ),
  ),
  lasting(
    null,
    u(
      `${I} have (?:an?|one|${NUMBERS}|\\d) (?:[\\p{L}-]{1,15} ){0,2}(?:sons?|daughters?|kids?|children|dogs?|cats?|brothers?|sisters?)${ENDS}`,
    ),
  ),
  lasting(
    null,
    u(
      `我(?:的|家)?(?:大|小|二)?(?:${HAN_FAMILY})(?:的名字是|叫(?!我|你|他|她|人|了|醒|救护|不|快递|外卖|车|[^，。！？]{0,4}[去来](?:接|拿|吃|买))[^，。！？,.!?\\s]{1,8}${HAN_ENDS}|是[^，。！？,.!?\\s]{0,10}(?:${HAN_JOBS}|人|员|师|病人)${HAN_ENDS}|今年(?:\\d|[一二三四五六七八九十]|上|读|刚满)|对[^，。！？]{1,10}(?<!不|没有)过敏|在[^，。！？,.!?\\s]{1,10}(?:工作|上班|读书|上学|读大学)${HAN_ENDS})`,
    ),
  ),
  lasting(
    null,
    u(`我(?:家)?(?:有|养了)[一两三四五\\d]{1,2}[个個只条匹](?:${HAN_FAMILY})(?=[，。！,.!；;、\\s和]|$)`),
  ),
  lasting(null, u(`${I} speak (?:fluent |some |a bit of |a little )?(?:${LANGUAGES})(?!\\p{L})`)),
]

const LIKES: readonly PersonalPattern[] = [
  preference(
    u(
      `${I} (?:like|love|prefer|hate|dislike|adore|enjoy|can't stand|cannot stand|can't eat|cannot eat|don't eat|do not eat|don't drink|do not drink|don't like|do not like|never eat|never drink) (?!${PASSING})(?!(?<=(?:stand|eat|drink) )${NOT_NOW})\\S`,
    ),
  ),
  preference(
    /(?<![\p{L}'-])my (?:all-time )?favou?rite (?!(?:part|bit|thing|moment|one|line|scene|comment|message|episode)(?!\p{L}))(?:[\p{L}-]{1,20} ){1,3}(?:is|are) \S/iu,
  ),
  preference(u(`${I_AM} not (?:really )?an? (?:big |huge )?fan of (?!${PASSING})\\S`)),
  preference(
    u(
      `${I_AM} (?:not )?(?:more of )?an? (?:morning|night|early|evening|dog|cat|coffee|tea|beach) (?:person|owl|drinker)(?!\\p{L})`,
    ),
  ),
  preference(
    u(
      `我(?:也|很|最|特别|非常|更|一直|还是|比较|真的|都|超|挺|不|不太|不怎么|从来不|从小就|就|平时){0,4}(?:喜欢|喜歡|爱吃(?!不)|爱喝(?!不)|爱看|爱听|偏好|讨厌|討厭|受不了|吃不了|不吃|不能吃|不喝)(?!眼前亏|亏|这[套一]|[你他她它这这那您吗嗎什了完]|${HAN_CHOICE})(?![^，。！？,.!?]{0,8}了(?:[，。！,.!\\s]|$))[^，。！？,.!?\\s]`,
    ),
  ),
  preference(u(`我(?:也|很|最|特别|比较|从小){0,2}怕(?:吵|冷|热|辣|黑|狗|高)${HAN_ENDS}`)),
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
