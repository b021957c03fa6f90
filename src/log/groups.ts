import type { Links } from './links.ts'

/** A message as far as cutting the log is concerned. */
export interface LinkedMessage {
  readonly seq: number
  readonly turn: number
  readonly links: Links
}

/** First and last index of messages between which no cut may fall. */
export interface Group {
  readonly from: number
  readonly to: number
}

/**
 * The stretches that may not be cut: from a call to its result, from an approval's request to its
 * response. A call that is still open in the last turn may yet be answered, so its group runs to the
 * end; one that a later turn left behind is no longer waited for.
 */
export function findGroups(messages: readonly LinkedMessage[]): Group[] {
  const opened = new Map<string, number>()
  const groups: Group[] = []
  for (const [index, { links }] of messages.entries()) {
    for (const id of links.closes) {
      const from = opened.get(id)
      if (from !== undefined && from < index) groups.push({ from, to: index })
    }
    for (const id of links.opens) if (!links.closes.includes(id)) opened.set(id, index)
  }
  const answered = new Set(messages.flatMap(({ links }) => links.closes))
  const lastTurn = messages.at(-1)?.turn
  for (const [id, from] of opened)
    if (!answered.has(id) && messages[from]!.turn === lastTurn && from < messages.length - 1)
      groups.push({ from, to: messages.length - 1 })
  return groups
}
