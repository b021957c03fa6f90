import type { AgentInputItem } from '@openai/agents'
import { BoundedMap } from '../../bounded-map.ts'
import type { Context } from '../../contexts.ts'
import { asItem } from './item-format.ts'

/**
 * What memory adds to the items of a session: the summary of what was folded, and what changed in memory since the
 * instructions were made. Neither is ever stored: should the SDK hand one back, it is known again.
 */

const FRAMES = [
  { opening: '<session_memory>\n', closing: '\n</session_memory>' },
  { opening: '<recent_changes>\n', closing: '\n</recent_changes>' },
] as const

const MAX_KNOWN = 10_000

/** Digests of those that this process has given, by session. */
const given = new BoundedMap<string, true>(MAX_KNOWN)

export function memoryItem(text: string, sessionId: string): AgentInputItem {
  given.set(nameOf(text, sessionId), true)
  return { type: 'message', role: 'user', content: text }
}

/** What changed in memory, where a context says so. Nothing that people say can look like it. */
export function recentChanges({ messages }: Context): string | null {
  const found = messages.find(({ role, content }) => role === 'user' && isFramed(content, FRAMES[1]))
  return found === undefined ? null : (found.content as string)
}

export function isMemoryText(text: string, sessionId: string): boolean {
  return given.has(nameOf(text, sessionId))
}

/** The text of an item that has the form of such a note; `null`: it has not, and can be none. */
export function framedText(item: AgentInputItem): string | null {
  const { role, content } = asItem(item)
  if (role !== 'user') return null
  const text = onlyText(content)
  return FRAMES.some(frame => isFramed(text, frame)) ? (text as string) : null
}

/** Some make a list of entries of every text. */
function onlyText(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content
  return (content[0] as { text?: unknown } | null)?.text
}

function isFramed(content: unknown, { opening, closing }: (typeof FRAMES)[number]): boolean {
  return typeof content === 'string' && content.startsWith(opening) && content.endsWith(closing)
}

function nameOf(text: string, sessionId: string): string {
  // Loaded only where it is needed: few sessions are folded.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(JSON.stringify([sessionId, text]))
    .digest('base64')
}
