import { splitLines } from '../log/index.ts'
import {
  COPIED_HEADER,
  COPIED_LINE,
  closingIn,
  FORWARDED_HEADER,
  FORWARDED_SUBJECT,
  isDashes,
  isQuotedLine,
  leadIn,
  MAIL_FIELD,
  MAIL_FROM,
  QUOTED_REPLY,
  SAYS_LATER,
  salutationIn,
  WROTE,
} from './pasted-signs.ts'

/**
 * The parts of a text that its sender only passed on, as far as signs tell: letters, copied chats and mails,
 * lines behind `>`, and the words behind "the email reads:" or 他说：. A text without a sign is its sender's
 * own.
 */
export interface Piece {
  readonly text: string
  readonly isOwn: boolean
  /** The words that say whose it is, such as "The email from my landlord reads"; `null`: no words do. */
  readonly lead: string | null
}

/** How much of a line is looked at for signs, which stand at its beginning. */
const LOOKED_AT_CHARACTERS = 600
const MAX_LINES = 2_000

/** `names`: the names of the sender, so that a letter of the sender's own stays the sender's. */
export function splitPasted(text: string, names: readonly string[] = []): readonly Piece[] {
  const lines = splitLines(text)
  if (lines.length > MAX_LINES || !MAY_HOLD_SIGNS.test(text)) return [{ text, isOwn: true, lead: null }]
  return new Splitter(lines, names).pieces()
}

/** Most messages hold none of these, and one look tells. */
const MAY_HOLD_SIGNS =
  /[:：>＞»"“„「『«【[]|\n|(?:said|says|wrote|writes|told me|told us|texted|replied|answered|went|goes|like)\b|[说問问]|regards|sincerely|grüßen|cordialement|atentamente|祝好|此致|转/i

class Splitter {
  readonly #lines: readonly string[]
  readonly #names: readonly string[]
  readonly #pieces: { lines: string[]; readonly isOwn: boolean; readonly lead: string | null }[] = []
  #at = 0

  constructor(lines: readonly string[], names: readonly string[]) {
    this.#lines = lines
    this.#names = names.map(normal).filter(name => name !== '')
  }

  pieces(): readonly Piece[] {
    const isChat = this.#isCopiedChat()
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!.slice(0, LOOKED_AT_CHARACTERS)
      if (line.trim() === '') this.#own(1)
      else if (this.#isForwarded(line)) this.#foreign(this.#lines.length)
      else if (this.#quotedReply(line) || this.#letter(null)) continue
      else if (isQuotedLine(line)) this.#foreign(this.#at + 1)
      else if (isChat && this.#copied(line)) continue
      else this.#sentence(line)
    }
    return this.#pieces.map(({ lines, isOwn, lead }) => ({ text: lines.join('\n'), isOwn, lead }))
  }

  #own(count: number): void {
    this.#add(this.#lines.slice(this.#at, this.#at + count), true, null)
    this.#at += count
  }

  #foreign(end: number, lead: string | null = null): void {
    this.#add(this.#lines.slice(this.#at, end), false, lead)
    this.#at = end
  }

  #add(lines: readonly string[], isOwn: boolean, lead: string | null): void {
    const last = this.#pieces.at(-1)
    if (last && last.isOwn === isOwn && last.lead === lead) last.lines.push(...lines)
    else this.#pieces.push({ lines: [...lines], isOwn, lead })
  }

  /** Whether nothing from here on is the sender's. */
  #isForwarded(line: string): boolean {
    if (FORWARDED_HEADER.test(line) || FORWARDED_SUBJECT.test(line)) return true
    if (MAIL_FROM.test(line))
      return this.#lines.slice(this.#at + 1, this.#at + 5).some(next => MAIL_FIELD.test(next))
    return WROTE.test(line) && !isQuotedLine(this.#lines[this.#nextFilled(this.#at + 1)] ?? '')
  }

  #nextFilled(from: number): number {
    let at = from
    while (at < this.#lines.length && this.#lines[at]!.trim() === '') at += 1
    return at
  }

  /** 「Ann：…」 over a line of dashes, as WeChat writes an answer. */
  #quotedReply(line: string): boolean {
    if (!QUOTED_REPLY.test(line)) return false
    let end = this.#at
    while (end < this.#lines.length && !/」\s*$/.test(this.#lines[end]!)) end += 1
    if (!isDashes(this.#lines[end + 1] ?? '')) return false
    this.#foreign(end + 2)
    return true
  }

  /**
   * Takes a letter, from its salutation through its signature. `lead`: the words before the letter that
   * announce it.
   */
  #letter(lead: string | null): boolean {
    const greeted = salutationIn(this.#lines[this.#at]!)
    if (greeted === null) return false
    for (let at = this.#at; at < Math.min(this.#lines.length, this.#at + MAX_LETTER_LINES); at++) {
      const closing = closingIn(this.#lines[at]!, { isSameLine: at === this.#at })
      if (closing === null) continue
      let next = this.#nextFilled(at + 1)
      if (/^\s{0,8}敬[礼禮]/.test(this.#lines[next] ?? '')) next = this.#nextFilled(next + 1)
      const below = closing.signature === '' ? (this.#lines[next] ?? '') : ''
      const isSignature = below.trim() !== '' && below.trim().length <= MAX_SIGNATURE_CHARACTERS
      const signature = closing.signature || (isSignature ? below : '')
      if (lead === null && (signature === '' || this.#isSender(signature))) return false
      this.#foreign(closing.signature === '' && isSignature ? next + 1 : at + 1, lead)
      return true
    }
    return false
  }

  #isSender(signature: string): boolean {
    const signed = normal(signature)
    return this.#names.some(name => signed === name || signed.split(' ')[0] === name.split(' ')[0])
  }

  /**
   * Two lines with speakers of their own, or two headers with times, are a chat. A single one may be
   * anything.
   */
  #isCopiedChat(): boolean {
    let [lines, headers] = [0, 0]
    for (const line of this.#lines) {
      const head = line.slice(0, LOOKED_AT_CHARACTERS)
      if (COPIED_HEADER.test(head)) headers += /\d{4}|\[/.test(head) ? 2 : 1
      else if (this.#speakerIn(head) !== null) lines += /^\s*\[/.test(head) ? 2 : 1
    }
    return headers >= 2 || lines >= 2
  }

  /**
   * The speaker that a copied line names; `null`: none. The sender's own lines of a copied chat stay the
   * sender's.
   */
  #speakerIn(line: string): string | null {
    const name = COPIED_LINE.exec(line)?.[1]?.trim() ?? null
    return name === null || isNoName(name) ? null : name
  }

  #copied(line: string): boolean {
    const header = COPIED_HEADER.exec(line)?.[1]?.trim()
    if (header !== undefined) {
      const end = this.#endOfCopied(this.#at + 1)
      if (this.#isSender(header)) this.#own(end - this.#at)
      else this.#foreign(end, header)
      return true
    }
    const speaker = this.#speakerIn(line)
    if (speaker === null || this.#isSender(speaker)) return false
    this.#foreign(this.#at + 1, speaker)
    return true
  }

  #endOfCopied(from: number): number {
    let end = from
    while (
      end < this.#lines.length &&
      this.#lines[end]!.trim() !== '' &&
      !COPIED_HEADER.test(this.#lines[end]!)
    )
      end += 1
    return end
  }

  /** Takes a line in which another person is said to say something, or a line of the sender's own. */
  #sentence(line: string): void {
    const found = leadIn(line)
    if (found === null) {
      const later = SAYS_LATER.exec(line)
      if (later === null) this.#own(1)
      else this.#cut(later.index + later[0].length, null)
      return
    }
    const { end, lead, isOneSentence } = found
    const whole = this.#lines[this.#at]!
    if (whole.slice(end).trim() !== '') {
      this.#cut(end, lead, isOneSentence)
      return
    }
    // The announced words stand below.
    this.#own(1)
    const next = this.#nextFilled(this.#at)
    if (next > this.#at) this.#own(next - this.#at)
    if (isQuotedLine(this.#lines[this.#at] ?? '')) return
    if (this.#at >= this.#lines.length || this.#letter(lead)) return
    let last = this.#at
    while (last < this.#lines.length && this.#lines[last]!.trim() !== '') last += 1
    this.#foreign(last, lead)
  }

  /**
   * Cuts a line at `end`. Behind it another person speaks: to the end of the quotation, of one sentence, or
   * of the line.
   */
  #cut(end: number, lead: string | null, isOneSentence = false): void {
    const whole = this.#lines[this.#at]!
    const rest = whole.slice(end)
    const quote = WHOLE_QUOTE.exec(rest)
    const sentence = isOneSentence ? /^[^.!?。！？]{1,400}[.!?。！？]+/.exec(rest) : null
    const length = quote?.[0].length ?? sentence?.[0].length ?? rest.length
    this.#add([whole.slice(0, end).trimEnd()], true, null)
    this.#add([rest.slice(0, length).trim()], false, lead)
    const left = rest.slice(length).trim()
    if (/[\p{L}\p{N}]/u.test(left)) this.#add([left], true, null)
    this.#at += 1
  }
}

const MAX_LETTER_LINES = 200
const MAX_SIGNATURE_CHARACTERS = 50
/** A quotation that begins where the rest begins. */
const WHOLE_QUOTE =
  /^\s*(?:"[^"]{1,4000}"|“[^”]{1,4000}”|„[^“”]{1,4000}[“”]|「[^」]{1,4000}」|『[^』]{1,4000}』|«[^»]{1,4000}»|'[^'\n]{12,4000}'(?=\s|$|[.,!?]))[.,;!?。，；！？]*/u

function normal(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Words before a colon that are no speaker. */
function isNoName(name: string): boolean {
  return NO_NAME.test(name)
}

const NO_NAME =
  /^(?:ps|p\.s|btw|fyi|note|nb|update|correction|edit|reminder|also|info|hi|hello|hey|ok|yes|no|about me|one thing|decision|plan|todo|to do|deadline|link|docs?|me|name|age|job|home|city|address|birthday|phone|email|allergies|likes|dislikes|diet|hobbies|languages?|work|from|to|date|time|when|where|who|what|why|how|price|total|budget|place|subject|question|answer|problem|solution|result|summary|agenda|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun|breakfast|lunch|dinner|morning|evening|option [\w]{1,2}|step \d+|q\d*|a\d*|https?|另外|补充|更正|注意|备注|提醒|大家好|你好|决定|计划|链接|我|姓名|名字|年龄|职业|住址|地址|生日|电话|邮箱|爱好|过敏|时间|地点|人物|日期|价格|预算|总计|问题|答案|原因|结果|结论|第[一二三四五六七八九十\d]+.{0,2}|方案.{0,2}|周[一二三四五六日天]|星期[一二三四五六日天]|早餐|午餐|晚餐|早上|下午|晚上)$/i
