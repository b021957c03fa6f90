import type {
  ContentPart,
  Message,
  ToolApprovalRequestPart,
  ToolApprovalResponsePart,
  ToolCallPart,
  ToolResultPart,
} from './message.ts'

/** A call, and what came of it in later messages. */
export interface AnsweredCall {
  readonly call: ToolCallPart
  readonly message: Message
  /** The place among the calls of its message. */
  readonly place: number
  readonly request: ToolApprovalRequestPart | null
  readonly response: ToolApprovalResponsePart | null
  readonly result: ToolResultPart | null
}

type Open = { -readonly [Field in keyof AnsweredCall]: AnsweredCall[Field] }

/**
 * The assistant's calls, in order. Some models number their calls anew in every reply. So a result belongs to
 * the nearest earlier message that has a call of its id without a result, and there to the first such call.
 */
export function toolCallsIn(messages: readonly Message[]): AnsweredCall[] {
  const calls: Open[] = []
  const open = new Map<string, Open[]>()
  const requested = new Map<string, Open>()
  for (const message of messages) {
    const made: Open[] = []
    for (const part of partsOf(message)) {
      if (part.type === 'tool-call' && message.role === 'assistant') {
        const call = { call: part, message, place: made.length, request: null, response: null, result: null }
        made.push(call)
        const alike = open.get(part.toolCallId)
        if (alike) alike.push(call)
        else open.set(part.toolCallId, [call])
      } else if (part.type === 'tool-result') {
        const answered = takeNearest(open.get(part.toolCallId))
        if (answered) answered.result = part
      } else if (part.type === 'tool-approval-request') {
        const asked = made.find(({ call, request }) => !request && call.toolCallId === part.toolCallId)
        if (!asked) continue
        asked.request = part
        requested.set(part.approvalId, asked)
      } else if (part.type === 'tool-approval-response') {
        const asked = requested.get(part.approvalId)
        if (asked) asked.response ??= part
      }
    }
    calls.push(...made)
  }
  return calls
}

function partsOf({ content }: Message): readonly ContentPart[] {
  return typeof content === 'string' ? [] : content
}

function takeNearest(open: Open[] | undefined): Open | undefined {
  const nearest = open?.at(-1)
  if (!open || !nearest) return undefined
  let first = open.length - 1
  while (first > 0 && open[first - 1]!.message === nearest.message) first -= 1
  return open.splice(first, 1)[0]
}
