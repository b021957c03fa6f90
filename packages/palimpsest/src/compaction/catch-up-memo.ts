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
  /** The memo has to include the messages through this one. */
  readonly throughSeq: number
  /** While fewer tokens than this are new to the memo, no call is made. */
  readonly leastTokens?: number
  readonly signal: AbortSignal
}

/**
 * Gives the memo the messages that no call for a summary gave it, oldest first. The calls take at most as
 * many tokens as one chunk of a summary. The rest waits for later folds. Messages that got no memo are tried
 * again at each later fold. If more of them wait than one fold would give, the oldest are passed over.
 * Rejects as the summariser does.
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

/** At most `MAX_SOURCE_TOKENS` of messages wait for another try. */
async function passOverSurplus({ store, key, keeper, throughSeq }: CatchUp): Promise<void> {
  for (;;) {
    const range = { fromSeq: keeper.memo.throughSeq + 1, toSeq: throughSeq, mostTokens: MAX_SOURCE_TOKENS }
    const { messages, isWhole } = await readMessages(store.log, key, range)
    if (isWhole) return
    keeper.giveUp(messages.at(-1)!.seq)
  }
}

/** The beginning and the end of a single message that is too large for a call. */
function ends(message: Parameters<typeof partsOf>[0], limit: number): readonly SourceMessage[] {
  const { parts } = partsOf(message, Math.floor(limit / 2))
  return parts.length < 2 ? parts : [parts[0]!, parts.at(-1)!]
}

/** Like `catchUpMemo`, but a failure becomes a warning, and the fold goes on. */
export async function catchUpMemoIfPossible(work: CatchUp, warn: (warning: string) => void): Promise<void> {
  try {
    await catchUpMemo(work)
  } catch (error) {
    work.signal.throwIfAborted()
    work.keeper.fallBehind()
    // The outcome reports a spend limit anyway.
    if (!SummarizerError.isSpendGuard(error)) warn(`memo_failed: ${failureReason(error)}`)
  }
}

/**
 * For a fold whose only work is the memo. If a spend limit is reached, the memo waits. Any other failure
 * fails the fold.
 */
export async function catchUpMemoUnlessSpent(work: CatchUp): Promise<void> {
  try {
    await catchUpMemo(work)
  } catch (error) {
    if (!SummarizerError.isSpendGuard(error)) throw error
    work.keeper.fallBehind()
  }
}
