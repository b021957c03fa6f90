import { basename, extname } from 'node:path'

/** A backup in a folder. `at` is the moment that its name states, in milliseconds since 1970. */
export interface NamedBackup {
  readonly file: string
  readonly at: number
}

/** `bot-2026-11-18T09-15-00Z.db` of `bot.db`. */
export function backupName(db: string, at: number): string {
  const [moment] = new Date(at).toISOString().replaceAll(':', '-').split('.')
  return `${stemOf(db)}-${moment}Z.db`
}

/** The files of a folder that are named as backups of `db`, the newest first. */
export function backupsAmong(files: readonly string[], db: string): readonly NamedBackup[] {
  return files
    .flatMap(file => {
      const at = momentOf(file, db)
      return at === null ? [] : [{ file, at }]
    })
    .toSorted((one, other) => other.at - one.at)
}

/**
 * When the next backup is due. A backup that is dated more than one interval ahead is ignored: the clock was
 * wrong when it was named.
 */
export function dueAt(
  backups: readonly NamedBackup[],
  { everyMs, now }: { readonly everyMs: number; readonly now: number },
): number {
  const newest = backups.find(({ at }) => at <= now + everyMs)
  return newest === undefined ? now : newest.at + everyMs
}

function stemOf(db: string): string {
  const name = basename(db)
  return name.slice(0, name.length - extname(name).length) || name
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z\.db$/

function momentOf(file: string, db: string): number | null {
  const prefix = `${stemOf(db)}-`
  if (!file.startsWith(prefix)) return null
  const [, day, hours, minutes, seconds] = MOMENT.exec(file.slice(prefix.length)) ?? []
  const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(at) ? null : at
}
