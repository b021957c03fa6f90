import { existsSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApp } from '../../packages/server/src/index.ts'
import { MAIN } from '../cli/run.ts'
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

const root = join(import.meta.dirname, '../..') + sep

test('where the built package is to be tested, it is', async () => {
  const isBuilt = process.env['TEST_BUILT_PACKAGE'] === '1'
  const thrown = await openApp({ environment: { policy: 'none' } } as never).catch(error => error)
  expect(thrown.stack).toContain(root + (isBuilt ? 'dist' : 'packages') + sep)
  expect(thrown.stack).not.toContain(root + (isBuilt ? 'packages' : 'dist') + sep)
  const built = join('dist', 'node_modules', '@palimpsest', 'cli', 'dist', 'main.js')
  expect(MAIN).toBe(root + (isBuilt ? built : join('packages', 'cli', 'src', 'main.ts')))
  expect(existsSync(MAIN)).toBe(true)
})

test('it is tested with every test, and all of it where changes are looked at', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(scripts.test).toContain('--config vitest.built.config.ts')
  expect(scripts['test:built']).toContain('--config vitest.built.config.ts --mode all')
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toContain('npm run test:built')
})

test('a zone that there is none of is refused', async () => {
  const answer = await opened.app.request('/v1/settings', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ zone: 'Europe/Nowhere' }),
  })
  expect(answer.status).toBe(422)
})
