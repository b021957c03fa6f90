import { copyFileSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqlite } from '../packages/palimpsest/src/store/sqlite/index.ts'

/** Beside all that the run writes. */
const fileOf = (folder: string): string => join(folder, 'template.db')

/** An empty database as a store makes it: each migration costs time, and a run needs thousands of databases. */
export default async function setup(): Promise<void> {
  const store = sqlite(fileOf(tmpdir()), { durability: 'normal' })
  await store.open()
  await store.close()
}

/**
 * Where there is no file yet: a new database, which is another one than all that were made of the template. Outside a
 * run there is no template.
 */
export function copyTemplate(file: string): void {
  const template = fileOf(tmpdir())
  if (existsSync(file) || !existsSync(template)) return
  copyFileSync(template, file)
  const database = new DatabaseSync(file)
  // As the migrations choose them.
  database.exec(`PRAGMA synchronous = OFF;
    UPDATE identity SET id = lower(hex(randomblob(16))), generation_key = lower(hex(randomblob(8)));
    UPDATE text_parts SET id = 34359738368 + abs(random() % 2000000000000)`)
  database.close()
}
