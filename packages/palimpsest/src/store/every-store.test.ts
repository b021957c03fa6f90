import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const here = new URL('./', import.meta.url)
const stores = readdirSync(here).filter(
  name => name !== 'sql' && existsSync(new URL(`${name}/driver.ts`, here)),
)

test('there are stores to look at', () => {
  expect(stores).toEqual(expect.arrayContaining(['sqlite', 'postgres']))
})

test.for(stores)('%s runs the contract of stores', name => {
  const run = new URL(`${name}/${name}.test.ts`, here)
  expect(existsSync(run) && readFileSync(run, 'utf8')).toContain('test.for(storeContract)')
})
