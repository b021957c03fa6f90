import { PostgresDriver, type PostgresOptions } from './driver.ts'

/**
 * The id of the database. `null`: it has none of our tables, or it is of a version that gave no ids. Changes
 * nothing.
 */
export function readStoredId(url: string, options: PostgresOptions = {}): Promise<string | null> {
  return new PostgresDriver(url, options).readStoredId()
}

/** For a database that was put back by any means: begins a generation. Also migrates it. */
export async function beginGeneration(url: string, options: PostgresOptions = {}): Promise<void> {
  const driver = new PostgresDriver(url, options)
  await driver.open({ isRestored: true })
  await driver.close()
}
