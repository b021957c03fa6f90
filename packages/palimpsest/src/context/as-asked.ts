import {
  type Content,
  type ContentPart,
  contentLinks,
  interruptionOf,
  isReply,
  type Role,
} from '../log/index.ts'

/** Of a message, as much as says what it answers. */
export interface Answering {
  readonly seq: number
  readonly role: Role
  readonly content: Content
  readonly externalId: string | null
  /** A message of the log, or what a platform calls one. */
  readonly replyTo: number | string | null
}

/** What came after a message, as far as a context for that message shows it. */
export interface Since<Message> {
  /** Whole answers to what was asked before it: they stand before it. */
  readonly before: readonly Message[]
  /** What was done in answer to it so far: it stands after it. */
  readonly after: readonly Message[]
}

export interface AskedAs {
  readonly seqs: readonly number[]
  readonly also?: readonly number[] | undefined
  readonly until?: number
}

/**
 * Sorts what came after a message that is to be answered. What others asked later is in neither part, and neither are
 * the answers to that; nor is an earlier answer to the message itself, which is to be answered anew. `place`: its own;
 * `seqs`: the messages that are answered together; `also`: what belongs to the answer, where the caller knows it; `until`:
 * the newest of its steps that counts.
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
 * What an answer goes on with when a result or an approval is there: the question that its call was made for, as far as
 * the log says it. Anything else is itself what is answered.
 */
export function questionAt(messages: readonly Answering[], seq: number): number {
  const bySeq = new Map(messages.map(message => [message.seq, message]))
  if (bySeq.get(seq)?.role !== 'tool') return seq
  // A page's result points to the message with the call, and that to the question.
  let question = seq
  for (let at = bySeq.get(seq); at?.role === 'tool' || at?.role === 'assistant'; at = bySeq.get(question)) {
    const next = seqIn(messages, at.replyTo ?? (at.role === 'tool' ? askerOf(messages, at) : null))
    if (next === null || next >= at.seq) return question
    question = next
  }
  return question
}

/** What the call of a result was made for. */
function askerOf(messages: readonly Answering[], { seq, content }: Answering): Answering['replyTo'] {
  const { closes } = contentLinks(content)
  const made = messages.findLast(
    message => message.seq < seq && contentLinks(message.content).opens.some(id => closes.includes(id)),
  )
  return made?.replyTo ?? null
}

interface Question {
  readonly seq: number
  /** What came after it, if anything, belongs to its answer. */
  readonly isLast: boolean
  /** The newest of the steps in answer to it that counts. */
  readonly until?: number
}

/**
 * Which message is to be answered where nothing says it: `own`, which was said through the same handle, or else the
 * newest of a user's; without an answer so far. `own` may be a person's word to a call: where something else waits too, it
 * is for another turn. `null`: there is none, and an answer goes on from the newest message, whatever that is.
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
    // Words to calls of several questions are heard together, unless the question has a turn of its own.
    const ofIt = new Set(answer)
    const isHeard = (message: Answering) =>
      ofIt.has(message) || message.role === 'system' || (own !== seq && isWord(message))
    return { seq, isLast: messages.slice(place + 1).every(isHeard) }
  }
  return null
}

/** A person's, to calls that wait for one. */
function isWord({ role, content }: Answering): boolean {
  if (role !== 'tool' || typeof content === 'string') return false
  return content.some(({ type }) => type === 'tool-approval-response')
}

/** `null`: that is no person's word to a call, or an answer has heard it. */
function questionOfWord(messages: readonly Answering[], own: number): Question | null {
  const word = messages.findLast(({ seq }) => seq === own)
  if (word === undefined || !isWord(word)) return null
  const seq = questionAt(messages, own)
  const place = messages.findIndex(message => message.seq === seq)
  if (place === -1) return null
  const isHeard = answerTo(messages, place).some(({ seq, role }) => role === 'assistant' && seq > own)
  return isHeard ? null : { seq, isLast: false, until: own }
}

/** With what says nothing of what it answers. */
function answerTo(messages: readonly Answering[], place: number): readonly Answering[] {
  const { seq } = messages[place]!
  const rootOf = rootsIn(messages, place, replyTo => (replyTo === null || replyTo === seq ? seq : null))
  return messages.slice(place + 1).filter(message => rootOf.has(message))
}

/**
 * What each reply and each result of a tool answers: `rootOf` says it of what it points to, and what points to such a
 * message belongs to the same answer. A result without a pointer, such as a page's, belongs to its call.
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

/** What a platform calls it may be unknown: then it says nothing. */
function seqIn(messages: readonly Answering[], replyTo: Answering['replyTo']): number | null {
  if (typeof replyTo !== 'string') return replyTo
  return messages.findLast(({ externalId }) => externalId === replyTo)?.seq ?? null
}

function isWhole(answer: readonly Answering[]): boolean {
  const last = answer.at(-1)
  return last !== undefined && isReply(last.role, contentLinks(last.content))
}

/** Another turn may have carried out what a person allowed: the results of calls that are shown are shown. */
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

/** And nothing but a result: what else a person said to calls is for a turn of its own. */
function isResultOf({ role, content }: Answering, calls: ReadonlySet<string>): boolean {
  if (role !== 'tool' || typeof content === 'string') return false
  return content.every(part => part.type === 'tool-result' && calls.has(part.toolCallId))
}

/** As far as there are results to go on from. A whole answer is none: it is asked for anew. */
function stepsOf<Message extends Answering>(answer: readonly Message[]): readonly Message[] {
  const isBrokenOff = interruptionOf(answer.at(-1)?.content ?? '') !== null
  if (isWhole(answer) && !isBrokenOff) return []
  return answer.slice(0, answer.findLastIndex(({ role }) => role === 'tool') + 1)
}
