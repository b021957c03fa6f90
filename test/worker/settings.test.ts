import { expect, test } from 'vitest'
import { startWorker } from '../../packages/cli/src/fold-worker.ts'
import { type OpenedApp, openApp } from '../../packages/server/src/index.ts'
import { talk } from '../server/client.ts'
import { Crowd } from './kit.ts'

test('settings that one server changed are those of the next fold of any worker', async () => {
  await using crowd = await Crowd.gather()
  const { place } = crowd
  const open = async (folding: 'queue' | 'worker') => {
    const store = await place.open()
    const environment = { policy: 'count', threshold: 10, keepLast: 2 }
    const app = await openApp({ store, environment, inspector: false, instances: { folding } })
    crowd.onClose(() => app.close())
    return { app, store }
  }
  const [one, other, working] = [await open('queue'), await open('queue'), await open('worker')]
  const worker = await startWorker({
    ...{ place, store: working.store, concurrency: 2, log: () => {} },
    tenant: working.app.tenant,
  })
  crowd.onClose(() => worker.close())
  await call(one.app, 'POST', '/v1/sessions/a/messages', { messages: talk(11) })
  const cursor = async () => (await call(one.app, 'GET', '/v1/sessions/a'))['compactedThrough']
  await expect.poll(cursor).toBe(9)
  await call(one.app, 'PUT', '/v1/settings', { keepLast: 6 })
  await call(other.app, 'POST', '/v1/sessions/a/messages', { messages: talk(9) })
  await expect.poll(cursor).toBe(14)
})

async function call(
  { app }: OpenedApp,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const answer = await app.request(path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  return (await answer.json()) as Record<string, unknown>
}
