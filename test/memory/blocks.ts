import { expect } from 'vitest'
import type { Context } from '../../packages/palimpsest/src/index.ts'

/** How our own marks stand in a context: whatever is stored, each block is there once and whole. */

const IN_INSTRUCTIONS = [
  'persona',
  'global_memory',
  'guidance',
  'user_memory',
  'scope_memory',
  'chat_memory',
  'daily_log',
] as const
const IN_MESSAGES = ['session_memory', 'recent_changes', 'recalled_memory', 'recall'] as const
const OURS = [...IN_INSTRUCTIONS, ...IN_MESSAGES]
const TAG = new RegExp(`<\\s*(/?)\\s*(${OURS.join('|')})\\b[^\\S\\n]*(>?)`, 'gi')

/** What stands between a block's tags; `null`: there is no such block. */
export function blockIn(text: string, name: (typeof OURS)[number]): string | null {
  const from = text.indexOf(`<${name}>\n`)
  if (from === -1) return null
  return text.slice(from + name.length + 3, text.indexOf(`\n</${name}>`, from))
}

/** Our tags in a text, in their order: `chat_memory /chat_memory`. */
function tagsIn(text: string): string {
  return [...text.matchAll(TAG)].map(([, slash, name]) => `${slash}${name!.toLowerCase()}`).join(' ')
}

/** Every block that the report names is there, opened and closed once, and nothing else looks like one of them. */
export function checkBlocks({ instructions, messages, report, sessionMemory }: Context): void {
  const shown = new Set(report.blocks.map(({ name }) => name as string))
  const layers = IN_INSTRUCTIONS.filter(name => shown.has(name))
  expect(tagsIn(instructions)).toBe(layers.flatMap(name => [name, `/${name}`]).join(' '))
  const notes = messages.flatMap(({ content }) => (typeof content === 'string' ? [content] : []))
  for (const text of notes) {
    if (text === sessionMemory) {
      expect(tagsIn(text)).toBe('session_memory /session_memory')
      expect(text.endsWith('</session_memory>')).toBe(true)
    } else if (text.startsWith('<recent_changes>\n')) {
      expect(tagsIn(text)).toBe('recent_changes /recent_changes')
      expect(text.endsWith('\n</recent_changes>')).toBe(true)
    } else if (text.startsWith('<recalled_memory>\n')) {
      expect(tagsIn(text)).toBe('recalled_memory /recalled_memory')
      expect(text.endsWith('\n</recalled_memory>')).toBe(true)
    } else expect(tagsIn(text)).toBe('')
  }
  expect(notes.filter(text => text.startsWith('<recent_changes>'))).toHaveLength(
    shown.has('recent_changes') ? 1 : 0,
  )
  for (const { content } of messages)
    if (typeof content !== 'string')
      for (const part of content) {
        if (part.type === 'text') expect(tagsIn(part.text)).toBe('')
        if (part.type === 'tool-result') expect(tagsIn(String(part.output.value))).toBe('')
      }
}
