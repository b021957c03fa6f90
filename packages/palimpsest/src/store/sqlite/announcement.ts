import type { DatabaseSync } from 'node:sqlite'

/**
 * Says to all processes that the database is being rewritten, which locks it for far longer than any
 * transaction: whoever wants to write waits on. It stands in the database itself, since that can be read
 * while it is locked. It outlives a process that died over it, which does no harm: then nothing is locked.
 */

/** No namespace of anybody's is empty. */
const [NAMESPACE, NAME] = ['', 'scrub']

export interface Announcement {
  /** No two have the same. */
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

/** Somebody else's stays. */
export function withdraw(database: DatabaseSync, owner: string): void {
  database
    .prepare('UPDATE leases SET owner = NULL, until = NULL WHERE namespace = ?1 AND name = ?2 AND owner = ?3')
    .run(NAMESPACE, NAME, owner)
}

/** Until when somebody said to be at it; `null`: nobody did. */
export function readAnnouncement(database: DatabaseSync): number | null {
  const row = database
    .prepare('SELECT until FROM leases WHERE namespace = ?1 AND name = ?2')
    .get(NAMESPACE, NAME)
  return typeof row?.['until'] === 'number' ? row['until'] : null
}
