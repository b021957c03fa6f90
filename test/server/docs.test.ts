import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startServer } from '../../src/server/index.ts'
import { sqlitePlace } from '../stores.ts'
import { settingsTable } from './settings-table.ts'

const page = readFileSync(new URL('../../docs/server.md', import.meta.url), 'utf8')

test('docs/server.md lists the settings as they are', () => {
  expect(page).toContain(settingsTable())
})

test('the calls of docs/server.md are right', async () => {
  const place = sqlitePlace()
  const server = await startServer({ store: await place.open(), port: 0 })
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!)
  const calls = blocks.flatMap(block => block.split('\n\n')).filter(block => block.startsWith('curl'))
  expect(calls.length).toBeGreaterThan(5)
  for (const call of calls) {
    const command = call.replaceAll('http://127.0.0.1:8787', server.url).replace('curl -s', 'curl -sf')
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', command])
    expect(JSON.parse(stdout)).not.toHaveProperty('error')
  }
  await server.close()
  await place.remove()
})
