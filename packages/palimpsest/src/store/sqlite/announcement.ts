import type { DatabaseSync } from 'node:sqlite'

/**
 * Tells all processes that the database is being rewritten. A rewrite locks the database for far longer than
 * any transaction, and a writer that reads this waits on. The announcement is in the database itself, because
 * it can be read while the database is locked. It may outlive a process that died during the rewrite. That
 * does no harm: then nothing is locked.
 */

/** No caller has an empty namespace. */
const [NAMESPACE, NAME] = ['', 'scrub']

export interface Announcement {
  /** No two announcements have the same owner. */
  readonly owner: string
  /** Milliseconds since 1970. */
  readonly until: number
}

export function announce(database: DatabaseSync, { owner, until }: Announcement): void {
  database
    .prepare(
      `INSERT INTO leases (namespace, name, token, owner, until) VALUES (?1, ?2, 1, ?3, ?4)
       ON CONFLICT (namespace, name) DO UPDATE SET
         token = token + 1, owner = excluded.owner, until = excluded.until`,
    )
    .run(NAMESPACE, NAME, owner, until)
}

/** The announcement of another owner stays. */
export function withdraw(database: DatabaseSync, owner: string): void {
  database
    .prepare('UPDATE leases SET owner = NULL, until = NULL WHERE namespace = ?1 AND name = ?2 AND owner = ?3')
    .run(NAMESPACE, NAME, owner)
}

/** The time until which a process has announced a rewrite. `null`: none has announced one. */
export function readAnnouncement(database: DatabaseSync): number | null {
  const row = database
    .prepare('SELECT until FROM leases WHERE namespace = ?1 AND name = ?2')
    .get(NAMESPACE, NAME)
  return typeof row?.['until'] === 'number' ? row['until'] : null
}
