import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApp } from '../../src/server/index.ts'
import { sqlitePlace } from '../stores.ts'

/** What the bundler once took away: checks that are made for what they throw. */

const place = sqlitePlace()
let opened: Awaited<ReturnType<typeof openApp>>

beforeAll(async () => {
  opened = await openApp({ store: await place.open(), environment: {}, version: '1.2.3', onError: () => {} })
})

afterAll(async () => {
  await opened.close()
  await place.remove()
})

test.each(['/v1/sessions/50%/messages', '/v1/sessions/%E0%A4%A/messages', '/v1/memory/user/%'])(
  'the path %s is refused, since its percent sign stands for nothing',
  async path => {
    const answer = await opened.app.request(path)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(await answer.json())).toContain('not encoded as it should be')
  },
)

test('a zone that there is none of is refused', async () => {
  const answer = await opened.app.request('/v1/settings', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ zone: 'Europe/Nowhere' }),
  })
  expect(answer.status).toBe(422)
})
