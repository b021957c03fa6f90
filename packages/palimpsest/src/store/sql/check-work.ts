import type { CheckResult } from '../check-up.ts'
import type { Dialect } from './driver.ts'
import { type AwayConsumer, readAwayConsumers } from './event-consumers.ts'
import { readNewestEvent } from './events.ts'
import { all, first, type Steps } from './steps.ts'

const MINUTE = 60_000
/** A running process does this work within seconds. Work older than this was left undone. */
const MAX_WAIT_MS = 15 * MINUTE
const MAX_ERASURE_MS = 60 * MINUTE
/** The clocks of several machines differ a little. */
const MAX_AHEAD_MS = MINUTE
const MAX_EXAMPLES = 5

/** What an operator looks at first, over all namespaces. */
export function* checkWork(now: number, dialect: Dialect): Steps<readonly CheckResult[]> {
  return [
    yield* checkClock(now, dialect),
    yield* checkFolds(now),
    yield* checkFailures(),
    yield* checkIndex(now),
    yield* checkAnswers(now),
    yield* checkErasures(now),
    yield* checkEvents(),
  ]
}

function* checkClock(now: number, dialect: Dialect): Steps<CheckResult> {
  const newest = yield* readNewestEvent(dialect)
  const aheadMs = (newest?.at ?? now) - now
  const isWell = aheadMs <= MAX_AHEAD_MS
  return {
    what: 'clock',
    isWell,
    says: isWell
      ? 'nothing in the database is from the future'
      : `the newest event is from ${timeOf(newest!.at)}, ${durationOf(aheadMs)} from now: the clock of this machine, ` +
        'or of one that writes to this database, is wrong. Set it right, by NTP for one.',
  }
}

function* checkFolds(now: number): Steps<CheckResult> {
  const row = yield* first<{ count: number; since: number | null }>(
    `SELECT count(*) AS count, min(since) AS since FROM (
       SELECT CASE WHEN s.pending IS NULL THEN s.due_at ELSE
         (SELECT m.at + m.lag FROM messages m WHERE m.session_id = s.id ORDER BY m.seq DESC LIMIT 1) END AS since
       FROM sessions s
       WHERE s.ready = 1 AND (s.pending IS NOT NULL OR s.due_at < ?1)
         AND coalesce(s.lease_until, 0) < ?1 AND coalesce(s.backoff_until, 0) < ?1) AS waiting WHERE since < ?2`,
    now,
    now - MAX_WAIT_MS,
  )
  const { count, since } = row!
  return {
    what: 'folds',
    isWell: count === 0,
    says:
      count === 0
        ? 'none has waited for long'
        : `${sessions(count)} waited for a fold for more than ${durationOf(MAX_WAIT_MS)}, one since ${timeOf(since!)}: no ` +
          'process that folds runs on this database, or it cannot keep up. Run palimpsest serve, bot or worker.',
    details: { waiting: count, since },
  }
}

function* checkFailures(): Steps<CheckResult> {
  const rows = yield* all<{ namespace: string; name: string; failures: number; last_outcome: string | null }>(
    `SELECT namespace, name, failures, last_outcome FROM sessions WHERE ready = 1 AND failures > 2
     ORDER BY failures DESC LIMIT ?1`,
    MAX_EXAMPLES,
  )
  const lines = rows.map(({ namespace, name, failures, last_outcome: outcome }) => {
    const { reason, error } = JSON.parse(outcome ?? '{}') as Record<string, unknown>
    return `  ${namespace} ${name}: ${failures} times; ${error ?? reason ?? 'no reason is known'}`
  })
  return {
    what: 'failed folds',
    isWell: rows.length === 0,
    says:
      rows.length === 0
        ? 'no session fails again and again'
        : ['these fail again and again:', ...lines].join('\n'),
  }
}

function* checkIndex(now: number): Steps<CheckResult> {
  const row = yield* first<{ count: number; since: number | null }>(
    `SELECT count(*) AS count, min(m.at + m.lag) AS since FROM sessions s
     JOIN messages m ON m.session_id = s.id AND m.seq = s.indexed_through + 1
     WHERE s.ready = 1 AND m.at + m.lag < ?1`,
    now - MAX_WAIT_MS,
  )
  const { count, since } = row!
  return {
    what: 'search index',
    isWell: count === 0,
    says:
      count === 0
        ? 'follows the log'
        : `${sessions(count)} messages that were not indexed for more than ${durationOf(MAX_WAIT_MS)}, since ` +
          `${timeOf(since!)}: they are found, but slowly. Run palimpsest serve, bot or worker.`,
    details: { behind: count, since },
  }
}

function* checkAnswers(now: number): Steps<CheckResult> {
  const row = yield* first<{ count: number; since: number | null }>(
    'SELECT count(*) AS count, min(received_at) AS since FROM waiting WHERE received_at < ?1',
    now - MAX_ERASURE_MS,
  )
  const { count, since } = row!
  return {
    what: 'answers',
    isWell: count === 0,
    says:
      count === 0
        ? 'no message waits for one for long'
        : `${count} messages wait for an answer, one since ${timeOf(since!)}: start the bot that received them.`,
    details: { waiting: count, since },
  }
}

function* checkErasures(now: number): Steps<CheckResult> {
  const rows = yield* all<{ namespace: string; id: number; stage: string; requested_at: number }>(
    `SELECT namespace, id, stage, requested_at FROM erasures WHERE stage <> 'done' AND requested_at < ?1
     ORDER BY id LIMIT ?2`,
    now - MAX_ERASURE_MS,
    MAX_EXAMPLES,
  )
  const lines = rows.map(
    ({ namespace, id, stage, requested_at: at }) =>
      `  ${id} in ${namespace}, since ${timeOf(at)}, at the stage ${stage}: palimpsest forget --receipt ${id}`,
  )
  return {
    what: 'erasures',
    isWell: rows.length === 0,
    says: rows.length === 0 ? 'none is under way for long' : ['these are not finished:', ...lines].join('\n'),
  }
}

/** This result is always well. The reader of the list decides whether something is wrong. */
function* checkEvents(): Steps<CheckResult> {
  const trim = yield* first<{ retention_ms: number | null }>('SELECT retention_ms FROM event_trim')
  const readers = yield* first<{ count: number }>('SELECT count(*) AS count FROM event_consumers')
  const gone = yield* readAwayConsumers('gone', MAX_EXAMPLES)
  const awaited = yield* readAwayConsumers('awaited', MAX_EXAMPLES)
  const kept =
    trim?.retention_ms == null
      ? 'no program has trimmed any yet'
      : `older ones than ${durationOf(trim.retention_ms)} are trimmed`
  return {
    what: 'events',
    isWell: true,
    says: [
      `${kept}; ${readers!.count} known readers`,
      ...readerLines('these were not seen for long, and what they have not read is kept for them', awaited),
      ...readerLines('these were not seen for so long that nothing is kept for them any more', gone),
      ...(awaited.length + gone.length === 0
        ? []
        : ['  One that does not come any more: palimpsest doctor --forget-consumer NAME']),
    ].join('\n'),
    details: { retentionMs: trim?.retention_ms ?? null, readers: readers!.count, awaited, gone },
  }
}

function readerLines(words: string, readers: readonly AwayConsumer[]): readonly string[] {
  if (readers.length === 0) return []
  return [
    `${words}:`,
    ...readers.map(({ namespace, name, seen_at: at }) => `  ${namespace} ${name}, since ${timeOf(at)}`),
  ]
}

function sessions(count: number): string {
  return count === 1 ? '1 session has' : `${count} sessions have`
}

function timeOf(instant: number): string {
  return new Date(instant).toISOString()
}

function durationOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE))
  if (minutes < 120) return `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
