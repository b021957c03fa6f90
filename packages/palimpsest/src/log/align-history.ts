import { isAttachment } from './attachment.ts'
import { contentText, interruptionOf } from './content.ts'
import { contentLinks, isReply } from './links.ts'
import type { Content, Role } from './message.ts'

interface Said {
  readonly role: Role
  readonly content: Content
}

/** A message of the log. */
export interface KnownMessage extends Said {
  readonly seq?: number
  /** The message that a reply answers. Left out or `null`: it answers all that was said before it. */
  readonly replyTo?: number | string | null
  /**
   * `list`: it came in such a list. `elsewhere`: it came another way, and the sender of the list may never
   * have seen it. Left out: the sender has seen it, such as our own answer.
   */
  readonly from?: 'list' | 'elsewhere'
}

/** What a client's list holds beyond the log. */
export interface Aligned {
  /**
   * The place of the first new message in the list; all after it are new. The length of the list: none is
   * new.
   */
  readonly newFrom: number
  /** How many messages at the end of our log the list leaves out and contradicts. */
  readonly contradicted: number
}

/**
 * Finds the new messages in a list. Many clients send the whole conversation, or parts of it, with every
 * call. `ours` is the end of the log; `isBeginning` says that it is the whole log.
 *
 * A list without a reply is what was said now, apart from what it repeats of our unanswered end.
 *
 * A list with replies is a history. Either side may lack messages of the other. So the two are aligned where
 * the most messages agree in the same order; an agreement with our end comes first. What follows the last
 * message that agrees is new, and nothing before it is. If nothing agrees, only what follows the list's last
 * reply is new: a list that was rewritten on its way must not be stored beside the log.
 *
 * Only two things contradict our log. First, a reply that is asked for again: all that follows the last
 * message that agrees are replies. Second, an edit: the list agrees with the log from the very beginning,
 * through a reply of ours, up to a question that was answered, and has another question there. No one else
 * may have spoken since. Everything else that the list lacks was left out or never seen by the client, and it
 * stays.
 */
export function alignHistory(
  ours: readonly KnownMessage[],
  theirs: readonly Said[],
  { isBeginning = false }: { readonly isBeginning?: boolean } = {},
): Aligned {
  const number = numbered()
  const pair = { ours, theirs, known: ours.map(number), sent: theirs.map(number) }
  const lastReply = theirs.findLastIndex(({ role }) => role === 'assistant')
  if (lastReply === -1) return alignNew(pair)
  if (ours.length === 0) return { newFrom: 0, contradicted: 0 }
  const agreed = lastAgreement(pair)
  if (agreed === null) return { newFrom: lastReply + 1, contradicted: 0 }
  const edited = isBeginning && !agreed.isAtEnd ? findEdit(pair) : null
  return edited ?? { newFrom: agreed.theirEnd, contradicted: repliesAfter(ours, agreed.ourEnd) }
}

/** Whether two messages say the same, even if a client changed their form. */
export function saysTheSame(one: Said, other: Said): boolean {
  return fingerprint(one) === fingerprint(other)
}

interface Pair {
  readonly ours: readonly KnownMessage[]
  readonly theirs: readonly Said[]
  /** Messages that say the same have the same number. */
  readonly known: readonly number[]
  readonly sent: readonly number[]
}

/** Each of our messages is compared with each of theirs, and numbers compare faster than words. */
function numbered(): (said: Said) => number {
  const numbers = new Map<string, number>()
  return said => {
    const name = fingerprint(said)
    const number = numbers.get(name) ?? numbers.size
    numbers.set(name, number)
    return number
  }
}

/** A reply that broke off is no answer. */
function alignNew({ ours, known, sent }: Pair): Aligned {
  const isAnswer = ({ role, content }: Said) => role === 'assistant' && interruptionOf(content) === null
  let newFrom = 0
  let ourEnd = ours.length
  for (let place = ours.findLastIndex(isAnswer) + 1; place < ours.length; place++)
    if (newFrom < sent.length && known[place] === sent[newFrom]) {
      newFrom += 1
      ourEnd = place + 1
    }
  return { newFrom, contradicted: repliesAfter(ours, ourEnd) }
}

/** How many messages follow, if all of them are replies to the message before. Otherwise 0. */
function repliesAfter(ours: readonly KnownMessage[], ourEnd: number): number {
  const after = ours.slice(ourEnd)
  const asked = ours[ourEnd - 1]?.seq
  const isToOther = ({ replyTo, from }: KnownMessage) =>
    from === 'elsewhere' || (typeof replyTo === 'number' && asked !== undefined && replyTo < asked)
  return after.every(isOfReply) && !after.some(isToOther) ? after.length : 0
}

function isOfReply({ role }: Said): boolean {
  return role === 'assistant' || role === 'tool'
}

interface Agreement {
  /** How many messages agree in the same order, counted with the last one. */
  readonly count: number
  /** The places after the last message that agrees. */
  readonly theirEnd: number
  readonly ourEnd: number
  /** After it, our log has only replies, or nothing. */
  readonly isAtEnd: boolean
}

/**
 * Of two equally good ones, the later place of ours, and then the earlier of theirs: what is said again is
 * new.
 */
function lastAgreement({ ours, known, sent }: Pair): Agreement | null {
  const endsFrom = Math.min(
    ours.findLastIndex(isOfReply),
    ours.findLastIndex(said => !isOfReply(said)),
  )
  let best: Agreement | null = null
  // For each place of theirs, the most messages through it that agree with ours so far.
  let before = new Uint16Array(sent.length + 1)
  for (const [place, said] of known.entries()) {
    const isAtEnd = place >= endsFrom
    const counts = new Uint16Array(sent.length + 1)
    let ofThisOne: Agreement | null = null
    for (let end = 1; end <= sent.length; end++) {
      counts[end] = Math.max(before[end]!, counts[end - 1]!)
      if (sent[end - 1] !== said) continue
      const count = before[end - 1]! + 1
      counts[end] = Math.max(counts[end]!, count)
      if (count > (ofThisOne?.count ?? 0)) ofThisOne = { count, theirEnd: end, ourEnd: place + 1, isAtEnd }
    }
    if (ofThisOne && isBetter(ofThisOne, best)) best = ofThisOne
    before = counts
  }
  return best
}

function isBetter(one: Agreement, best: Agreement | null): boolean {
  if (best === null || one.isAtEnd !== best.isAtEnd) return best === null || one.isAtEnd
  return one.count >= best.count
}

function findEdit({ ours, theirs, known, sent }: Pair): Aligned | null {
  const seen = [...ours.keys()].filter(place => ours[place]!.from !== 'elsewhere')
  let agreed = 0
  while (agreed < sent.length && agreed < seen.length && known[seen[agreed]!] === sent[agreed]) agreed += 1
  const from = seen[agreed]
  const asked = theirs.slice(agreed)
  if (from === undefined || asked.length === 0 || !asked.every(({ role }) => role === 'user')) return null
  const isOurReply = ({ role, from }: KnownMessage) => role === 'assistant' && from !== 'list'
  if (!seen.slice(0, agreed).some(place => isOurReply(ours[place]!))) return null
  const replaced = ours.slice(from)
  const last = replaced.at(-1)!
  const isAnswered = isReply(last.role, contentLinks(last.content))
  const isTheirs = replaced[0]!.role === 'user' && replaced.every(({ from }) => from !== 'elsewhere')
  return isAnswered && isTheirs ? { newFrom: agreed, contradicted: replaced.length } : null
}

/** What every client keeps as it is: words, calls, and which result belongs to which call. */
function fingerprint({ role, content }: Said): string {
  const text = contentText(content).replace(/\s+/g, ' ').trim()
  if (typeof content === 'string') return JSON.stringify([role, text])
  const links = content.flatMap(part =>
    part.type === 'tool-call' || part.type === 'tool-result' ? [`${part.type} ${part.toolCallId}`] : [],
  )
  const attached = content.filter(isAttachment).length
  return JSON.stringify([role, text, ...links.sort(), ...(attached > 0 ? [attached] : [])])
}
