import type { SchemaVersions } from '../migrations.ts'
import { PostgresDriver, type PostgresOptions } from './driver.ts'

/** Changes nothing. */
export function readSchemaVersions(url: string, options: PostgresOptions = {}): Promise<SchemaVersions> {
  return new PostgresDriver(url, options).readSchemaVersions()
}
