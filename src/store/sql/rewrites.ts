import type { SessionRow } from './rows.ts'
import { run, type Steps } from './steps.ts'

/** The epoch that an edit began, and the message that it changed. */
type Rewrite = readonly [epoch: number, seq: number]

/** Of more edits than this during one fold the fold has to begin anew. */
const MOST_KEPT = 500

export function* noteRewrite(session: SessionRow, seq: number): Steps<void> {
  const rewrites = [...readRewrites(session), [session.epoch + 1, seq]].slice(-MOST_KEPT)
  yield* run('UPDATE sessions SET rewrites = ?2 WHERE id = ?1', session.id, JSON.stringify(rewrites))
}

/** Whether every epoch that began since was an edit of a message above this `seq`. */
export function isUntouchedThrough(session: SessionRow, seq: number, sinceEpoch: number): boolean {
  const later = readRewrites(session).filter(([epoch]) => epoch > sinceEpoch && epoch <= session.epoch)
  return later.length === session.epoch - sinceEpoch && later.every(([, edited]) => edited > seq)
}

/** Those of earlier epochs than the last fold began serve nobody, so a fold clears them. */
export function* clearRewrites(session: SessionRow): Steps<void> {
  if (session.rewrites !== null) yield* run('UPDATE sessions SET rewrites = NULL WHERE id = ?1', session.id)
}

function readRewrites({ rewrites }: SessionRow): readonly Rewrite[] {
  return rewrites === null ? [] : JSON.parse(rewrites)
}
