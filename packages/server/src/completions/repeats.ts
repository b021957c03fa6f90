import { isSame, type Print } from './fingerprint.ts'

/** How long after its question the repeat of a client is one; later the same words are new. */
export const RETRY_MS = 120_000

/** A message of the log. */
export interface Stored extends Print {
  /** Milliseconds since it was stored. */
  readonly age: number
}

/**
 * A list that is new as a whole may still be sent twice: how many replies at our end are to be given anew, where what
 * stands before them is the list; `null`: it is new. Only replies that broke off are given anew, unless the client
 * says that it tries again, and soon after.
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
