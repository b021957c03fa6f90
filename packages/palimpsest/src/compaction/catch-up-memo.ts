import type { SessionKey } from '../store/index.ts'
import { type SourceMessage, type Summarizer, SummarizerError } from '../summarizer/index.ts'
import { failureReason } from './failure-reason.ts'
import type { MemoKeeper } from './memo-keeper.ts'
import { type MessageReader, readMessages } from './read-messages.ts'
import { MAX_SOURCE_TOKENS, partsOf, sourceLimit, tokensOf } from './source.ts'

export interface CatchUp {
  readonly store: { readonly log: MessageReader }
  readonly key: SessionKey
  readonly keeper: MemoKeeper
  readonly summarizer: Summarizer
  /** The last message that the memo is to have seen. */
  readonly throughSeq: number
  /** It is not worth a call while there is less that it has not seen. */
  readonly leastTokens?: number
  readonly signal: AbortSignal
}

/**
 * Gives the memo what no summary's call gave it, oldest first, in as many calls as one chunk of a summary
 * would take; the rest has to wait for later folds. What got no memo is tried again at each of them, until
 * as much waits as one fold would give it: then the oldest of it is passed over. Rejects as the summariser does.
 */
async function catchUpMemo(work: CatchUp): Promise<void> {
  const { store, key, keeper, summarizer, throughSeq, leastTokens = 0 } = work
  if (!keeper.canUpdate || keeper.memo.throughSeq >= throughSeq) return
  if (!keeper.checkSize()) return keeper.fallBehind()
  const limit = sourceLimit(summarizer)
  for (let left = MAX_SOURCE_TOKENS; left > 0; ) {
    const fromSeq = keeper.memo.throughSeq + 1
    if (fromSeq > throughSeq) return
    const range = { fromSeq, toSeq: throughSeq, mostTokens: Math.min(limit, left) }
    const { messages, isWhole } = await readMessages(store.log, key, range)
    const tokens = tokensOf(messages)
    if (messages.length === 0 || tokens < leastTokens) return
    const given = tokens > limit ? ends(messages[0]!, limit) : messages
    try {
      await keeper.update(given)
    } catch (error) {
      if (failureReason(error) === 'no_memo') await passOverSurplus(work)
      throw error
    }
    if (keeper.memo.throughSeq < fromSeq) {
      await passOverSurplus(work)
      break
    }
    if (isWhole) return
    left -= tokens
  }
  keeper.fallBehind()
}

/** Of what waits for a memo, only so much is kept for another try. */
async function passOverSurplus({ store, key, keeper, throughSeq }: CatchUp): Promise<void> {
  for (;;) {
    const range = { fromSeq: keeper.memo.throughSeq + 1, toSeq: throughSeq, mostTokens: MAX_SOURCE_TOKENS }
    const { messages, isWhole } = await readMessages(store.log, key, range)
    if (isWhole) return
    keeper.giveUp(messages.at(-1)!.seq)
  }
}

/** A single message that is larger than a call: its beginning and its end. */
function ends(message: Parameters<typeof partsOf>[0], limit: number): readonly SourceMessage[] {
  const { parts } = partsOf(message, Math.floor(limit / 2))
  return parts.length < 2 ? parts : [parts[0]!, parts.at(-1)!]
}

/** The same as a side matter: the fold goes on without it, and says so. */
export async function catchUpMemoIfPossible(work: CatchUp, warn: (warning: string) => void): Promise<void> {
  try {
    await catchUpMemo(work)
  } catch (error) {
    work.signal.throwIfAborted()
    work.keeper.fallBehind()
    // Of that the outcome tells anyway.
    if (!SummarizerError.isSpendGuard(error)) warn(`memo_failed: ${failureReason(error)}`)
  }
}

/** All that there is to do: the memo waits where there is no more to spend, and fails as the summariser does. */
export async function catchUpMemoUnlessSpent(work: CatchUp): Promise<void> {
  try {
    await catchUpMemo(work)
  } catch (error) {
    if (!SummarizerError.isSpendGuard(error)) throw error
    work.keeper.fallBehind()
  }
}
