import type { DatabasePlace } from './database-place.ts'
import { checkUrl } from './options.ts'
import { programLog } from './program-log.ts'
import { InterruptedError, Progress, type Terminal } from './terminal.ts'

/** The sizes and the time are set only where this run compacted the database. */
export interface CompactionResult {
  readonly isCompact: boolean
  readonly bytesBefore?: number
  readonly bytesAfter?: number
  readonly tookMs?: number
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export async function compactDatabase(
  { db, store }: DatabasePlace,
  terminal: Terminal,
): Promise<CompactionResult> {
  const progress = new Progress(terminal, 'compacting')
  const stopping = new AbortController()
  // A second signal ends the process at once.
  const stop = () =>
    stopping.abort(
      new InterruptedError(
        'Interrupted: what was made compact stays so, and the rest is as it was. Run it again to go on.',
      ),
    )
  for (const signal of SIGNALS) process.once(signal, stop)
  programLog(terminal)(
    'Making the database compact. No program of an earlier version may be running on it: it could not read what is ' +
      'compact, and says so. Those of this version go on. Ctrl-C stops it; run it again to go on.',
  )
  try {
    const options = {
      signal: stopping.signal,
      onProgress: ({ step, share }: { step: string; share: number }) => progress.update(share, step),
    }
    const { bytesBefore, bytesAfter, tookMs } =
      store === undefined
        ? await (await import('palimpsest/internals/store/sqlite/compact')).compactSqlite(db, options)
        : await (await import('palimpsest/internals/store/postgres/compact')).compactPostgres(
            checkUrl(store),
            options,
          )
    return { isCompact: true, bytesBefore, bytesAfter, tookMs }
  } finally {
    progress.end()
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}

/** Reads only. Expects a database whose schema is the newest. */
export async function isCompact({ db, store }: DatabasePlace): Promise<boolean> {
  if (store === undefined)
    return (await import('palimpsest/internals/store/sqlite/compact')).isCompactSqlite(db)
  return (await import('palimpsest/internals/store/postgres/compact')).isCompactPostgres(checkUrl(store))
}

export function sizesText(result: CompactionResult | null): readonly string[] {
  if (result === null) return []
  const { isCompact, bytesBefore, bytesAfter, tookMs } = result
  if (bytesBefore === undefined) return [isCompact ? 'It is compact.' : 'It is not compact.']
  return [
    `It is compact: ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter!)} now, in ${(tookMs! / 1000).toFixed(1)} s`,
  ]
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
