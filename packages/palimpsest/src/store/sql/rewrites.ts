import type { SessionRow } from './rows.ts'
import { run, type Steps } from './steps.ts'

/** The epoch that an edit began, and the message that it changed. */
type Rewrite = readonly [epoch: number, seq: number]

/** Of more edits than this during one fold the fold has to begin anew. */
const MAX_KEPT = 500

export function* noteRewrite(session: SessionRow, seq: number): Steps<void> {
  const rewrites = [...readRewrites(session), [session.epoch + 1, seq]].slice(-MAX_KEPT)
  yield* run('UPDATE sessions SET rewrites = ?2 WHERE id = ?1', session.id, JSON.stringify(rewrites))
}

/** Whether every epoch that began since was an edit of a message above this `seq`. */
export function isUntouchedThrough(session: SessionRow, seq: number, sinceEpoch: number): boolean {
  const later = readRewrites(session).filter(([epoch]) => epoch > sinceEpoch && epoch <= session.epoch)
  return later.length === session.epoch - sinceEpoch && later.every(([, edited]) => edited > seq)
}

/** How many epochs that began since were edits of a message above this `seq`, as far as they are kept. */
export function countRewritesAbove(session: SessionRow, seq: number, sinceEpoch: number): number {
  return readRewrites(session).filter(([epoch, edited]) => epoch > sinceEpoch && edited > seq).length
}

/** No fold needs those from before the last one. A fork that is under way may need the newest. */
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
