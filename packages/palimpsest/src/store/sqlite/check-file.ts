import type { DatabaseSync } from 'node:sqlite'
import type { CheckResult } from '../check-up.ts'
import { readMigrations } from '../migrations.ts'
import { missingObjects } from '../schema-objects.ts'
import { findRoom } from './disk-room.ts'
import { integrityProblems } from './integrity.ts'
import { DEFAULT_LOG_LIMITS } from './log-keeper.ts'
import { MIGRATIONS } from './migrate.ts'
import { sizeOf } from './view.ts'

const MAX_PROBLEMS = 10

export function checkFile(database: DatabaseSync, isDeep: boolean): readonly CheckResult[] {
  const path = database.location()
  return [
    checkPages(database, isDeep),
    checkSchema(database),
    ...(isDeep ? [checkTexts(database)] : []),
    ...(path ? [checkLog(path), checkDisk(path)] : []),
  ]
}

/** Reads every page. The deep form also compares each index with its table. */
function checkPages(database: DatabaseSync, isDeep: boolean): CheckResult {
  const problems = findProblems(database, isDeep)
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
  const isWell = problems.length === 0
  return {
    what: 'file',
    isWell,
    says: isWell
      ? `${pages} pages read, none is damaged`
      : [
          'it is damaged. Stop what writes to it, and restore a backup; keep this file to look at.',
          ...problems,
        ].join('\n  '),
    details: { pages, problems },
  }
}

/** A damage may stop SQLite before it makes its report. */
function findProblems(database: DatabaseSync, isDeep: boolean): readonly string[] {
  try {
    return integrityProblems(database, MAX_PROBLEMS, isDeep ? 'integrity_check' : 'quick_check')
  } catch (error) {
    return [(error as Error).message]
  }
}

function checkSchema(database: DatabaseSync): CheckResult {
  const there = database.prepare('SELECT name FROM sqlite_schema').all() as { name: string }[]
  const missing = missingObjects(
    readMigrations(MIGRATIONS),
    there.map(({ name }) => name),
  )
  const isWell = missing.length === 0
  return {
    what: 'schema',
    isWell,
    says: isWell
      ? 'all tables, indexes and triggers are there'
      : `missing: ${missing.join(', ')}. Another program took them away: restore a backup.`,
    details: { missing },
  }
}

/** For each text that is stored in parts: whether as many rows have it as it says. */
function checkTexts(database: DatabaseSync): CheckResult {
  const { texts, wrong } = countTexts(database)
  const isWell = wrong === 0
  return {
    what: 'texts in parts',
    isWell,
    says: isWell
      ? `${texts} texts, each in as many messages as it says`
      : `${wrong ?? 'some'} of ${texts ?? 'them'} are missing, or in more or fewer messages than they say. Restore a backup; ` +
        'keep this file to look at.',
    details: { texts, wrong },
  }
}

/** `null`: a damage stops the count. */
function countTexts(database: DatabaseSync): { texts: number | null; wrong: number | null } {
  try {
    return database.prepare(COUNT_TEXTS).get() as { texts: number; wrong: number }
  } catch {
    return { texts: null, wrong: null }
  }
}

const COUNT_TEXTS = `WITH marks AS (
    SELECT CAST(content AS INTEGER) AS id, count(*) AS rows FROM (
      SELECT content FROM messages WHERE format BETWEEN 4 AND 7
      UNION ALL SELECT content FROM message_versions WHERE format BETWEEN 4 AND 7
    ) GROUP BY 1
  )
  SELECT count(*) AS texts, count(*) FILTER (WHERE m.rows IS NOT p.holders) AS wrong
  FROM (SELECT id, holders FROM text_parts WHERE holders IS NOT NULL) p FULL JOIN marks m ON m.id = p.id`

function checkLog(path: string): CheckResult {
  const bytes = Math.max(0, sizeOf(`${path}-wal`))
  const isWell = bytes <= DEFAULT_LOG_LIMITS.toldBytes
  return {
    what: 'write-ahead log',
    isWell,
    says: isWell
      ? `${megabytes(bytes)} MB`
      : `${megabytes(bytes)} MB, which is much: a reader that does not end keeps it from being copied, or no program ` +
        'that could copy it is running. End the reader, or open the database with palimpsest serve or bot.',
    details: { bytes },
  }
}

/** Whether there is as much room as an erasure needs: it writes the database anew. */
function checkDisk(path: string): CheckResult {
  const problem = findRoom(path, Math.max(0, sizeOf(path)))
  return {
    what: 'disk',
    isWell: problem === null,
    says:
      problem === null
        ? 'there is room for writing the database anew, as an erasure does'
        : `${problem.folder} has ${megabytes(problem.freeBytes)} MB left; ${megabytes(problem.neededBytes)} MB are needed ` +
          'for writing the database anew, as an erasure does. Make room, or move the database.',
    details: problem ?? {},
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
