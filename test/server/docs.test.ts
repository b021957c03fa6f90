import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startServer } from '../../packages/server/src/index.ts'
import { sqlitePlace } from '../stores.ts'
import { olderNamesTable } from './older-names-table.ts'
import { settingsTable } from './settings-table.ts'

const readPage = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

test('docs/server.md lists the settings as they are', () => {
  expect(readPage('server.md')).toContain(settingsTable())
})

test('docs/policies.md lists the older names as they are', () => {
  expect(readPage('policies.md')).toContain(olderNamesTable())
})

test.each([
  ['server.md', 15, ''],
  // It is about a chat that is there.
  ['search.md', 2, 'telegram:42'],
])('the calls of docs/%s are right', async (name, least, session) => {
  const place = sqlitePlace()
  const server = await startServer({ store: await place.open(), port: 0 })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ role: 'user', text: 'Which hotel?' })
  if (session !== '')
    await fetch(`${server.url}/v1/sessions/${session}/messages`, { method: 'POST', headers, body })
  const blocks = [...readPage(name).matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!)
  const calls = blocks.flatMap(block => block.split('\n\n')).filter(block => block.startsWith('curl'))
  expect(calls.length).toBeGreaterThanOrEqual(least)
  for (const call of calls) {
    const command = call.replaceAll('http://127.0.0.1:8787', server.url).replace('curl -s', 'curl -sf')
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', command])
    expect(JSON.parse(stdout)).not.toHaveProperty('error')
  }
  await server.close()
  await place.remove()
})
