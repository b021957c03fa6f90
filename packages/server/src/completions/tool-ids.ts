import type { Content, ContentPart, ToolCallPart } from 'palimpsest/internals/log/index'
import { callText, type Said } from './fingerprint.ts'

type Names = ReadonlyMap<string, string>

/**
 * Some clients give calls ids of their own: which id of ours each of theirs stands for, in the same reply. By tool and
 * arguments, and what is left by its order.
 */
export function renamedCalls(ours: Content, theirs: Content): Names {
  const left = callsIn(ours)
  const renamed = new Map<string, string>()
  const take = (call: ToolCallPart, place: number) => {
    const [taken] = place === -1 ? [] : left.splice(place, 1)
    if (taken) renamed.set(call.toolCallId, taken.toolCallId)
  }
  const waysToTell: ((one: ToolCallPart, other: ToolCallPart) => boolean)[] = [
    (one, other) => one.toolCallId === other.toolCallId,
    (one, other) => callText(one) === callText(other),
    () => true,
  ]
  for (const isSameCall of waysToTell)
    for (const call of callsIn(theirs))
      if (!renamed.has(call.toolCallId))
        take(
          call,
          left.findIndex(other => isSameCall(other, call)),
        )
  return renamed
}

/** The names of the tools that were called, by the ids of the calls. */
export function namesOfCalls(messages: readonly Said[]): Names {
  const calls = messages.flatMap(({ content }) => callsIn(content))
  return new Map(calls.map(({ toolCallId, toolName }) => [toolCallId, toolName]))
}

/** A tool's result with the id of our call, and with the tool's name where it came without the call. */
export function withOurCalls<Message extends Said>(message: Message, ids: Names, names: Names): Message {
  const { role, content } = message
  if (role !== 'tool' || typeof content === 'string') return message
  return { ...message, content: content.map(part => withOurCall(part, ids, names)) }
}

function withOurCall(part: ContentPart, ids: Names, names: Names): ContentPart {
  if (part.type !== 'tool-result') return part
  const toolCallId = ids.get(part.toolCallId) ?? part.toolCallId
  const toolName = part.toolName ?? names.get(toolCallId)
  return { ...part, toolCallId, ...(toolName !== undefined && { toolName }) }
}

function callsIn(content: Content): ToolCallPart[] {
  return typeof content === 'string' ? [] : content.filter(part => part.type === 'tool-call')
}
