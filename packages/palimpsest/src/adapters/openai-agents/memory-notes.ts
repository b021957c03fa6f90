import type { AgentInputItem } from '@openai/agents'
import { BoundedMap } from '../../bounded-map.ts'
import type { Context } from '../../contexts.ts'
import { asItem } from './item-format.ts'

/**
 * What memory adds to the items of a session: the summary of what was folded, and the changes in memory since
 * the instructions were made. Neither is ever stored: if the SDK hands one back, it is recognized.
 */

const FRAMES = [
  { opening: '<session_memory>\n', closing: '\n</session_memory>' },
  { opening: '<recent_changes>\n', closing: '\n</recent_changes>' },
] as const

const MAX_KNOWN = 10_000

/** Digests of the notes that this process has given, by session. */
const given = new BoundedMap<string, true>(MAX_KNOWN)

export function memoryItem(text: string, sessionId: string): AgentInputItem {
  given.set(nameOf(text, sessionId), true)
  return { type: 'message', role: 'user', content: text }
}

/**
 * The changes in memory, where a context tells them. Text of people is made inert, so it cannot look like
 * this.
 */
export function recentChanges({ messages }: Context): string | null {
  const found = messages.find(({ role, content }) => role === 'user' && isFramed(content, FRAMES[1]))
  return found === undefined ? null : (found.content as string)
}

export function isMemoryText(text: string, sessionId: string): boolean {
  return given.has(nameOf(text, sessionId))
}

/** The text of an item in the form of such a note; `null`: the item has another form and is no note. */
export function framedText(item: AgentInputItem): string | null {
  const { role, content } = asItem(item)
  if (role !== 'user') return null
  const text = onlyText(content)
  return FRAMES.some(frame => isFramed(text, frame)) ? (text as string) : null
}

/** Some callers turn every text into a list of entries. */
function onlyText(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content
  return (content[0] as { text?: unknown } | null)?.text
}

function isFramed(content: unknown, { opening, closing }: (typeof FRAMES)[number]): boolean {
  return typeof content === 'string' && content.startsWith(opening) && content.endsWith(closing)
}

function nameOf(text: string, sessionId: string): string {
  // Loaded only when needed: few sessions are folded.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(JSON.stringify([sessionId, text]))
    .digest('base64')
}
