import { isAttachment, isBytes, summarizeAttachment } from './attachment.ts'
import { modelText } from './content.ts'
import type { AttachmentPart, Content, ContentPart } from './message.ts'
import { originNames, originOf } from './origin.ts'

/** The tools by which a model writes into memory and reads the log. What they say is known already. */
export const MEMORY_TOOL_NAMES = [
  'write_memory',
  'write_user_memory',
  'write_chat_memory',
  'query_history',
  'expand_history',
] as const
export type MemoryToolName = (typeof MEMORY_TOOL_NAMES)[number]

/** Frameworks put a prefix before the names of foreign tools. */
const MEMORY_TOOL = new RegExp(`(?:^|[_.:/-])(?:${MEMORY_TOOL_NAMES.join('|')})$`)
const LEFT_OUT = '(from memory; not repeated here)'

/**
 * Leaves out what memory tools gave back or were told, text that is marked as recalled, and text that was not
 * delivered. So nothing is summarised, indexed or learned from itself. What else people and the assistant
 * said stays as it is.
 */
export function withoutRecalled<M extends { readonly content: Content }>(
  messages: readonly M[],
): readonly M[] {
  const calls = new Set<string>()
  return messages.map(message => {
    const { content } = message
    if (typeof content === 'string') return message
    for (const part of content)
      if (part.type === 'tool-call' && isMemoryTool(part)) calls.add(part.toolCallId)
    if (!content.some(part => isRecalled(part, calls))) return message
    return { ...message, content: content.map(part => (isRecalled(part, calls) ? leftOut(part) : part)) }
  })
}

/**
 * All that a person may search for in a message: what people and tools said, and the names of files. It
 * leaves out reasoning and what memory gave back. It is made from the message alone, so it is always the
 * same.
 */
export function searchableText(content: Content): string {
  if (typeof content === 'string') return content
  const said = withoutRecalled([{ content }])[0]!.content as readonly ContentPart[]
  const heard = said.filter(part => part.type !== 'reasoning' && !isLeftOut(part))
  const names = heard.filter(isAttachment).flatMap(attachmentNames)
  const origins = heard.flatMap(part => originOf(part) ?? []).flatMap(originNames)
  return [modelText(heard), ...names, ...new Set(origins)].filter(Boolean).join('\n')
}

/** Names and addresses, and never bytes. */
function attachmentNames(part: AttachmentPart): readonly string[] {
  const names = [part['name'], part['filename'], part['url'], part['path']].filter(isName)
  // The terms of images and files never change, because the index has to know a message by the same terms for
  // ever.
  if (part.type === 'image' || part.type === 'file') return names
  const { ref, meta } = summarizeAttachment(part)
  const known = [meta['name'], ref].filter(name => isName(name) && !isBytes(name)) as string[]
  return [...new Set([...names, ...known])]
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= 2_000 && !name.startsWith('data:')
}

function isRecalled(part: ContentPart, calls: ReadonlySet<string>): boolean {
  if (part.type === 'text') return part.recalled === true || part.undelivered === 'all'
  if (part.type === 'tool-call') return isMemoryTool(part)
  if (part.type !== 'tool-result') return false
  return isMemoryTool(part) || calls.has(part.toolCallId) || isFlagged(part.output)
}

function isMemoryTool({ toolName }: { readonly toolName?: string }): boolean {
  return toolName !== undefined && MEMORY_TOOL.test(toolName)
}

/** Recognised by the flag in every result of a memory tool, whatever the tool is called. */
function isFlagged(output: unknown): boolean {
  if (typeof output === 'string') return /^\s{0,20}\{\s{0,20}"recalled"\s{0,20}:\s{0,20}true\b/.test(output)
  if (typeof output !== 'object' || output === null) return false
  // In a list of parts, the first part has the flag.
  if (Array.isArray(output)) return output.length > 0 && isFlagged(output[0])
  const { recalled, value, content, text } = output as Record<string, unknown>
  return recalled === true || [value, content, text].some(inner => inner !== undefined && isFlagged(inner))
}

function isLeftOut(part: ContentPart): boolean {
  return (
    (part.type === 'tool-call' && isMemoryTool(part)) ||
    (part.type === 'tool-result' && part.output === LEFT_OUT)
  )
}

function leftOut(part: ContentPart): ContentPart {
  if (part.type === 'text') return { ...part, text: '' }
  if (part.type === 'tool-call') return { ...part, input: {} }
  if (part.type === 'tool-result') return { ...part, output: LEFT_OUT }
  return part
}
