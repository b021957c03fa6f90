import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '../packages/palimpsest/src/errors.ts'
import { sqlite } from '../packages/palimpsest/src/store/sqlite/index.ts'
import { type Seeded, type SeedOptions, seedExamples } from './seed-examples.ts'

/**
 * A database that is not there yet is made, with the examples in it; `null`: it was there, or there was no time. A file
 * beside it says that they are not all in yet, so that the next start goes on, and so that what somebody erased later
 * never comes back.
 */
export async function seedNewDatabase(file: string, options: SeedOptions): Promise<Seeded | null> {
  const mark = `${file}.seeding`
  if (existsSync(file) && !existsSync(mark)) return null
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(mark, 'The examples are being put into the database. The next npm start goes on.\n')
  } catch (error) {
    const advice = 'no database can be made there. PALIMPSEST_DB names a file in another folder.'
    throw new StoreError('store_read_only', file, advice, error)
  }
  // What a loss of power takes away, the next start puts in again.
  const seeded = await seedExamples(sqlite(file, { durability: 'normal' }), options)
  if (seeded !== null) rmSync(mark, { force: true })
  return seeded
}
