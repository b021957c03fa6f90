import type { SchemaVersions } from '../migrations.ts'
import { SqliteDriver } from './driver.ts'

/** Changes nothing. */
export function readSchemaVersions(path: string): Promise<SchemaVersions> {
  return new SqliteDriver(path, {}).readSchemaVersions()
}
