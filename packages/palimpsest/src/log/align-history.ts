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
  /** What a reply answers. Left out or `null`: all that was said before it. */
  readonly replyTo?: number | string | null
  /**
   * `list`: it came in such a list. `elsewhere`: it came another way, and whoever sends the list may never have seen
   * it. Left out: they have seen it, as what we said in answer.
   */
  readonly from?: 'list' | 'elsewhere'
}

/** What a list that somebody sends holds beyond what the log has. */
export interface Aligned {
  /** The first of the list that is new: all from there on are. The list's length: none is. */
  readonly newFrom: number
  /** How many of ours at the end the list goes on without. */
  readonly contradicted: number
}

/**
 * Many clients send the whole conversation, or parts of it, with every call. `ours` is the end of the log;
 * `isBeginning` says that it is all of it.
 *
 * A list without a reply is what was said now, but for what it repeats of our end that has no answer yet.
 *
 * A list with replies is a history. Either side may lack something that the other has, so they are laid onto each
 * other where the most agrees in the same order; an agreement with our end comes before any other. What follows the
 * last message that agrees is new, and nothing before it is. Where nothing agrees, only what follows the list's last
 * reply is new: a list that was rewritten on its way must not be stored beside the log.
 *
 * Only two things contradict ours. A reply that is asked for again: all that follows the last message that agrees
 * are replies. An edit: the list agrees with the log from its very beginning, through a reply that we gave, up to
 * a question of theirs that was answered, and asks something else there. Nobody else may have spoken since. Whatever
 * else the list lacks was left out, or never seen, and stays.
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

/** Whether two messages say the same, whatever a client did to their form. */
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

/** Each of ours is compared with each of theirs: numbers are compared faster than words. */
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

/** How many messages follow, if all of them are replies to what stands there; otherwise none counts. */
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
  /** How many messages agree, in the same order, with the last of them. */
  readonly count: number
  /** The places after the last that agrees. */
  readonly theirEnd: number
  readonly ourEnd: number
  /** After it, ours has replies only, or none. */
  readonly isAtEnd: boolean
}

/** Of two that are equally good the later of ours, then the earlier of theirs: what is said again is new. */
function lastAgreement({ ours, known, sent }: Pair): Agreement | null {
  const endsFrom = Math.min(
    ours.findLastIndex(isOfReply),
    ours.findLastIndex(said => !isOfReply(said)),
  )
  let best: Agreement | null = null
  // The most that agrees of ours so far with theirs through each place.
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

/** What stays the same on the way through somebody's client: words, calls, and what answers which call. */
function fingerprint({ role, content }: Said): string {
  const text = contentText(content).replace(/\s+/g, ' ').trim()
  if (typeof content === 'string') return JSON.stringify([role, text])
  const links = content.flatMap(part =>
    part.type === 'tool-call' || part.type === 'tool-result' ? [`${part.type} ${part.toolCallId}`] : [],
  )
  const attached = content.filter(isAttachment).length
  return JSON.stringify([role, text, ...links.sort(), ...(attached > 0 ? [attached] : [])])
}
