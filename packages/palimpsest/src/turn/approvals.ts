import { closingNote } from '../context/index.ts'
import type { Context } from '../contexts.ts'
import { type Language, textsOf } from '../language/index.ts'
import {
  type AnsweredCall,
  type ContentPart,
  type Message,
  type ToolApprovalResponsePart,
  toolCallsIn,
} from '../log/index.ts'
import type { SentToModel } from './sdk.ts'
import { withoutIds } from './unique-ids.ts'

/** What comes of a person's word to a call that asked for approval. */
export interface TurnApproval {
  readonly approvalId: string
  /** `null`: the call is no longer known. */
  readonly toolCallId: string | null
  readonly toolName: string | null
  /**
   * `carried_out`: this turn runs the call, or tells the model that it was refused. `under_way`: another turn
   * does that. `gone`: the log has no such call, or it lies before the newest beginning. `same_id`: a newer
   * call that was allowed too has the same id. `no_room`: the call does not fit the window. The model is told
   * of the last three.
   */
  readonly outcome: 'carried_out' | 'under_way' | 'gone' | 'same_id' | 'no_room'
}

/** A person's word that no answer has heard yet. */
export interface OpenApproval {
  readonly response: ToolApprovalResponsePart
  /** The message with the response, and the message that it says it answers. */
  readonly seq: number
  readonly askedSeq: number | null
}

/** The calls in one message of the assistant, and those of them that a person decided on. */
export interface DecidedCalls {
  readonly message: Message
  readonly calls: readonly AnsweredCall[]
  readonly decided: ReadonlySet<AnsweredCall>
}

/**
 * The persons' words among the newest messages that the assistant has not heard. An answer that began before
 * a word came has not heard it. A word that one answer passed over is not carried out at a later time.
 */
export function openApprovals(newest: readonly Message[]): OpenApproval[] {
  const open: OpenApproval[] = []
  /** The newest message that the assistant has heard. */
  let heard = 0
  for (const { role, seq, replyTo, content } of newest.toReversed()) {
    if (role === 'assistant') heard = Math.max(heard, repliesTo(replyTo))
    if (role !== 'tool' || typeof content === 'string' || heard >= seq) continue
    for (const part of content.toReversed())
      if (part.type === 'tool-approval-response')
        open.unshift({ response: part, seq, askedSeq: typeof replyTo === 'number' ? replyTo : null })
  }
  return open
}

/** The newest message that an answer has heard. An answer that does not say so has heard everything. */
function repliesTo(replyTo: Message['replyTo']): number {
  return typeof replyTo === 'number' ? replyTo : Number.POSITIVE_INFINITY
}

/**
 * For each approval its call, and whether the call still has to be settled: to be run, or to be told as
 * refused. `messages` includes everything said since the calls.
 */
export function decidedCalls(
  messages: readonly Message[],
  approvals: readonly OpenApproval[],
): Map<OpenApproval, { readonly call: AnsweredCall; readonly isOpen: boolean }> {
  const calls = toolCallsIn(messages)
  const found = approvals.flatMap(approval => {
    const { approvalId } = approval.response
    const call = calls.findLast(({ request }) => request?.approvalId === approvalId)
    return call ? [[approval, { call, isOpen: isToBeSettled(call) }] as const] : []
  })
  return new Map(found)
}

/** By message, oldest first, with all the calls of each. */
export function groupedByMessage(
  messages: readonly Message[],
  decided: readonly AnsweredCall[],
): DecidedCalls[] {
  const ids = new Set(decided.map(({ request }) => request?.approvalId))
  const groups = Map.groupBy(toolCallsIn(messages), ({ message }) => message)
  return [...groups].flatMap(([message, calls]) => {
    const own = calls.filter(({ request }) => request !== null && ids.has(request.approvalId))
    return own.length > 0 ? [{ message, calls, decided: new Set(own) }] : []
  })
}

/**
 * The AI SDK runs a call that a person allowed if the prompt ends with the call, the request for approval and
 * the response. A context shows neither of the last two. So the calls move to the end as the SDK wants them,
 * wherever they were made. Results that exist keep the context's own words. A call has to be whole, and its
 * id the stored one: its result is stored by that id.
 */
export function withApprovals(
  messages: readonly SentToModel[],
  {
    messageSeqs,
    language,
    decided,
  }: Pick<Context, 'messageSeqs' | 'language'> & { readonly decided: readonly DecidedCalls[] },
): readonly SentToModel[] {
  if (decided.length === 0) return messages
  const placed = decided.map(group => ({ group, place: placeOfCalls(messages, messageSeqs, group) }))
  const moved = new Set(placed.flatMap(({ place }) => (place === -1 ? [] : [place, place + 1])))
  const pairs = placed.map(({ group, place }) =>
    place === -1 ? bareCalls(group) : wholeCalls(group, resultsOf(messages[place + 1]!)),
  )
  const [asking, answering] = [pairs.flatMap(({ asked }) => asked), pairs.flatMap(({ answers }) => answers)]
  const first = placed[0]!.place
  const template = first === -1 ? [{}, {}] : [messages[first]!, messages[first + 1]!]
  const others = messages.filter((_, index) => !moved.has(index))
  const isAtEnd = messages.every(
    (message, index) => moved.has(index) || index < first || message.role === 'user',
  )
  const before = isAtEnd ? others : withWordBetween(others, language)
  return [
    ...withoutIds(
      before,
      new Set(asking.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []))),
    ),
    { ...template[0], role: 'assistant', content: asking } as SentToModel,
    { ...template[1], role: 'tool', content: answering } as SentToModel,
  ]
}

/** What is sent beside a context that does not show the calls; `null`: the context shows them. */
export function sentBeside(
  { messages, messageSeqs }: Pick<Context, 'messages' | 'messageSeqs'>,
  group: DecidedCalls,
): readonly ContentPart[] | null {
  return placeOfCalls(messages, messageSeqs, group) === -1 ? bareCalls(group).asked : null
}

/** The place of the message with the calls, which its results follow; -1: the context does not show it. */
function placeOfCalls(
  messages: readonly SentToModel[],
  messageSeqs: readonly number[],
  { message, calls }: DecidedCalls,
): number {
  return messages.findIndex(
    ({ role, content }, index) =>
      role === 'assistant' &&
      messageSeqs[index] === message.seq &&
      typeof content !== 'string' &&
      messages[index + 1]?.role === 'tool' &&
      resultsOf(messages[index + 1]!).length === calls.length,
  )
}

function resultsOf({ content }: SentToModel) {
  return typeof content === 'string' ? [] : content.filter(part => part.type === 'tool-result')
}

/** A refused call has its result at once, but a page still has to be told. */
function isToBeSettled({ response, result }: AnsweredCall): boolean {
  return response !== null && (result === null || isDenial(result.output))
}

function isDenial(output: unknown): boolean {
  return (output as { type?: unknown } | undefined)?.type === 'execution-denied'
}

interface Pair {
  readonly asked: readonly ContentPart[]
  readonly answers: readonly object[]
}

function wholeCalls({ message, calls }: DecidedCalls, shown: readonly object[]): Pair {
  return {
    asked: askedContent(message),
    answers: calls.flatMap((call, index) => answerTo(call, shown[index]!)),
  }
}

/** Of a message that the context no longer shows, only the decided calls and the thoughts. */
function bareCalls({ message, decided }: DecidedCalls): Pair {
  const wanted = new Set<ContentPart>([...decided].flatMap(({ call, request }) => [call, request!]))
  return {
    asked: askedContent(message).filter(part => part.type === 'reasoning' || wanted.has(part)),
    answers: [...decided].flatMap(call => answerTo(call, {})),
  }
}

/** Thoughts are kept: some providers insist on them between a call and its result. */
function askedContent({ content }: Message): readonly ContentPart[] {
  if (typeof content === 'string') return []
  return content.filter(part => part.type !== 'reasoning' || part.text !== '' || 'providerOptions' in part)
}

function answerTo({ call, response, result }: AnsweredCall, shown: object): object[] {
  const { toolCallId, toolName } = call
  const answer =
    result && isDenial(result.output) ? { ...result, toolName } : { ...shown, toolCallId, toolName }
  if (response === null) return [answer]
  return result === null ? [response] : [response, answer]
}

/** Puts a note between the assistant's last words and calls that it made some time ago. */
function withWordBetween(messages: readonly SentToModel[], language: Language): readonly SentToModel[] {
  const last = messages.at(-1)
  if (last?.content === closingNote(language))
    return [...messages.slice(0, -1), bySystem(textsOf(language).messages.approvalCame, language)]
  if (last?.role !== 'assistant' && last?.role !== 'tool') return messages
  return [...messages, bySystem(textsOf(language).messages.approvalCame, language)]
}

/** Puts the notes about lost calls before the end: these calls were allowed, but cannot be carried out. */
export function withLostApprovals(
  messages: readonly SentToModel[],
  lost: readonly TurnApproval[],
  language: Language,
): readonly SentToModel[] {
  if (lost.length === 0) return messages
  const { approvalLost } = textsOf(language).messages
  const notes = lost.map(({ toolName }) => bySystem(approvalLost(toolName), language))
  const isClosed = messages.at(-1)?.content === closingNote(language)
  return [...(isClosed ? messages.slice(0, -1) : messages), ...notes]
}

function bySystem(text: string, language: Language): SentToModel {
  return { role: 'user', content: `[${textsOf(language).roles.system}]: ${text}` }
}
