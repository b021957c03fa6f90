import { InvalidArgumentError } from '../../errors.ts'
import { CONSUMER_NAME, CONSUMER_RULE } from '../store.ts'
import type { Dialect } from './driver.ts'
import type { EventPlace } from './event-age.ts'
import { readHistory } from './event-history.ts'
import { placeAfter } from './events.ts'
import { all, first, run, type Steps } from './steps.ts'

/** For one namespace. Each consumer may keep events from being trimmed. */
const MAX_CONSUMERS = 100
/** A consumer that was not seen for this many retentions no longer keeps events. */
const HELD_RETENTIONS = 4
/** After this many, it is forgotten. */
const KNOWN_RETENTIONS = 8

/** Throws the error of `readEvents` if the position is lost. */
export function* noteConsumer(
  namespace: string,
  { name, after, now }: { name: string; after: string | null; now: number },
  { forShare }: Dialect,
): Steps<void> {
  if (!CONSUMER_NAME.test(name)) throw new InvalidArgumentError('consumer', name, CONSUMER_RULE)
  const history = yield* readHistory(forShare('t'))
  const { major, minor } = placeAfter(after, history)
  yield* makeRoom(namespace, name)
  yield* run(
    `INSERT INTO event_consumers AS c (namespace, name, major, minor, generation_key, seen_at, seen_lived_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT lived_ms FROM event_trim))
     ON CONFLICT (namespace, name) DO UPDATE SET major = excluded.major, minor = excluded.minor,
       generation_key = excluded.generation_key, seen_at = excluded.seen_at, seen_lived_ms = excluded.seen_lived_ms`,
    ...[namespace, name, major, minor, history.identity.generationKey, now],
  )
}

export function* forgetConsumer(namespace: string, name: string): Steps<boolean> {
  const known = yield* first(
    'SELECT name FROM event_consumers WHERE namespace = ?1 AND name = ?2',
    namespace,
    name,
  )
  yield* run('DELETE FROM event_consumers WHERE namespace = ?1 AND name = ?2', namespace, name)
  return known !== undefined
}

function* makeRoom(namespace: string, name: string): Steps<void> {
  const others = yield* all<{ name: string; is_gone: number }>(
    `SELECT c.name, CASE WHEN t.lived_ms - c.seen_lived_ms >= ${HELD_RETENTIONS} * t.retention_ms THEN 1 ELSE 0 END AS is_gone
     FROM event_consumers c CROSS JOIN event_trim t WHERE c.namespace = ?1 AND c.name <> ?2 ORDER BY c.seen_lived_ms`,
    namespace,
    name,
  )
  if (others.length < MAX_CONSUMERS) return
  const gone = others.find(({ is_gone }) => is_gone === 1)
  if (gone === undefined)
    throw new InvalidArgumentError(
      'consumer',
      name,
      `one of the ${MAX_CONSUMERS} names that are known in this namespace already, which is as many as there may be`,
    )
  yield* run('DELETE FROM event_consumers WHERE namespace = ?1 AND name = ?2', namespace, gone.name)
}

export interface AwayConsumer {
  readonly namespace: string
  readonly name: string
  readonly seen_at: number
}

export interface AwayConsumer {
  readonly namespace: string
  readonly name: string
  readonly seen_at: number
}

const AWAY = {
  /** No events are kept for these any more. */
  gone: `t.lived_ms - c.seen_lived_ms >= ${HELD_RETENTIONS} * t.retention_ms`,
  /** For these, events older than the retention are kept. */
  awaited: `t.lived_ms - c.seen_lived_ms >= t.retention_ms
     AND t.lived_ms - c.seen_lived_ms < ${HELD_RETENTIONS} * t.retention_ms
     AND c.generation_key = (SELECT generation_key FROM identity)`,
}

/** Consumers that were not seen for a whole retention, the longest away first. */
export function* readAwayConsumers(which: keyof typeof AWAY, limit: number): Steps<readonly AwayConsumer[]> {
  return yield* all(
    `SELECT c.namespace, c.name, c.seen_at FROM event_consumers c CROSS JOIN event_trim t
     WHERE ${AWAY[which]} ORDER BY c.seen_lived_ms LIMIT ?1`,
    limit,
  )
}

/** The position of the slowest consumer that keeps events; `undefined`: none does. */
export function* readSlowest(time: {
  readonly livedMs: number
  readonly retentionMs: number
}): Steps<EventPlace | undefined> {
  return yield* first<EventPlace>(
    `SELECT major, minor FROM event_consumers
     WHERE generation_key = (SELECT generation_key FROM identity) AND seen_lived_ms > ?1
     ORDER BY major, minor LIMIT 1`,
    time.livedMs - HELD_RETENTIONS * time.retentionMs,
  )
}

export function* forgetConsumers(time: {
  readonly livedMs: number
  readonly retentionMs: number
}): Steps<void> {
  yield* run(
    'DELETE FROM event_consumers WHERE seen_lived_ms <= ?1',
    time.livedMs - KNOWN_RETENTIONS * time.retentionMs,
  )
}
