import { type AnsweredCall, type ContentPart, type Message, toolCallsIn } from '../log/index.ts'
import type { SentToModel } from './sdk.ts'

/**
 * The AI SDK runs a call that a person allowed when the prompt ends with the call, the request for approval and the
 * response. A context shows neither of the two, so that the calls that the log ends with are put at the end as the
 * SDK wants them, with the context's own words for the results that there are. The call has to be whole, and its id
 * the stored one: its result is stored by it.
 *
 * `newest`: the newest messages that the context shows, as they are in the log.
 */
export function withApprovals(
  messages: readonly SentToModel[],
  newest: readonly Message[],
): readonly SentToModel[] {
  const place = placeOfCalls(messages)
  const asking = newest.findLastIndex(({ role }) => role === 'assistant')
  const message = newest[asking]
  if (place === -1 || !message || newest.slice(asking + 1).some(({ role }) => role !== 'tool'))
    return messages
  const calls = toolCallsIn(newest.slice(asking))
  const shown = resultsOf(messages[place + 1]!)
  if (!calls.some(isToBeSettled) || shown.length !== calls.length) return messages
  return [
    ...messages.slice(0, place),
    // Notes that came after it: the prompt has to end with the response.
    ...messages.slice(place + 2),
    { ...messages[place], role: 'assistant', content: askedContent(message) } as SentToModel,
    {
      ...messages[place + 1],
      role: 'tool',
      content: calls.flatMap((call, index) => answerTo(call, shown[index]!)),
    } as SentToModel,
  ]
}

/** The last of the assistant's messages, if it has calls; -1: it has none, or what follows is no note. */
function placeOfCalls(messages: readonly SentToModel[]): number {
  const place = messages.findLastIndex(({ role }) => role === 'assistant')
  const isFollowedByNotes = messages.slice(place + 2).every(({ role }) => role === 'user')
  return place !== -1 && messages[place + 1]?.role === 'tool' && isFollowedByNotes ? place : -1
}

function resultsOf({ content }: SentToModel) {
  return typeof content === 'string' ? [] : content.filter(part => part.type === 'tool-result')
}

/** A refused one has its result at once; a page is told of it all the same. */
function isToBeSettled({ response, result }: AnsweredCall): boolean {
  return response !== null && (result === null || isDenial(result.output))
}

function isDenial(output: unknown): boolean {
  return (output as { type?: unknown } | undefined)?.type === 'execution-denied'
}

/** Thoughts too: between a call and its result some providers insist on them. */
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
