import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPalimpsest } from 'palimpsest'
import { type Store, sqlStore } from 'palimpsest/store'
import { sqlite } from 'palimpsest/store/sqlite'
import { storeContract } from 'palimpsest/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WasmDriver } from './wasm-driver.ts'

const SOURCE = readFileSync(new URL('./wasm-driver.ts', import.meta.url), 'utf8')
const MAX_LINES = 120

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-third-driver-'))
  file = join(folder, 'test.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(): Promise<Store> {
  const store = sqlStore(new WasmDriver(file))
  await store.open()
  return store
}

describe('a third driver keeps the contract of stores', () => {
  test.for(storeContract)('$name', ({ run }) => run(open))
})

test('a third driver knows only what anybody can import', () => {
  const imported = [...SOURCE.matchAll(/from '([^']+)'/g)].map(([, name]) => name)
  expect(new Set(imported)).toEqual(
    new Set(['node-sqlite3-wasm', 'palimpsest', 'palimpsest/store', 'palimpsest/store/sqlite']),
  )
})

test('a third driver is short', () => {
  expect(SOURCE.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES)
})

test.each([40, 2_000, 100_000])(
  'a text of %i characters is read by either driver of the same file',
  async length => {
    const said = [`in WebAssembly ${'a'.repeat(length)}`, `in node:sqlite ${'b'.repeat(length)}`]
    const stores = [sqlStore(new WasmDriver(file)), sqlite(file)]
    for (const [index, store] of stores.entries()) {
      const palimpsest = await createPalimpsest({ store })
      await palimpsest.session('s').append({ role: 'user', content: said[index]! })
      await palimpsest.close()
    }
    const palimpsest = await createPalimpsest({ store: sqlite(file, { readOnly: true }) })
    const read = await palimpsest.session('s').messages()
    expect(read.map(({ content }) => content)).toEqual(said)
    await palimpsest.close()
  },
)
