import type { SentToModel } from './sdk.ts'

/** OpenAI refuses longer ids, and a number follows these characters. */
const MAX_STEM_CHARACTERS = 30

/**
 * Some models number their calls anew in every reply, but providers want each id only once. A call with the
 * id of an earlier call is sent under another id. So is its result, which follows it.
 */
export function withUniqueIds(
  before: readonly SentToModel[],
  messages: readonly SentToModel[],
): readonly SentToModel[] {
  const taken = new Set(before.flatMap(idsIn))
  const instead = new Map<string, string>()
  return messages.map(message => {
    if (message.role === 'assistant')
      for (const id of new Set(callIdsIn(message))) {
        instead.set(id, taken.has(id) ? idBeside(id, taken) : id)
        taken.add(instead.get(id)!)
      }
    return renamed(message, instead)
  })
}

/** Renames the ids in `messages` that are also in `ids`, the ids of calls to come. */
export function withoutIds(
  messages: readonly SentToModel[],
  ids: ReadonlySet<string>,
): readonly SentToModel[] {
  const taken = new Set([...ids, ...messages.flatMap(idsIn)])
  const instead = new Map<string, string>()
  for (const id of ids) {
    instead.set(id, idBeside(id, taken))
    taken.add(instead.get(id)!)
  }
  return messages.map(message => renamed(message, instead))
}

function idBeside(id: string, taken: ReadonlySet<string>): string {
  for (let count = 2; ; count++) {
    const other = `${id.slice(0, MAX_STEM_CHARACTERS)}_n${count}`
    if (!taken.has(other)) return other
  }
}

function renamed(message: SentToModel, instead: ReadonlyMap<string, string>): SentToModel {
  const isOther = (id: string) => (instead.get(id) ?? id) !== id
  if (!idsIn(message).some(isOther)) return message
  const content = (message.content as readonly object[]).map(part =>
    'toolCallId' in part
      ? { ...part, toolCallId: instead.get(String(part.toolCallId)) ?? part.toolCallId }
      : part,
  )
  return { ...message, content } as SentToModel
}

function idsIn({ content }: SentToModel): string[] {
  if (typeof content === 'string') return []
  return content.flatMap(part => ('toolCallId' in part ? [part.toolCallId] : []))
}

function callIdsIn({ content }: SentToModel): string[] {
  if (typeof content === 'string') return []
  return content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []))
}
