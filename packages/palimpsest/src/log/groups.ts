import type { Links } from './links.ts'

/** The fields of a message that matter for a cut of the log. */
export interface LinkedMessage {
  readonly seq: number
  readonly turn: number
  readonly links: Links
}

/** The first and last index of messages that no cut may separate. */
export interface Group {
  readonly from: number
  readonly to: number
}

/**
 * The stretches that may not be cut: from a call to its result, from an approval's request to its response. A
 * call that is open in the last turn may still be answered, so its group runs to the end. A call that a later
 * turn left behind is no longer waited for.
 */
export function findGroups(messages: readonly LinkedMessage[]): Group[] {
  const calls = new Map<string, { readonly from: number; answered: boolean }>()
  const groups: Group[] = []
  for (const [index, { links }] of messages.entries()) {
    for (const id of links.closes) {
      const call = calls.get(id)
      if (call === undefined || call.from === index) continue
      call.answered = true
      groups.push({ from: call.from, to: index })
    }
    // Some models number their calls anew in every reply, so an id that is opened again is another call.
    for (const id of links.opens)
      if (!links.closes.includes(id)) calls.set(id, { from: index, answered: false })
  }
  const lastTurn = messages.at(-1)?.turn
  for (const { from, answered } of calls.values())
    if (!answered && messages[from]!.turn === lastTurn && from < messages.length - 1)
      groups.push({ from, to: messages.length - 1 })
  return groups
}

/** Tells whether a cut right before the message at an index splits no group. */
export function findCuts(messages: readonly LinkedMessage[]): (index: number) => boolean {
  const inGroup = new Int32Array(messages.length + 2)
  for (const { from, to } of findGroups(messages)) {
    inGroup[from + 1]! += 1
    inGroup[to + 1]! -= 1
  }
  for (let index = 1; index < inGroup.length; index++) inGroup[index]! += inGroup[index - 1]!
  return index => inGroup[index] === 0
}
