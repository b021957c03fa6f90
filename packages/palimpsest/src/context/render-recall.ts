import { type Language, textsOf } from '../language/index.ts'
import type { Message } from '../log/index.ts'
import { inert } from './inert.ts'
import { senderName } from './render-message.ts'

/** A message that is recalled, and what is shown of it. */
export interface RecalledPassage {
  readonly message: Message
  readonly text: string
  /** The text under our own headings, where some of it is not the sender's own. It is already made inert. */
  readonly shown?: string
}

/** What the search found for a call, in the order in which it was said. */
export function renderRecall(passages: readonly RecalledPassage[], language: Language): string {
  const inOrder = passages.toSorted((one, other) => one.message.seq - other.message.seq)
  const lines = inOrder.map((passage, place) =>
    recallLine(passage, { before: inOrder[place - 1]?.message ?? null, language }),
  )
  return ['<recall>', textsOf(language).recall, ...lines, '</recall>'].join('\n')
}

/** A line has no time where its message comes right after the line before, within this many minutes. */
const MAX_MINUTES_WITHOUT_TIME = 60

/**
 * One line of the recall. Senders are named as in a group, since two people may have one name. `before`: the
 * message of the line before.
 */
export function recallLine(
  { message, text, shown = inert(text) }: RecalledPassage,
  { before, language }: { readonly before: Message | null; readonly language: Language },
): string {
  const { role, sender } = message
  const name = sender ? senderName(message, language) : textsOf(language).roles[role]
  return `${timeOf(message, before)}[${name}]: ${shown}`
}

function timeOf({ seq, at }: Message, before: Message | null): string {
  const time = at.toISOString()
  if (before === null || before.at.toISOString().slice(0, 10) !== time.slice(0, 10))
    return `[${time.slice(0, 16).replace('T', ' ')}Z] `
  const isNext = seq - before.seq === 1 && minutesBetween(before.at, at) < MAX_MINUTES_WITHOUT_TIME
  return isNext ? '' : `[${time.slice(11, 16)}Z] `
}

function minutesBetween(one: Date, other: Date): number {
  return Math.abs(other.getTime() - one.getTime()) / 60_000
}
