import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import {
  createPalimpsest,
  type ErasureTarget,
  type Palimpsest,
  type PalimpsestOptions,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import {
  type Restored,
  type RestoreOptions,
  restoreSqlite,
} from '../../packages/palimpsest/src/restore/restore-sqlite.ts'
import { lentStore } from '../../packages/palimpsest/src/store/lent-store.ts'

/** A folder with a database, its backups and a workspace. */
export class House {
  readonly root = mkdtempSync(join(tmpdir(), 'palimpsest-restore-'))
  readonly file = join(this.root, 'live.db')
  readonly backup = join(this.root, 'backup.db')
  readonly files = join(this.root, 'files')
  readonly #opened: Palimpsest[] = []

  get list(): string {
    return `${this.file}.erased`
  }

  async open(options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
    const palimpsest = await createPalimpsest({
      store: sqlite(this.file, { durability: 'normal' }),
      folding: 'manual',
      ...options,
    })
    this.#opened.push(palimpsest)
    return palimpsest
  }

  async remove(): Promise<void> {
    for (const palimpsest of this.#opened) await palimpsest.close()
    rmSync(this.root, { recursive: true, force: true })
  }

  /** While others work on it. */
  async backUp(to = this.backup): Promise<void> {
    const database = new DatabaseSync(this.file, { readOnly: true, timeout: 10_000 })
    await backup(database, to)
    database.close()
  }

  restore(options: Partial<RestoreOptions> = {}): Promise<Restored> {
    return restoreSqlite({ ...{ backup: this.backup, path: this.file }, open: openInstance, ...options })
  }
}

export const openInstance: RestoreOptions['open'] = (store, namespace, options) =>
  createPalimpsest({
    ...{ store: lentStore(store), namespace, ...options },
    folding: 'manual',
    indexing: 'off',
  })

/** Down to the bytes. */
export async function forgetWholly(palimpsest: Palimpsest, target: ErasureTarget): Promise<void> {
  const { id } = await palimpsest.forget(target)
  const { done } = await palimpsest.erased(id, { signal: AbortSignal.timeout(120_000) })
  if (!done) throw new Error('it is not done')
}
