import { EpochConflictError } from '../errors.ts'
import {
  type Decision,
  type FoldPlan,
  isPlanFinal,
  measure,
  type PlanInput,
  type Policy,
  planChapter,
  planFold,
  planOldest,
  type RawMessage,
  takeSnapshot,
} from '../policy/index.ts'
import type { Chapter, FoldStore, SessionKey, SessionRecord } from '../store/index.ts'
import type { FoldOutcome } from './outcome.ts'
import { pause } from './pause.ts'

/** The most tokens of one fold. A long backlog takes several folds, each with its own commit. */
export const MAX_FOLD_TOKENS = 90_000
const MIN_FOLD_TOKENS = 6_000
const MAX_FOLD_MESSAGES = 4_000

/**
 * Each failure halves the size of the next try. A slow model, or one that fails at one place, thus still
 * makes progress.
 */
function foldTokens(failures: number): number {
  return Math.max(MIN_FOLD_TOKENS, MAX_FOLD_TOKENS / 2 ** failures)
}

/** A fold of nearly this size was cut by the limits, so more of the same backlog follows. */
export function reachesFoldLimit({ tokensBefore, fromSeq, toSeq }: FoldOutcome): boolean {
  const messages = (toSeq ?? 0) - (fromSeq ?? 0)
  return tokensBefore > MAX_FOLD_TOKENS * 0.8 || messages > MAX_FOLD_MESSAGES * 0.8
}

/**
 * Rows of a page. The first page is nearly always enough. No page is so large that other work has to wait.
 */
const FIRST_PAGE = 256
const LARGEST_PAGE = 1_024

export interface NextFold {
  readonly plan: FoldPlan
  readonly chapter: Chapter
  /** The session when the range was frozen. */
  readonly session: SessionRecord & { readonly head: NonNullable<SessionRecord['head']> }
}

/** A plan for all raw messages, with these messages, so that the handler can make a smaller plan. */
export interface WholeFold extends NextFold {
  readonly raw: readonly RawMessage[]
}

interface PlanReader {
  readonly folds: Pick<FoldStore, 'readPlan'>
}

/**
 * Plans the next fold of a decision. It reads the oldest raw messages, as far as one fold reaches, and knows
 * the rest by their totals. So a million raw messages cost no more than a thousand. `null`: there is no
 * message.
 */
export async function planNext(
  { store: { folds }, policy, clock }: { store: PlanReader; policy: Policy; clock: () => number },
  key: SessionKey,
  decision: Decision,
): Promise<NextFold | null> {
  const first = await folds.readPlan(key, { limit: FIRST_PAGE })
  const head = first?.session.head
  if (!first || !head) return null
  const session = { ...first.session, head }
  const { chapter } = first
  if (chapter.throughSeq !== null) return planEnded(folds, key, { ...first, session, decision })
  const figures = measure(head, session.state, clock())
  const snapshot = takeSnapshot(policy, figures, null)
  const raw = [...first.raw]
  for (let limit = FIRST_PAGE; ; limit = Math.min(LARGEST_PAGE, limit * 2)) {
    const messages = figures.raw.messages - raw.length
    const input: PlanInput = {
      policy,
      decision,
      raw,
      unread:
        messages <= 0 ? undefined : { messages, ...unreadSize(figures.raw, raw), ...lastTurn(head.totals) },
      lastTurnComplete: head.totals.complete,
      snapshot,
      mostTokens: foldTokens(session.failures),
      mostMessages: MAX_FOLD_MESSAGES,
    }
    const plan = planFold(input)
    if (isPlanFinal(input, plan)) return { plan, session, chapter }
    raw.push(...(await readMore(folds, key, { session, after: raw.at(-1)?.seq ?? 0, limit })))
  }
}

/** Plans for an ended chapter. It reads as many messages as one fold takes. */
async function planEnded(
  folds: PlanReader['folds'],
  key: SessionKey,
  { session, chapter, raw: first, decision }: Omit<WholeFold, 'plan'> & { readonly decision: Decision },
): Promise<NextFold> {
  const raw = [...first]
  const limits = { mostTokens: foldTokens(session.failures), mostMessages: MAX_FOLD_MESSAGES }
  let isAll = raw.length < FIRST_PAGE
  while (!isAll && raw.length <= MAX_FOLD_MESSAGES && tokensOf(raw) <= limits.mostTokens) {
    const page = await readPage(folds, key, { session, after: raw.at(-1)!.seq, limit: LARGEST_PAGE })
    raw.push(...page)
    isAll = page.length < LARGEST_PAGE
  }
  return { plan: planChapter({ decision, raw, isAll, ...limits }), session, chapter }
}

function tokensOf(raw: readonly RawMessage[]): number {
  return raw.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Reads all raw messages, for a handler that decides how many of them it folds. */
export async function planWhole(
  { store: { folds } }: { store: PlanReader },
  key: SessionKey,
  decision: Decision,
): Promise<WholeFold | null> {
  const first = await folds.readPlan(key, { limit: FIRST_PAGE })
  const head = first?.session.head
  if (!first || !head) return null
  const session = { ...first.session, head }
  const raw = [...first.raw]
  for (;;) {
    const after = raw.at(-1)?.seq ?? session.state.compactedThrough
    if (after >= head.seq) break
    for (const message of await readMore(folds, key, { session, after, limit: LARGEST_PAGE }))
      raw.push(message)
  }
  const plan = planOldest(decision, { raw, lastTurnComplete: head.totals.complete }, raw.length)
  return { plan, session, chapter: first.chapter, raw }
}

interface Page {
  readonly session: NextFold['session']
  readonly after: number
  readonly limit: number
}

async function readMore(
  folds: PlanReader['folds'],
  key: SessionKey,
  page: Page,
): Promise<readonly RawMessage[]> {
  const raw = await readPage(folds, key, page)
  if (raw.length > 0) return raw
  const { epoch } = page.session
  throw new EpochConflictError({ sessionId: key.id, expected: epoch, actual: epoch })
}

async function readPage(
  folds: PlanReader['folds'],
  key: SessionKey,
  { session, after, limit }: Page,
): Promise<readonly RawMessage[]> {
  await pause()
  const page = await folds.readPlan(key, { after, through: session.head.seq, limit })
  if (page?.session.epoch !== session.epoch)
    throw new EpochConflictError({
      sessionId: key.id,
      expected: session.epoch,
      actual: page?.session.epoch ?? 0,
    })
  return page.raw
}

function unreadSize(
  all: { characters: number; tokens: number },
  raw: readonly RawMessage[],
): { characters: number; tokens: number } {
  let { characters, tokens } = all
  for (const message of raw) {
    characters -= message.characters
    tokens -= message.tokens
  }
  return { characters, tokens }
}

function lastTurn({ turn, position }: { turn: number; position: number }) {
  return { lastTurn: turn, lastTurnMessages: position }
}
