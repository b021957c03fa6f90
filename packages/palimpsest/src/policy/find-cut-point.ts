import { findCuts, type LinkedMessage } from '../log/index.ts'
import type { Boundary } from './policy.ts'

/**
 * How many of the oldest messages to fold, close to `wanted`, without splitting a group. The cut moves
 * towards the older end first. It moves forward only if nothing would be left to fold. The newest message
 * always stays raw. 0: there is no place to cut.
 */
export function findCutPoint(messages: readonly LinkedMessage[], wanted: number, boundary: Boundary): number {
  if (wanted <= 0) return 0
  const allowed = legalCuts(messages, boundary)
  const start = Math.min(wanted, messages.length - 1)
  for (let cut = start; cut > 0; cut--) if (allowed(cut)) return cut
  for (let cut = start + 1; cut < messages.length; cut++) if (allowed(cut)) return cut
  return 0
}

/** A cut at `n` lies between messages `n - 1` and `n`. */
function legalCuts(messages: readonly LinkedMessage[], boundary: Boundary): (cut: number) => boolean {
  const splitsNoGroup = findCuts(messages)
  return cut => {
    if (!splitsNoGroup(cut)) return false
    if (boundary === 'message') return true
    return messages[cut - 1]!.turn !== messages[cut]!.turn
  }
}

/** Whether one of the oldest `count` messages opens a call or an approval that no message at hand closes. */
export function hasOpenCall(messages: readonly LinkedMessage[], count: number): boolean {
  const open = new Set<string>()
  for (const [index, { links }] of messages.entries()) {
    for (const id of links.closes) open.delete(id)
    if (index < count) for (const id of links.opens) if (!links.closes.includes(id)) open.add(id)
    // An id that is opened again is another call. The earlier call is no longer waited for.
    if (index >= count) for (const id of links.opens) open.delete(id)
  }
  return open.size > 0
}
