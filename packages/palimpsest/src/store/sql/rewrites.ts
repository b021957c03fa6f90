import type { SessionRow } from './rows.ts'
import { run, type Steps } from './steps.ts'

/** The epoch that began with an edit, and the edited message. */
type Rewrite = readonly [epoch: number, seq: number]

/** After more edits than this during one fold, the fold has to start again. */
const MAX_KEPT = 500

export function* noteRewrite(session: SessionRow, seq: number): Steps<void> {
  const rewrites = [...readRewrites(session), [session.epoch + 1, seq]].slice(-MAX_KEPT)
  yield* run('UPDATE sessions SET rewrites = ?2 WHERE id = ?1', session.id, JSON.stringify(rewrites))
}

/** Whether every epoch since then began with an edit of a message above this `seq`. */
export function isUntouchedThrough(session: SessionRow, seq: number, sinceEpoch: number): boolean {
  const later = readRewrites(session).filter(([epoch]) => epoch > sinceEpoch && epoch <= session.epoch)
  return later.length === session.epoch - sinceEpoch && later.every(([, edited]) => edited > seq)
}

/**
 * How many epochs since then began with an edit of a message above this `seq`. Only kept edits are counted.
 */
export function countRewritesAbove(session: SessionRow, seq: number, sinceEpoch: number): number {
  return readRewrites(session).filter(([epoch, edited]) => epoch > sinceEpoch && edited > seq).length
}

/** No fold needs edits from before the last fold. A fork in flight may need the newest. */
const MAX_KEPT_BY_FOLDS = 32

export function* trimRewrites(session: SessionRow): Steps<void> {
  const rewrites = readRewrites(session)
  if (rewrites.length <= MAX_KEPT_BY_FOLDS) return
  const newest = JSON.stringify(rewrites.slice(-MAX_KEPT_BY_FOLDS))
  yield* run('UPDATE sessions SET rewrites = ?2 WHERE id = ?1', session.id, newest)
}

function readRewrites({ rewrites }: SessionRow): readonly Rewrite[] {
  return rewrites === null ? [] : JSON.parse(rewrites)
}
