import { isAssent } from './assent.ts'
import { takesBack } from './taken-back.ts'
import { findValues, isMisspelled, mayReplace, type Value, valueKey } from './values.ts'

/**
 * What in a range was corrected or changed later in the same range, so that it is told as it stands at the
 * end. A value is replaced in its place if its own speaker replaced it, in words that leave no doubt. Where
 * there is a doubt, or where another person said it, the earlier statement is only told together with the
 * later one.
 */

/** What the search for corrections reads of a sentence. */
export interface Told {
  /** Index of the message. */
  readonly message: number
  readonly person: string
  readonly text: string
  readonly terms: readonly number[]
  readonly asks: boolean
  /** The items in a bot's list are much alike, and all of them hold. */
  readonly isPerson: boolean
  /** Index of the message that it answers. */
  readonly repliesTo: number | null
}

export interface Correction {
  /**
   * Index of the sentence that holds no more. `later`: index of the sentence that took its place; `null`: the
   * earlier one was taken back.
   */
  readonly earlier: number
  readonly later: number | null
  readonly old: Value | null
  readonly new: Value | null
  /**
   * The later value may be written into the earlier sentence: the same person said both, and left no doubt.
   */
  readonly isPlain: boolean
  /** The earlier sentence holds no more. `false`: a person has only said so. */
  readonly isSure: boolean
  /** The later sentence says nothing but the value. */
  readonly isBare: boolean
}

const STRONG =
  /(?<!\p{L})(?:typo|i meant|i mean(?=[ ,:])|correction|corrected|mis(?:typed|read|spelled|spelt|counted|heard)|scratch that|make that|wrong (?:number|one|day|date|time|code|digits?|price|amount|address|link)|should be|should have been|edit:|vertippt|tippfehler|ich meinte|korrektur|quería decir|perdón|je voulais dire|erratum|correção|опечатка|вернее)(?!\p{L})|[打说發发写寫记記看搞弄算输讲]错|更正|口误|手误|纠正|笔误|訂正/iu
const WEAK =
  /^(?:[\s.,，…]|ah+|oh|哦|啊|呃|额|哎|诶)*(?:(?:no|wait|oops|sorry|actually|my bad|wrong|nope|ups|oups|hm+)(?![\p{L}'’])|不对|错了|不是|应该是|抱歉|不好意思|对不起|啊不|哦不|不不)|(?<!\p{L})(?:no,? wait|wait,? no|my bad|oops)(?!\p{L})|(?<!\p{L})(?:sorry|my mistake)[\s.!]*$|应该是|不对不对|错了|啊不|^\s*[*＊]\s?\S|^\S{1,24}[*＊]\s*$/iu
const CHANGES =
  /改成|改到|改为|改在|改(?=\s?\d|周|星期|下午|上午|晚上|明|后|用)|换成|换到|推迟|延[到期后]|提前[到至]|变成|现在是|现在(?=\s?\d)|[涨降]到|[涨降]价|调[整到]|又改|新的?(?:时间|密码|地址|价格|号码|日期)|最后[是定]|最终|(?<!\p{L})(?:(?:mov|chang|postpon|reschedul|push|delay|shift|switch|swap)(?:e|es|ed|ing|ped)?(?: \p{L}{1,8}){0,3} (?:to|from|till|until|by)|(?:moved|changed|postponed|rescheduled|delayed)|brought forward|is now|are now|now|dropped|raised|(?:goes|went|going) (?:up|down)|instead|no longer|updated|in the end|new (?:time|date|day|place|code|price|number|address|password|plan)|verschoben|geändert|jetzt|cambi[óa]|ahora|déplacé|changé|maintenant|mudou|agora|перенесли|теперь)(?!\p{L})/iu
const STAYS =
  /不变|不改|没[变改]|照旧|不用改|(?<!\p{L})(?:unchanged|stays?|keep|still|as before|no change|for now|right now|by now|until now|now (?:that|we|i)|(?:years|months|weeks|days|hours) now)(?!\p{L})/iu
/** "Maybe 8:20" changes nothing. */
const HEDGES =
  /可能|也许|大概|说不定|如果|要是|(?<!\p{L})(?:maybe|perhaps|might|probably|if|unless|could|would|vielleicht|peut-être|quizás?)(?!\p{L})/iu
const DECIDES =
  /(?<!\p{L})(?:final(?:ly)?|settled|agreed|decided|booked|confirmed|(?:so|ok|okay) (?:then )?\p{L}|it is|then)(?!\p{L})|定了?|确认|同意|就[这按]|那就|按/iu
const RETRACTS =
  /^(?:[\s,.]|ok|oh|ah|no|sorry|actually|哦|啊|算了)*(?:(?:scratch|forget|ignore|disregard) (?:that|it|this|what i (?:just )?(?:said|wrote|sent)|my last(?: message)?)|never ?mind(?: that)?|当我没说|作废|上[一]?条(?:作废|无效|忽略|撤回|不算)|忽略(?:上[一]?条|上面)|不算数?)[\s.!。！~]*$/iu
const NO =
  /(?:(?<!\p{L})(?:not|isn['’]?t|wasn['’]?t|nicht|pas|no|не)|不是|而非|别写)\s*(?:the |at |on |for |a )?$/iu
const AND_NOT =
  /^[\s,，;；–—(-]*(?:and |und |et |y )?(?:(?:not|nicht|pas|no|не)(?!\p{L})|不是|而不是)\s*(?:the |at |on )?$/iu
const BUT =
  /^(?:[\s\p{L}]{0,16})?[\s,，;；.。–—-]*(?:(?:but|sondern|mais|sino|it['’]?s|it is|is|at|on)(?!\p{L})|而?是|应该是)?\s*(?:the |at |on )?$/iu
const BECOMES =
  /^\s*(?:→|->|=>|➡️?|(?:的)?(?:改成|改为|改到|换成|变成|涨到|降到|调到|推迟到|延到|提前到))\s*$/u
const TO = /^\s*(?:to|auf|a|à|para|на)\s*$/iu
const INSTEAD_OF = /^[\s,，]*(?:instead of|rather than|statt|anstatt|en lugar de|au lieu de|代替)\s*$/iu
const SUBSTITUTION = /^\s*s\/([^/]{1,40})\/([^/]{1,40})\/?g?\s*$/u

/** A correction without any other sign belongs to a statement at most so many messages before it. */
const NEAR_MESSAGES = 24
const NEAR_FOR_OTHERS = 6
const MAX_MENTIONS = 8
const MAX_BARE_WORDS = 4
const MAX_WEAK_WORDS = 2
/** A longer sentence says more than one thing. */
const MAX_FRAMED_CHARACTERS = 60
const MIN_SHARED = 2
const STEP = 20
/** How many sentences the search looks back or ahead: one message may hold thousands. */
const MAX_SENTENCES = 40

interface Mention {
  readonly told: number
  readonly value: Value
}

export function* findCorrections(all: readonly Told[]): Generator<void, Correction[], void> {
  const search = new Corrections(all)
  for (const index of all.keys()) {
    search.read(index)
    if (index % STEP === STEP - 1) yield
  }
  return search.found
}

class Corrections {
  readonly found: Correction[] = []
  readonly #all: readonly Told[]
  readonly #byKey = new Map<string, Mention[]>()
  readonly #byTerm = new Map<number, Mention[]>()
  readonly #byPerson = new Map<string, Mention[]>()
  readonly #byFrame = new Map<string, Mention[]>()
  /** Codes by their spelling with one character unknown, and by their characters in sorted order. */
  readonly #bySpelling = new Map<string, Mention[]>()
  readonly #byMessage = new Map<number, Mention[]>()
  readonly #lastOf = new Map<string, number[]>()
  #recent: Mention[] = []

  constructor(all: readonly Told[]) {
    this.#all = all
  }

  read(index: number): void {
    const told = this.#all[index]!
    const values = findValues(told.text)
    if (told.text.length <= MAX_READ && !told.asks && !HEDGES.test(told.text)) {
      if (takesBack(told.text) || RETRACTS.test(told.text)) this.#takeBack(index)
      else this.#correct(index, values)
    }
    for (const value of values) this.#remember({ told: index, value }, told)
    const last = this.#lastOf.get(told.person)
    if (last === undefined || this.#all[last[0]!]!.message !== told.message)
      this.#lastOf.set(told.person, [index])
    else if (last.length < MAX_MENTIONS) last.push(index)
  }

  /** Takes back all that the same person said in the last message, and nothing else. */
  #takeBack(index: number): void {
    const { message, person } = this.#all[index]!
    for (const earlier of this.#lastOf.get(person) ?? [])
      if (message - this.#all[earlier]!.message <= NEAR_FOR_OTHERS)
        this.found.push({
          earlier,
          later: null,
          old: null,
          new: null,
          isPlain: false,
          isSure: true,
          isBare: true,
        })
  }

  #correct(index: number, values: readonly Value[]): void {
    const { text } = this.#all[index]!
    const substitution = SUBSTITUTION.exec(text)
    if (substitution) {
      this.#substitute(index, substitution[1]!, substitution[2]!)
      return
    }
    if (values.length === 0) {
      this.#respell(index)
      return
    }
    const pair = explicitPair(text, values)
    if (pair && this.#replaceKey(index, pair)) return
    const isStrong = STRONG.test(text)
    if (isStrong || WEAK.test(text)) if (this.#replaceNear(index, values, isStrong)) return
    if (!this.#all[index]!.isPerson) return
    if (CHANGES.test(text) && !STAYS.test(text)) if (this.#replaceAlike(index, values)) return
    this.#replaceFrame(index, values)
  }

  /** "Not 63, 68": replaces 63 where it was said, near or about the same thing. */
  #replaceKey(index: number, { old, now }: { old: Value; now: Value }): boolean {
    const told = this.#all[index]!
    const exact = this.#byKey.get(old.key) ?? []
    const mentions =
      exact.length > 0 || old.key.length < 3
        ? exact
        : this.#recent.filter(({ value }) => value.key.length > old.key.length && value.key.endsWith(old.key))
    const near = mentions.filter(
      each => told.message - this.#all[each.told]!.message <= NEAR_MESSAGES || this.#shares(index, each.told),
    )
    for (const mention of near) this.#replace(index, mention, now, { isExplicit: true })
    return near.length > 0
  }

  /**
   * "Typo, it is 7714": replaces the value of its kind that the same person named last, or that the answered
   * message holds.
   */
  #replaceNear(index: number, values: readonly Value[], isStrong: boolean): boolean {
    const told = this.#all[index]!
    const isBare = isBareValue(told.text, values, isStrong ? MAX_BARE_WORDS : MAX_WEAK_WORDS)
    const answered = told.repliesTo === null ? null : (this.#byMessage.get(told.repliesTo) ?? [])
    const own = (this.#byPerson.get(told.person) ?? []).filter(each =>
      this.#isNear(index, each, NEAR_MESSAGES),
    )
    const others = this.#recent.filter(
      each => this.#all[each.told]!.person !== told.person && this.#isNear(index, each, NEAR_FOR_OTHERS),
    )
    for (const mentions of answered !== null ? [answered, own] : [own, others]) {
      for (const now of values) {
        const fitting = mentions.filter(
          ({ told: earlier, value }) => mayReplace(now, value) && !this.#says(earlier, now.key),
        )
        const alike = fitting.findLast(({ value }) => isMisspelled(now, value))
        const mention =
          alike ??
          fitting.findLast(each => this.#shares(index, each.told)) ??
          (isBare ? fitting.at(-1) : undefined)
        if (mention === undefined) continue
        // Two names of one thing may both be right.
        const isDoubtful = !isStrong && now.kind === 'code' && /\p{L}/u.test(now.key)
        const isExplicit = alike !== undefined || (isBare && mentions !== others && !isDoubtful)
        this.#replace(index, mention, now, {
          isExplicit: isExplicit && (isStrong || isBare || alike !== undefined),
        })
        return true
      }
    }
    return false
  }

  /** "It was moved to nine": replaces what was said of the same thing, however long ago. */
  #replaceAlike(index: number, values: readonly Value[]): boolean {
    let isFound = false
    for (const now of values) {
      const alike = spellings(now).flatMap(spelling => this.#bySpelling.get(spelling) ?? [])
      const same = alike.findLast(({ value }) => isMisspelled(now, value))
      if (same !== undefined) {
        this.#replace(index, same, now, { isExplicit: false })
        isFound = true
        continue
      }
      const shared = new Map<Mention, number>()
      for (const term of this.#termsAround(index))
        for (const mention of this.#byTerm.get(term) ?? [])
          if (mayReplace(now, mention.value)) shared.set(mention, (shared.get(mention) ?? 0) + 1)
      let best: Mention | null = null
      for (const [mention, count] of shared)
        if (
          best === null ||
          count > shared.get(best)! ||
          (count === shared.get(best)! && mention.told > best.told)
        )
          best = mention
      if (best === null || !this.#isAboutTheSame(index, best, shared.get(best)!)) continue
      this.#replace(index, best, now, { isExplicit: false })
      isFound = true
    }
    return isFound
  }

  /** One word in common is enough if both sentences are short. */
  #isAboutTheSame(index: number, { told: earlier }: Mention, shared: number): boolean {
    const told = this.#all[index]!
    return (
      shared >= MIN_SHARED ||
      (told.text.length <= MAX_FRAMED_CHARACTERS &&
        this.#all[earlier]!.text.length <= 2 * MAX_FRAMED_CHARACTERS)
    )
  }

  /** Another number for the same thing: "545 each" and "530 each". */
  #replaceFrame(index: number, values: readonly Value[]): void {
    const told = this.#all[index]!
    if (told.text.length > MAX_FRAMED_CHARACTERS) return
    const decides = DECIDES.test(told.text)
    for (const now of values)
      for (const frame of framesOf(told.text, now)) {
        const mention = this.#byFrame
          .get(frame)
          ?.findLast(
            each =>
              each.told !== index &&
              mayReplace(now, each.value) &&
              this.#all[each.told]!.text.length <= MAX_FRAMED_CHARACTERS &&
              this.#differOnlyIn(values, now, each) &&
              (this.#shares(index, each.told) || (decides && this.#all[each.told]!.person === told.person)),
          )
        if (mention) this.#push(index, mention, now, { isPlain: false, isSure: false })
      }
  }

  /** If two sentences differ in other values as well, they are about different things. */
  #differOnlyIn(values: readonly Value[], now: Value, { told, value }: Mention): boolean {
    const earlier = findValues(this.#all[told]!.text).filter(({ key }) => key !== value.key)
    const later = values.filter(({ key }) => key !== now.key)
    return (
      earlier.length === 0 ||
      later.length === 0 ||
      earlier.some(one => later.some(({ key }) => key === one.key))
    )
  }

  /** `s/63/68/`: replaces 63 in the last message of the same person that holds it. */
  #substitute(index: number, old: string, now: string): void {
    const told = this.#all[index]!
    const values = findValues(old)
    const mention = (this.#byPerson.get(told.person) ?? [])
      .concat(this.#recent)
      .findLast(({ value }) => value.key === valueKey(old))
    if (mention && values.length > 0) {
      this.#replace(index, mention, findValues(now)[0] ?? wordValue(now), { isExplicit: true })
      return
    }
    const earlier = this.#lastSaying(index, old)
    if (earlier !== null) this.#pushWord(index, earlier, old, now)
  }

  /** "*Tamada", "Tamada*": replaces a word that the same person has written almost like this. */
  #respell(index: number): void {
    const told = this.#all[index]!
    if (told.text.length > 60) return
    const bare = /^\s*[*＊]\s?([\p{L}][\p{L}' -]{2,30}?)\s*$|^\s*([\p{L}][\p{L}'-]{2,30}?)[*＊]\s*$/u.exec(
      told.text,
    )
    const word = bare?.[1] ?? bare?.[2]
    if (word === undefined) return
    const like = (this.#lastOf.get(told.person) ?? []).find(each => nearWord(this.#all[each]!.text, word))
    if (like !== undefined && told.message - this.#all[like]!.message <= NEAR_FOR_OTHERS)
      this.#pushWord(index, like, nearWord(this.#all[like]!.text, word)!, word)
  }

  #pushWord(index: number, earlier: number, old: string, now: string): void {
    this.found.push({
      earlier,
      later: index,
      old: wordValue(old),
      new: wordValue(now),
      isPlain: this.#all[earlier]!.person === this.#all[index]!.person,
      isSure: true,
      isBare: true,
    })
  }

  #lastSaying(index: number, word: string): number | null {
    const { person, message } = this.#all[index]!
    for (
      let at = index - 1;
      at >= Math.max(0, index - MAX_SENTENCES) && message - this.#all[at]!.message <= NEAR_FOR_OTHERS;
      at--
    )
      if (this.#all[at]!.person === person && this.#all[at]!.text.includes(word)) return at
    return null
  }

  #replace(index: number, mention: Mention, now: Value, { isExplicit }: { isExplicit: boolean }): void {
    const told = this.#all[index]!
    const isOwn = this.#all[mention.told]!.person === told.person
    const isSure = isOwn || isExplicit || CHANGES.test(told.text) || this.#isAgreedWith(index)
    this.#push(index, mention, now, { isPlain: isExplicit && isOwn, isSure })
    // The same code elsewhere is the same mistake; the same time elsewhere may belong to something else.
    const others = this.#byKey.get(mention.value.key) ?? []
    this.#byKey.set(mention.value.key, [])
    for (const other of others)
      if (
        other !== mention &&
        other.told !== index &&
        (mention.value.kind === 'code' ||
          this.#shares(index, other.told) ||
          this.#shares(mention.told, other.told))
      )
        this.#push(index, other, now, {
          isPlain: isExplicit && this.#all[other.told]!.person === told.person,
          isSure,
        })
  }

  #push(
    index: number,
    mention: Mention,
    now: Value,
    { isPlain, isSure }: { isPlain: boolean; isSure: boolean },
  ): void {
    if (mention.told === index && !isPlain) return
    // The earlier sentence says the new value already: nothing was changed.
    if (this.#says(mention.told, now.key)) return
    const { text } = this.#all[index]!
    this.found.push({
      earlier: mention.told,
      later: index,
      old: mention.value,
      new: now,
      isPlain,
      isSure,
      isBare: isBareValue(text, findValues(text), isPlain ? MAX_BARE_WORDS : MAX_WEAK_WORDS),
    })
  }

  #says(told: number, key: string): boolean {
    return this.#byKey.get(key)?.some(mention => mention.told === told) ?? false
  }

  #isAgreedWith(index: number): boolean {
    const { message, person } = this.#all[index]!
    for (
      let at = index + 1;
      at < Math.min(this.#all.length, index + MAX_SENTENCES) &&
      this.#all[at]!.message - message <= NEAR_FOR_OTHERS;
      at++
    )
      if (this.#all[at]!.person !== person && isAssent(this.#all[at]!.text)) return true
    return false
  }

  #isNear(index: number, { told }: Mention, messages: number): boolean {
    return this.#all[index]!.message - this.#all[told]!.message <= messages
  }

  #shares(one: number, other: number): boolean {
    const terms = this.#all[one]!.terms
    return this.#all[other]!.terms.some(term => terms.includes(term))
  }

  /** The terms of the sentence, and of what the same person said right before it. */
  *#termsAround(index: number): Generator<number> {
    const { terms, person, message } = this.#all[index]!
    yield* terms
    for (
      let at = index - 1;
      at >= Math.max(0, index - MAX_MENTIONS) && message - this.#all[at]!.message <= 2;
      at--
    )
      if (this.#all[at]!.person === person) yield* this.#all[at]!.terms
  }

  #remember(mention: Mention, told: Told): void {
    push(this.#byKey, mention.value.key, mention)
    push(this.#byPerson, told.person, mention)
    push(this.#byMessage, told.message, mention)
    for (const term of told.terms) push(this.#byTerm, term, mention)
    for (const frame of framesOf(told.text, mention.value)) push(this.#byFrame, frame, mention)
    for (const spelling of spellings(mention.value)) push(this.#bySpelling, spelling, mention)
    this.#recent.push(mention)
    if (this.#recent.length > 3 * MAX_MENTIONS) this.#recent = this.#recent.slice(MAX_MENTIONS)
  }
}

const MAX_READ = 300

/** Keeps the last few mentions for each key. */
function push<Key>(map: Map<Key, Mention[]>, key: Key, mention: Mention): void {
  const mentions = map.get(key)
  if (mentions === undefined) map.set(key, [mention])
  else {
    mentions.push(mention)
    if (mentions.length > MAX_MENTIONS) mentions.shift()
  }
}

function wordValue(text: string): Value {
  return { kind: 'code', text, key: text.toLowerCase(), start: 0, end: text.length }
}

/** Two values side by side, where the words between them say that one took the place of the other. */
function explicitPair(text: string, values: readonly Value[]): { old: Value; now: Value } | null {
  for (const [at, first] of values.entries()) {
    const second = values[at + 1]
    if (second === undefined) break
    const before = text.slice(Math.max(0, first.start - 16), first.start)
    const between = text.slice(first.end, second.start)
    if (between.length > 30) continue
    if (AND_NOT.test(between) || INSTEAD_OF.test(between)) return { old: second, now: first }
    if (NO.test(before) && BUT.test(between)) return { old: first, now: second }
    if (BECOMES.test(between)) return { old: first, now: second }
    if (TO.test(between) && CHANGES.test(text) && /(?:from|von|de|с)\s*(?:the |at )?$/iu.test(before))
      return { old: first, now: second }
  }
  return null
}

const FILLERS =
  /(?<!\p{L})(?:typo|i meant?|correction|sorry|oops|actually|my bad|no|wait|not|it['’]?s|its|it is|is|was|should be|at|on|the|edit|make that|scratch that|ah|oh|then|now|again|of course|be|a|in|i|by|to|for|and|but|will|we)(?!\p{L})|打错了?|更正|说错了?|发错了?|写错了?|记错了?|看错了?|口误|手误|应该|不对|错了|抱歉|不好意思|对不起|我|是|不|了|的|啊|哦|呃|在|吧|号|点/giu

/** Whether the text says values, and hardly a word beside them. */
function isBareValue(text: string, values: readonly Value[], most = MAX_BARE_WORDS): boolean {
  let rest = ''
  let from = 0
  for (const { start, end } of values) {
    rest += ` ${text.slice(from, start)}`
    from = end
  }
  rest = `${rest} ${text.slice(from, MAX_READ)}`.replace(FILLERS, ' ')
  const words = rest.match(/\p{sc=Han}{2}|\p{sc=Han}|[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0
  return words <= most
}

const FRAME_AFTER = /^\s?(?:(\p{L}{3,14})(?!\p{L})|(\p{sc=Han}{2}))/u
const FRAME_BEFORE = /(\p{sc=Han}{2})[:：\s]?$/u
const NO_FRAME =
  /^(?:the|and|for|with|from|till|until|then|that|this|but|per|are|was|will|can|you|have|about|over|only|just|than|there|maybe|max|here|now|please|between|under|after|before|already|under|into|onto|what|when|where|which|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|seconds?|times?|people|percent|million|billion|km|kg|more|less|other|others|things?|ways|just|about|之前|以后|以前|左右|的时|分钟|小时|[点天周年月岁次元块]|可以|不是|现在)$/iu

/**
 * What tells which number this is: the word right behind it; in Chinese also the word right before it. In
 * other languages a number behind a noun only names which one of several is meant ("room 7").
 */
function framesOf(text: string, { kind, start, end }: Value): string[] {
  if (kind === 'day') return []
  const after = FRAME_AFTER.exec(text.slice(end, end + 16))
  const next = after?.[1] ?? after?.[2]
  if (next !== undefined) return NO_FRAME.test(next) ? [] : [`>${next.toLowerCase()}`]
  const before = FRAME_BEFORE.exec(text.slice(Math.max(0, start - 16), start))
  const last = before?.[1]
  return last === undefined || NO_FRAME.test(last) ? [] : [`<${last.toLowerCase()}`]
}

function spellings({ kind, key }: Value): string[] {
  if (kind !== 'code' || key.length < 4 || key.length > 12) return []
  const all = [[...key].sort().join('')]
  for (let at = 0; at < key.length; at++) all.push(`${key.slice(0, at)}\0${key.slice(at + 1)}`)
  return all
}

/** The word of `text` that differs from `word` in a letter or two. */
function nearWord(text: string, word: string): string | null {
  const wanted = word.toLowerCase()
  for (const found of text.match(/[\p{L}\p{N}'-]+/gu) ?? []) {
    const lower = found.toLowerCase()
    if (
      lower === wanted ||
      Math.abs(lower.length - wanted.length) > 2 ||
      lower.charAt(0) !== wanted.charAt(0)
    )
      continue
    let head = 0
    while (head < lower.length && lower[head] === wanted[head]) head++
    let tail = 0
    while (
      tail < lower.length - head &&
      tail < wanted.length - head &&
      lower.at(-1 - tail) === wanted.at(-1 - tail)
    )
      tail++
    if (Math.max(lower.length, wanted.length) - head - tail <= 2) return found
  }
  return null
}
