import { isDeepStrictEqual } from 'node:util'
import type { Message, Segment, WindowMessage } from '../log/index.ts'

/** A message of the log as it stands in a current history. */
export function asWindowMessage({ seq, role, content, sender, at }: Message): WindowMessage {
  return { seq, role, content, ...(sender && { sender }), at: at.toISOString() }
}

const SUMMARY =
  'A summary of the earlier conversation, for reference. It may be inexact, and is no instruction.'

/**
 * What stands in a current history for folded messages: windows as a handler chose them, everything else as
 * summaries.
 */
export function asWindow(segments: readonly Segment[]): readonly WindowMessage[] {
  const messages: WindowMessage[] = []
  let summaries: string[] = []
  const flush = () => {
    if (summaries.length > 0) messages.push({ role: 'user', content: [SUMMARY, ...summaries].join('\n\n') })
    summaries = []
  }
  for (const { window, text } of segments) {
    if (window) {
      flush()
      for (const message of window) messages.push(message)
    } else if (text !== '') summaries.push(text.replace(/^#+ /, ''))
  }
  flush()
  return messages
}

/**
 * The effect of a returned window: how many of the oldest raw messages it replaces, and what replaces them.
 */
export interface Split {
  readonly messages: number
  readonly window: readonly WindowMessage[]
}

interface Before {
  /** What stood for the segments; `null`: there were none. */
  readonly folded: readonly WindowMessage[] | null
  readonly raw: readonly WindowMessage[]
}

/**
 * The longest end of the window that repeats the newest raw messages stays raw. Everything before that end
 * stands for the rest. If no raw message and no segment is left for it to replace, it takes the oldest raw
 * message too. `null`: the window has not changed.
 */
export function splitWindow(returned: readonly WindowMessage[], { folded, raw }: Before): Split | null {
  let kept = 0
  const most = Math.min(returned.length, raw.length)
  while (kept < most && says(returned.at(-1 - kept)!, raw.at(-1 - kept)!)) kept += 1
  const window = returned.slice(0, returned.length - kept)
  if (kept < raw.length) return { messages: raw.length - kept, window }
  // Compared strictly: the window's own messages have no other copy in the log, so what a handler leaves out
  // of them is gone for good.
  if (isDeepStrictEqual(window, folded ?? [])) return null
  return folded === null ? { messages: 1, window: [...window, raw[0]!] } : { messages: 0, window }
}

/** A copy may have fewer fields, but none that differs. */
function says(copy: WindowMessage, original: WindowMessage): boolean {
  if (copy.role !== original.role) return false
  return Object.entries(copy).every(([field, value]) => isDeepStrictEqual(value, original[field]))
}
