import { withoutQuotations } from './not-quoted.ts'

/** What the speaker says of themself, without the words before it that only lead there. */
export interface OwnClause {
  readonly text: string
  /** Where it begins in the sentence. */
  readonly at: number
  /** It begins without a person: it says more of the person in the clause before. */
  readonly goesOn: boolean
}

/** A sentence is read no further than this. */
const MAX_CHARACTERS = 2_000

/**
 * The clauses of a sentence in which the speaker speaks of themself and means it. There are none where
 * another person, a thing, a task or a thought opens the sentence: "I" may then be any person. A question
 * asks about what it says, but its clauses before the asking one are said.
 */
export function ownClauses(sentence: string, { isQuestion = false } = {}): readonly OwnClause[] {
  const said = withoutQuotations(sentence).slice(0, MAX_CHARACTERS)
  if (!FIRST_PERSON.test(said) || NOT_MEANT.test(said) || TEMPLATE.test(sentence)) return []
  const clauses = splitClauses(said)
  if (clauses.length === 0 || clauses[0]!.goesOn) return []
  if (!isQuestion) return clauses
  const asked = clauses.findIndex(({ text }) => ASKS.test(text))
  return asked < 0 ? [] : clauses.slice(0, asked)
}

/**
 * Words that open a question, also one without its mark. A mere "do I?" asks about what was said before it.
 */
const ASKS =
  /^(?:is|are|does|do|did|can|could|would|will|should|shall|what|where|which|when|how|who|why|any|anyone|anybody|got any)(?: (?!i$|i[ ?]|it\?)|$)|^(?:有没有|有沒有|有啥|有什么|能不能|能|可以|可不可以|哪|怎么|如何|请问|求|多少|该|要不要|是不是|会不会|适合)/iu

const FIRST_PERSON = /(?<!\p{L})(?:i|i'm|im|ive|i've|my|me|we|we've)(?!\p{L})|我/iu

/** A thought, a joke or another person's words: what they say of the speaker need not be so. */
const NOT_MEANT =
  /(?<!\p{L})(?:if|unless|suppose|supposing|imagine|pretend|assuming|wish|hypothetically|let's say|as though|who doesn't|dream(?:ed|t|ing)?|how (?:do|would|can|to) (?:you |i |we )?say|maybe|perhaps|apparently|supposedly|allegedly|sarcasm|said|says|according to|he claimed|she claimed|roleplay|role-play|in character|lyrics|riddle|lorem ipsum|test test)(?!\p{L})|(?<!\p{L})in (?:the|this|my|your|that|a)(?: \p{L}{1,12}){0,2} (?:game|story|dream|novel|movie|film|scenario|play|musical|show|series|sketch|exercise|example|text|campaign)(?!\p{L}| (?:industry|business|studio|company))|(?<!\p{L})(?:or so|is what)(?!\p{L})|(?<!\p{L})(?:do|don't|am|aren't|have|haven't) i(?: not)?[\s.!]*$|(?<!\p{L})(?:told|thinks?|thought|believes?|claims?|claimed|asked|wrote|heard)(?: me| you| us)?(?: that)? (?:i|i'm|my)(?!\p{L})|cannot lie(?!\p{L})|(?<!\p{L})your (?:account|appointment|booking|delivery|order|package|parcel|request|room|subscription|ticket)(?!\p{L})|\/s(?!\p{L})|🙃|🤡|🎵|🎶|♪|♫|如果|要是|假如|假设|假設|倘若|万一|的话|就好了|[说問问](?:过)?我(?!们)|以为我|认为我|梦[见到]|(?:游戏|剧本|小说|梦|歌|故事|电影)里|歌词|主角|扮演|谜语|测试测试|呵呵|据说|听说|可能|也许|好像|大概|说不定/iu

/** Gaps to fill in: the sentence is a template. */
const TEMPLATE = /[[{<][\p{L}_ ]{0,20}[\]}>]|_{2,}|xxx/iu

/** The end of a clause: a mark between two clauses, or the space before a word that joins another one. */
const CLAUSE_END =
  /[,;，；、—–…]+|\s[-–]\s|[.!。！?？]+(?=\s|$|\p{sc=Han})|[:：](?=\s|\p{sc=Han})|\s(?=(?:and|but|so|because|cause|cuz|bc|since|though|while|plus) (?:i|i'm|i've|im|ive|my|we|also|now)(?!\p{L}))|\s(?=and (?:work|live|have|love|like|hate|prefer|speak) )/giu

/** The speaker begins here, or a thing that is the speaker's. */
const OPENS_SELF =
  /^(?:i|i'm|i've|im|ive|my|we|we've|we're|(?:(?:you can|u can|everyone can|just|feel free to) )?call me|name(?:'s| is))(?!\p{L})|^我|^(?:可以|请|就|都|大家|你们|你|也|可|直接){0,3}(?:叫|称呼|喊)我/iu
/** Words that only lead to what is said, and say nothing of the speaker. */
const LEADS =
  /^(?:(?:hi|hey|hello|hiya|yo|hallo|dear|good (?:morning|evening|afternoon)|morning|evening)(?: (?:there|all|everyone|everybody|together|team|guys|folks|bot|again|\p{Lu}\p{L}{1,20}))?|@\S{1,40}|btw|by the way|fyi|ps|nb|well|so|and|but|also|plus|because|cause|cuz|bc|since|though|while|actually|oh|ok|okay|ah|yes|yeah|yep|yup|no|nope|nah|sure|thanks|thank you|thx|sorry|please|pls|just so you know|for the record|for context|heads up|headsup|just a heads up|please note(?: that)?|note(?: that)?|(?:please )?remember(?: that)?|keep in mind(?: that)?|don't forget(?: that)?|lol|haha+|hehe|tbh|to be honest|honestly|personally|correct|right|true|in fact|as for me|about me|me|one thing|update|edit|correction|reminder|fun fact|info|decision|plan|todo|deadline|docs?|link|confession|unfortunately|sadly|luckily|finally|also just)(?![\p{L}'-])|^(?:大家好|你好|您好|你们好|嗨|哈喽|哈啰|早上好|晚上好|早|对了|對了|其实|其實|话说|说起来|顺便说一下|顺便说一句|顺便|另外|不过|不過|因为|因為|而且|还有|還有|但是|可是|但|所以|嗯+|哦|啊|哎|唉|是的|对|對|好的|好|不好意思|抱歉|谢谢|謝謝|补充一下|补充|注意|提醒一下|说明一下|先说一下|自我介绍一下|介绍一下|记住|请记住|记一下|帮我记一下|帮我记住|没错|老实说|说实话|坦白说|个人来说|更正|提醒|以后|那|哈哈+|呃|新人报到|报到|麻烦)/iu
const SPACE = /^(?:[\s,.!~，。！～\p{Extended_Pictographic}]|\u200d|\ufe0f)+/u

function splitClauses(said: string): OwnClause[] {
  const clauses: OwnClause[] = []
  let start = 0
  for (const mark of [...said.matchAll(CLAUSE_END), null]) {
    const end = mark?.index ?? said.length
    const text = withoutLeads(said.slice(start, end))
    if (text !== '') clauses.push({ text, at: end - text.length, goesOn: !OPENS_SELF.test(text) })
    if (mark === null) break
    // A colon leads to a text, a list or an example. Only behind words that merely lead does the speaker go
    // on.
    if (text !== '' && COLON.test(mark[0])) break
    start = end + mark[0].length
  }
  return clauses
}

const COLON = /^[:：]/

/** Whether words say nothing of their speaker, and only lead to what follows. */
export function isLead(words: string): boolean {
  return words.length < MAX_LEAD_CHARACTERS && withoutLeads(words) === ''
}

const MAX_LEAD_CHARACTERS = 60

function withoutLeads(clause: string): string {
  for (let text = clause.replace(SPACE, ''); ; ) {
    const rest = text.replace(LEADS, '').replace(SPACE, '')
    if (rest === text) return text
    text = rest
  }
}
