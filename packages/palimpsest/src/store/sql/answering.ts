import { ROLES } from '../../log/index.ts'
import { allIn } from './many.ts'
import type { Extras, SessionRow } from './rows.ts'
import { all, first, type Steps } from './steps.ts'

/**
 * Which messages answer others. The question comes up when an answered message changes or goes. It looks only
 * at messages after that one.
 */

export interface AnsweredRow {
  readonly seq: number
  readonly external_key: string | null
  readonly extras: string | null
}

/** Only answers that segments tell of. */
export function* foldedAnswersTo(session: SessionRow, seq: number): Steps<readonly number[]> {
  if (seq >= session.compacted_through) return []
  const row = yield* first<Omit<AnsweredRow, 'seq'>>(
    'SELECT external_key, extras FROM messages WHERE session_id = ?1 AND seq = ?2',
    session.id,
    seq,
  )
  return row ? yield* answersTo(session, [{ ...row, seq }], session.compacted_through) : []
}

/**
 * Hidden answers count too: they may hold a copy of what they answer. One walk is enough for any number of
 * answered messages.
 */
export function* answersTo(
  session: SessionRow,
  answered: readonly AnsweredRow[],
  through = Number.MAX_SAFE_INTEGER,
): Steps<readonly number[]> {
  const bySeq = new Set(answered.map(({ seq }) => seq))
  const byId = new Set(answered.map(externalIdOf).filter(id => id !== null))
  const rows = yield* all<{ seq: number; extras: string }>(
    `SELECT seq, extras FROM messages WHERE session_id = ?1 AND seq > ?2 AND seq <= ?3
       AND role = ${ROLES.indexOf('user')} AND extras IS NOT NULL AND replace(extras, '"replyTo":', '') <> extras`,
    session.id,
    Math.min(...bySeq),
    through,
  )
  return rows
    .filter(({ extras }) => {
      const { replyTo } = JSON.parse(extras) as Extras
      return typeof replyTo === 'number' ? bySeq.has(replyTo) : replyTo !== undefined && byId.has(replyTo)
    })
    .map(({ seq }) => seq)
    .sort((one, other) => one - other)
}

export function* readAnswered(session: SessionRow, seqs: readonly number[]): Steps<readonly AnsweredRow[]> {
  return yield* allIn<AnsweredRow>(
    'SELECT seq, external_key, extras FROM messages WHERE session_id = ?1 AND seq IN (*)',
    [session.id],
    seqs,
  )
}

function externalIdOf({ external_key, extras }: AnsweredRow): string | null {
  const { externalId }: Extras = extras === null ? {} : JSON.parse(extras)
  return externalId ?? external_key
}
