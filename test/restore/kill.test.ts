import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { forgetWholly, House } from './kit.ts'

const CHILD = fileURLToPath(new URL('./restore-child.ts', import.meta.url))
const WORDS = 'zebra-5c1d77'

let house: House

beforeEach(() => {
  house = new House()
})

afterEach(() => house.remove())

async function texts(): Promise<readonly unknown[]> {
  const palimpsest = await house.open()
  const sessions = await palimpsest.sessions()
  const all: unknown[] = []
  for (const { id } of sessions)
    for (const { content } of await palimpsest.session(id).messages({ limit: 100 })) all.push(content)
  await palimpsest.close()
  return all
}

const BEFORE = ['hello', 'after the backup']
const AFTER = ['hello']

test.for([
  ['copied', BEFORE],
  ['prepared', BEFORE],
  ['synced', BEFORE],
  ['kept aside', BEFORE],
  ['log aside', BEFORE],
  ['in place', AFTER],
] as const)('killed when it has %s, the database is the old one or the new one', async ([step, expected]) => {
  const palimpsest = await house.open()
  const chat = palimpsest.session('bob', { user: 'bob' })
  await chat.append({ role: 'user', content: 'hello' })
  await palimpsest.session('ann', { user: 'ann' }).append({ role: 'user', content: WORDS })
  await house.backUp()
  await chat.append({ role: 'user', content: 'after the backup' })
  await forgetWholly(palimpsest, { kind: 'person', id: 'ann' })
  await palimpsest.close()
  const { signal } = spawnSync(process.execPath, [CHILD, house.backup, house.file, step])
  expect(signal).toBe('SIGKILL')
  expect(await texts()).toEqual(expected)
  await house.restore()
  expect(await texts()).toEqual(AFTER)
  expect(readdirSync(house.root).filter(name => name.includes('restoring'))).toEqual([])
})
