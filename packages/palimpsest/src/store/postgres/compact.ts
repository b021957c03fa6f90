import { type Compaction, type CompactionOptions, runCompaction, SHARED_STEPS } from '../sql/compact.ts'
import { endCompaction, isWhollyCompact } from '../sql/packs.ts'
import { first, type Steps } from '../sql/steps.ts'
import { PostgresDriver, type PostgresOptions } from './driver.ts'

/** Also migrates the database. The server itself uses the space that becomes free. */
export async function compactPostgres(
  url: string,
  options: CompactionOptions = {},
  place: PostgresOptions = {},
): Promise<Compaction> {
  const begun = performance.now()
  const driver = new PostgresDriver(url, place)
  await driver.open()
  try {
    const bytesBefore = await driver.read(readBytes)
    await runCompaction(driver, SHARED_STEPS, options)
    await driver.write(endCompaction)
    const bytesAfter = await driver.read(readBytes)
    return {
      ...{ store: driver.name, bytesBefore, bytesAfter },
      tookMs: Math.round(performance.now() - begun),
    }
  } finally {
    await driver.close()
  }
}

/** Changes nothing. */
export async function isCompactPostgres(url: string, place: PostgresOptions = {}): Promise<boolean> {
  const driver = new PostgresDriver(url, { ...place, readOnly: true })
  await driver.open()
  try {
    return await driver.read(isWhollyCompact)
  } finally {
    await driver.close()
  }
}

/** The size of our tables, with their indexes and the values that are stored beside their rows. */
function* readBytes(): Steps<number> {
  const row = yield* first<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(pg_total_relation_size(oid)), 0) AS BIGINT) AS bytes FROM pg_class
     WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'`,
  )
  return Number(row!.bytes)
}
