import { isSame, type Print } from './fingerprint.ts'

/**
 * How long after the question a client's repeat counts as a repeat, in
 * milliseconds. Later the same words are new.
 */
export const RETRY_MS = 120_000

/** A message of the log. */
export interface Stored extends Print {
  /** The time since the message was stored, in milliseconds. */
  readonly age: number
}

/**
 * Finds a list of only new messages that the client sends twice. Gives the number of replies at our
 * end to generate again, if the list stands right before them. `null`: the list is new. Only
 * replies that broke off are generated again. If the client says that it retries, complete replies
 * are too, but only soon after the question.
 */
export function repliesToRepeat(
  ours: readonly Stored[],
  theirs: readonly Print[],
  { isRetry }: { readonly isRetry: boolean },
): number | null {
  if (theirs.length === 0) return null
  for (let replies = 0; replies + theirs.length <= ours.length; replies++) {
    const last = replies === 0 ? null : ours.at(-replies)!
    if (last && !(isRetry ? isReply(last) : last.isBrokenOff)) return null
    const from = ours.length - replies - theirs.length
    if (!theirs.every((each, place) => isSame(ours[from + place]!, each))) continue
    const isAnswered = ours.slice(ours.length - replies).some(({ isBrokenOff }) => !isBrokenOff)
    return isAnswered && ours[from]!.age >= RETRY_MS ? null : replies
  }
  return null
}

function isReply({ role }: Print): boolean {
  return role === 'assistant' || role === 'tool'
}
