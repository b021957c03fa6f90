import {
  type Content,
  type ContentPart,
  contentLinks,
  interruptionOf,
  isReply,
  type Role,
} from '../log/index.ts'

/** The fields of a message that tell what it answers. */
export interface Answering {
  readonly seq: number
  readonly role: Role
  readonly content: Content
  readonly externalId: string | null
  /** The `seq` of a message in the log, or the id that a platform gave the message. */
  readonly replyTo: number | string | null
}

/** What came after a message, as far as a context for that message shows it. */
export interface Since<Message> {
  /** Whole answers to earlier questions: they stand before the message. */
  readonly before: readonly Message[]
  /** What was done so far to answer the message: it stands after it. */
  readonly after: readonly Message[]
}

export interface AskedAs {
  readonly seqs: readonly number[]
  readonly also?: readonly number[] | undefined
  readonly until?: number
}

/**
 * Sorts what came after a message that is to be answered. Three things are in neither part: what others asked
 * later, the answers to that, and an earlier whole answer to the message itself, because it is answered anew.
 *
 * `place`: the index of the message. `seqs`: the messages that are answered together. `also`: what belongs to
 * the answer, where the caller knows it. `until`: the newest step of the answer that counts.
 */
export function sinceAsked<Message extends Answering>(
  messages: readonly Message[],
  place: number,
  { seqs, also, until = Number.POSITIVE_INFINITY }: AskedAs,
): Since<Message> {
  const asked = messages[place]!.seq
  const since = messages.slice(place + 1)
  const own = new Set(seqs)
  const answers = new Map<number, Message[]>()
  const rootOf = rootsIn(messages, place, replyTo =>
    replyTo !== null && own.has(replyTo) ? asked : replyTo !== null && replyTo < asked ? replyTo : null,
  )
  for (const message of since) {
    const root = rootOf.get(message)
    if (root !== undefined) answers.set(root, [...(answers.get(root) ?? []), message])
  }
  const told = new Set<Message>()
  for (const [root, answer] of answers)
    if (root !== asked && isWhole(answer)) for (const message of answer) told.add(message)
  const isAlso = new Set(also)
  return {
    before: since.filter(message => told.has(message) && !isAlso.has(message.seq)),
    after: also
      ? since.filter(({ seq }) => isAlso.has(seq))
      : withLaterResults(stepsOf((answers.get(asked) ?? []).filter(({ seq }) => seq <= until)), since),
  }
}

/**
 * The question that an answer goes on with when a result or an approval has come. It is the question that the
 * call was made for, as far as the log tells it. Any other message is itself what is answered.
 */
export function questionAt(messages: readonly Answering[], seq: number): number {
  const bySeq = new Map(messages.map(message => [message.seq, message]))
  if (bySeq.get(seq)?.role !== 'tool') return seq
  // A page's result points to the message with the call, and that message points to the question.
  let question = seq
  for (let at = bySeq.get(seq); at?.role === 'tool' || at?.role === 'assistant'; at = bySeq.get(question)) {
    const next = seqIn(messages, at.replyTo ?? (at.role === 'tool' ? askerOf(messages, at) : null))
    if (next === null || next >= at.seq) return question
    question = next
  }
  return question
}

/** The question that the call of a result was made for. */
function askerOf(messages: readonly Answering[], { seq, content }: Answering): Answering['replyTo'] {
  const { closes } = contentLinks(content)
  const made = messages.findLast(
    message => message.seq < seq && contentLinks(message.content).opens.some(id => closes.includes(id)),
  )
  return made?.replyTo ?? null
}

interface Question {
  readonly seq: number
  /** Everything that came after the question belongs to its answer. */
  readonly isLast: boolean
  /** The newest step of the answer that counts. */
  readonly until?: number
}

/**
 * Finds the message to answer where the caller names none. It has no answer so far. `own`, which was said
 * through the same handle, comes first; after it comes the newest message of a user.
 *
 * `own` may be a person's word to a call. If another question waits too, that one is for another turn.
 * `null`: no message waits, and an answer goes on from the newest message, whatever it is.
 */
export function findQuestion(messages: readonly Answering[], own: number | null): Question | null {
  const places = [
    own === null ? -1 : messages.findLastIndex(({ seq, role }) => seq === own && role === 'user'),
    messages.findLastIndex(({ role }) => role === 'user'),
  ]
  for (const place of places) {
    if (place === -1) continue
    const { seq } = messages[place]!
    const answer = answerTo(messages, place)
    const last = answer.at(-1)
    if (last !== undefined && last.role !== 'tool') continue
    const isAllowed = last !== undefined && isWord(last)
    const asked = own === null || isAllowed ? null : questionOfWord(messages, own)
    if (asked !== null && asked.seq !== seq) return asked
    // One turn may hear the words to calls of several questions together. But a question that was said
    // through the same handle has a turn of its own.
    const ofIt = new Set(answer)
    const isHeard = (message: Answering) =>
      ofIt.has(message) || message.role === 'system' || (own !== seq && isWord(message))
    return { seq, isLast: messages.slice(place + 1).every(isHeard) }
  }
  return null
}

/** A person's word to calls that wait for approval. */
function isWord({ role, content }: Answering): boolean {
  if (role !== 'tool' || typeof content === 'string') return false
  return content.some(({ type }) => type === 'tool-approval-response')
}

/** `null`: the message is no person's word to a call, or an answer has already heard it. */
function questionOfWord(messages: readonly Answering[], own: number): Question | null {
  const word = messages.findLast(({ seq }) => seq === own)
  if (word === undefined || !isWord(word)) return null
  const seq = questionAt(messages, own)
  const place = messages.findIndex(message => message.seq === seq)
  if (place === -1) return null
  const isHeard = answerTo(messages, place).some(({ seq, role }) => role === 'assistant' && seq > own)
  return isHeard ? null : { seq, isLast: false, until: own }
}

/** The answer to a message. A reply that does not say what it answers counts too. */
function answerTo(messages: readonly Answering[], place: number): readonly Answering[] {
  const { seq } = messages[place]!
  const rootOf = rootsIn(messages, place, replyTo => (replyTo === null || replyTo === seq ? seq : null))
  return messages.slice(place + 1).filter(message => rootOf.has(message))
}

/**
 * What each reply and each tool result answers. `rootOf` decides it for the message that a reply points to. A
 * message that points to such a reply belongs to the same answer. A result without a pointer belongs to its
 * call; a page's result has none.
 */
function rootsIn<Message extends Answering>(
  messages: readonly Message[],
  place: number,
  rootOf: (replyTo: number | null) => number | null,
): ReadonlyMap<Message, number> {
  const roots = new Map<Message, number>()
  const bySeq = new Map<number, number>()
  const byCall = new Map<string, number>()
  for (const message of messages.slice(place + 1)) {
    const { role, seq, content } = message
    if (role !== 'assistant' && role !== 'tool') continue
    const { opens, closes } = contentLinks(content)
    const replyTo = seqIn(messages, message.replyTo)
    const ofCall = closes.map(id => byCall.get(id)).find(root => root !== undefined)
    const known = replyTo === null ? ofCall : bySeq.get(replyTo)
    const root = known ?? rootOf(replyTo)
    if (root === null) continue
    roots.set(message, root)
    bySeq.set(seq, root)
    for (const id of opens) byCall.set(id, root)
  }
  return roots
}

/** The log may not know a platform's id. Then the pointer tells nothing. */
function seqIn(messages: readonly Answering[], replyTo: Answering['replyTo']): number | null {
  if (typeof replyTo !== 'string') return replyTo
  return messages.findLast(({ externalId }) => externalId === replyTo)?.seq ?? null
}

function isWhole(answer: readonly Answering[]): boolean {
  const last = answer.at(-1)
  return last !== undefined && isReply(last.role, contentLinks(last.content))
}

/** Another turn may have carried out what a person allowed. So each call that is shown has its result. */
function withLaterResults<Message extends Answering>(
  steps: readonly Message[],
  since: readonly Message[],
): readonly Message[] {
  const calls = new Set(
    steps.flatMap(({ content }) => (typeof content === 'string' ? [] : content.flatMap(callIn))),
  )
  const known = new Set(steps)
  return since.filter(message => known.has(message) || isResultOf(message, calls))
}

const callIn = (part: ContentPart) => (part.type === 'tool-call' ? [part.toolCallId] : [])

/** The message holds only results. Any other word of a person to calls is for a turn of its own. */
function isResultOf({ role, content }: Answering, calls: ReadonlySet<string>): boolean {
  if (role !== 'tool' || typeof content === 'string') return false
  return content.every(part => part.type === 'tool-result' && calls.has(part.toolCallId))
}

/**
 * The steps up to the last result that an answer can go on from. A whole answer gives none: it is asked for
 * anew.
 */
function stepsOf<Message extends Answering>(answer: readonly Message[]): readonly Message[] {
  const isBrokenOff = interruptionOf(answer.at(-1)?.content ?? '') !== null
  if (isWhole(answer) && !isBrokenOff) return []
  return answer.slice(0, answer.findLastIndex(({ role }) => role === 'tool') + 1)
}
