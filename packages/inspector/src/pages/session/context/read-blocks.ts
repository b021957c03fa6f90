import type { ContextAnswer, ModelMessage } from '../../../api/types.ts'

export interface ShownMessage {
  readonly message: ModelMessage
  readonly tokens: number
  /** 0: the message is not in the log. */
  readonly seq: number
}

/** A block of a context with its content. */
export interface ShownBlock {
  readonly key: string
  readonly name: string
  readonly tokens: number
  /** `null`: the block has no text in the conversation (tools, room for the reply). */
  readonly text: string | null
  readonly messages: readonly ShownMessage[]
}

export interface ShownContext {
  /** Later contexts begin with these blocks, byte for byte, until the epoch ends. */
  readonly stable: readonly ShownBlock[]
  readonly stableTokens: number
  /** Blocks that the next call may change. */
  readonly changing: readonly ShownBlock[]
  /** Room that is kept free. None of it is sent. */
  readonly reserve: ShownBlock | null
}

/** Stored text cannot contain these tags: the server removes their bracket. */
const VOLATILE = ['recent_changes', 'recalled_memory', 'recall'] as const

/**
 * Puts the text of a context into the blocks that its report counts, and splits them where the cached part
 * ends.
 */
export function readBlocks(context: ContextAnswer): ShownContext {
  const { report } = context
  const places = placesOf(context)
  const stable: ShownBlock[] = []
  const changing: ShownBlock[] = []
  let reserve: ShownBlock | null = null
  for (const { name, tokens } of report.blocks) {
    const block = { key: name, name, tokens, text: null, messages: [] }
    const place = places.get(name)
    if (name === 'output_reserve') reserve = block
    else if (place === undefined) stable.push({ ...block, text: fixedText(context, name) })
    else {
      const [from, to] = place
      // The stable part may end inside a block, for example while a tool's result is awaited.
      const end = Math.min(Math.max(from, report.stableMessages), to)
      const all = messagesOf(context, name, place)
      const [above, below] = [all.slice(0, end - from), all.slice(end - from)]
      const belowTokens = partOf(tokens, below, all)
      if (above.length > 0) stable.push({ ...block, tokens: tokens - belowTokens, messages: above })
      if (below.length > 0)
        changing.push({ ...block, key: `${name}-changing`, tokens: belowTokens, messages: below })
    }
  }
  const stableTokens = stable.reduce((sum, { tokens }) => sum + tokens, 0)
  return { stable, stableTokens, changing, reserve }
}

/** The range of messages in each block: from, to. */
function placesOf({ messages, messageSeqs, report }: ContextAnswer): Map<string, readonly [number, number]> {
  const has = (name: string) => report.blocks.some(block => block.name === name)
  const places = new Map<string, readonly [number, number]>()
  const first = has('session_memory') ? 1 : 0
  if (first > 0) places.set('session_memory', [0, 1])
  const volatile = VOLATILE.filter(has).map(
    name => [name, messages.findLastIndex(message => opensWith(message, name))] as const,
  )
  const found = volatile.filter(([, place]) => place >= first)
  for (const [name, place] of found) places.set(name, [place, place + 1])
  let current = messages.length
  if (found.length > 0) current = Math.max(...found.map(([, place]) => place)) + 1
  else if (has('current'))
    while (
      current > first &&
      messages[current - 1]!.role === 'user' &&
      messageSeqs[current - 1] === report.throughSeq
    )
      current -= 1
  places.set('raw', [first, Math.min(current, ...found.map(([, place]) => place))])
  places.set('current', [current, messages.length])
  return places
}

function opensWith({ content }: ModelMessage, name: string): boolean {
  return typeof content === 'string' && content.startsWith(`<${name}>`)
}

function messagesOf(
  { messages, messageTokens, messageSeqs }: ContextAnswer,
  name: string,
  [from, to]: readonly [number, number],
): readonly ShownMessage[] {
  // A note at the end has the number of the message before it, but is not in the log.
  const isNote = name !== 'raw' && from > 0 && messageSeqs[from] === messageSeqs[from - 1]
  return messages.slice(from, to).map((message, place) => ({
    message,
    tokens: messageTokens[from + place]!,
    seq: isNote ? 0 : messageSeqs[from + place]!,
  }))
}

/** The report counts in the tokens of the model, but the messages are counted in our own estimate. */
function partOf(tokens: number, part: readonly ShownMessage[], whole: readonly ShownMessage[]): number {
  const sum = (messages: readonly ShownMessage[]) => messages.reduce((total, each) => total + each.tokens, 0)
  return Math.round((tokens * sum(part)) / Math.max(1, sum(whole)))
}

/**
 * Each memory document is in the instructions, in a block of its own. The rest of the instructions are the
 * caller's own words.
 */
function fixedText({ instructions, report }: ContextAnswer, name: string): string | null {
  if (name === 'tools') return null
  if (name !== 'instructions') return blockIn(instructions, name)
  const firstMemory = report.blocks
    .map(block => instructions.indexOf(`<${block.name}>\n`))
    .filter(place => place >= 0)
  return instructions.slice(0, Math.min(...firstMemory, instructions.length)).trim()
}

function blockIn(text: string, name: string): string | null {
  const from = text.indexOf(`<${name}>\n`)
  const end = `</${name}>`
  const to = text.indexOf(end, from)
  return from < 0 || to < 0 ? null : text.slice(from, to + end.length)
}
