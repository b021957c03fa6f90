import { type Backup, backupSqlite } from 'palimpsest/internals/store/sqlite/backup'
import type { BackupFlags } from './backup.ts'
import { databasePlace } from './database-place.ts'
import { requireDatabase } from './existing-database.ts'
import { noBackupError } from './no-backup.ts'
import { environmentSettings } from './stored-settings.ts'
import { InterruptedError, Progress, type Terminal } from './terminal.ts'

export async function runBackup(file: string, flags: BackupFlags, terminal: Terminal): Promise<void> {
  const place = databasePlace(flags, environmentSettings(terminal))
  if (place.store !== undefined) throw noBackupError('--store', place.store)
  requireDatabase(place)
  const progress = new Progress(terminal, 'backup')
  const stopping = new AbortController()
  const stop = () =>
    stopping.abort(new InterruptedError('Interrupted: no backup was made, and nothing is left of it.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  try {
    const made = await backupSqlite(place.db, {
      to: file,
      ...(flags.overwrite && { overwrite: true }),
      signal: stopping.signal,
      onStage: ({ stage, doneBytes, bytes }) =>
        progress.update(
          stage === 'checking' ? 1 : doneBytes / Math.max(1, bytes),
          `${stage}, ${megabytes(bytes)}`,
        ),
    })
    progress.end()
    terminal.output.write(flags.json ? `${JSON.stringify(made)}\n` : `${textOf(made, place.db)}\n`)
  } finally {
    progress.end()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  }
}

function textOf({ file, bytes, sessions, messages, tookMs }: Backup, db: string): string {
  return (
    `${file} has ${db} as it was: ${sessions} sessions, ${messages} messages, ${megabytes(bytes)}, ` +
    `checked, in ${(tookMs / 1000).toFixed(1)} s`
  )
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
