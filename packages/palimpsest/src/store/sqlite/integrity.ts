import type { DatabaseSync } from 'node:sqlite'

/**
 * The damage in the database, in SQLite's words, at most `max` entries. Empty: there is none. Every page is
 * read. `quick_check` does not compare the indexes with their tables.
 */
export function integrityProblems(
  database: DatabaseSync,
  max: number,
  check: 'integrity_check' | 'quick_check' = 'integrity_check',
): readonly string[] {
  const words = database
    .prepare(`PRAGMA ${check}(${max})`)
    .all()
    .map(row => String(row[check]))
  return words.filter(word => word !== 'ok')
}
