import { afterAll, expect, test } from 'vitest'
import { sqlitePlace } from '../stores.ts'
import { runHere } from './run.ts'

const place = sqlitePlace()
const file = place.address.slice('sqlite:'.length)
afterAll(() => place.remove())

test('doctor tells what the spend guard has counted in this hour, and whether a limit is reached', async () => {
  const store = await place.open()
  const key = { namespace: 'default', id: 'chat' }
  const limits = { calls: 2, tokens: null, sessionCalls: null, sessionTokens: null }
  const spend = () => store.reserveCall(key, { model: 'local:qwen3', limits, tokens: 300, now: Date.now() })
  await store.writeSettings('default', { summaryCallsPerHour: 2 })
  const doctor = (...flags: string[]) => runHere(['doctor', '--db', file, ...flags])
  expect((await doctor()).stdout).not.toContain('spend guard')
  await spend()
  expect(await doctor()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ok +spend guard: 1 of 2 calls and 300 tokens of local:qwen3 since /),
  })
  await spend()
  expect(await doctor()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/BAD +spend guard: 2 of 2 calls .*folds are made without it/),
  })
  await store.close()
})
