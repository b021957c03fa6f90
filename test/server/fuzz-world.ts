import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Layer } from '../../packages/palimpsest/src/config/index.ts'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { openApp } from '../../packages/server/src/index.ts'
import { talk } from './client.ts'
import { Database } from './fuzz-database.ts'

/** A server without a port on a database of its own, in which the known ids are. */
export interface World extends AsyncDisposable {
  readonly app: OpenAPIHono
  readonly store: Store
  readonly database: Database
  /** What nobody foresaw. */
  readonly errors: readonly unknown[]
  /** Until nothing is done in the background any more. */
  settled(): Promise<void>
  /** As though nobody had changed any: with those of one call the next could not be made. */
  resetSettings(): Promise<void>
}

export interface Worlds extends Disposable {
  /** Each time the same, and nobody else's. */
  open(environment?: Layer): Promise<World>
}

const ENVIRONMENT: Layer = { policy: 'count', threshold: 12, keepLast: 6 }

export async function createWorlds(): Promise<Worlds> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-fuzz-'))
  const template = join(folder, 'template.db')
  await fill(template)
  let opened = 0
  return {
    open: async environment => {
      opened += 1
      const file = join(folder, `${opened}.db`)
      copyFileSync(template, file)
      const world = await openWorld(file, { ...ENVIRONMENT, ...environment })
      const close = async () => {
        await world[Symbol.asyncDispose]()
        for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
      }
      return { ...world, [Symbol.asyncDispose]: close }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function openWorld(file: string, environment: Layer): Promise<World> {
  const errors: unknown[] = []
  const store = sqlite(file, { durability: 'normal' })
  const opened = await openApp({ store, environment, version: '1.2.3', onError: error => errors.push(error) })
  const { palimpsest } = await opened.tenant('default')
  const settled = async () => {
    await palimpsest.settled()
    while ((await store.erasure.listOpenErasures('default')).length > 0) await turns(1)
    await palimpsest.settled()
    await turns(WRITTEN_BY_THEN)
  }
  await settled()
  const database = new Database(file)
  return {
    app: opened.app,
    store,
    database,
    errors,
    settled,
    resetSettings: async () => {
      const stored = await store.settings.readSettings('default')
      await store.settings.writeSettings(
        'default',
        Object.fromEntries(Object.keys(stored).map(name => [name, null])),
      )
    },
    [Symbol.asyncDispose]: async () => {
      database[Symbol.dispose]()
      await opened.close()
    },
  }
}

/** Some writes nobody waits for: they are made within so many turns of the loop. */
const WRITTEN_BY_THEN = 5

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(resolve => setImmediate(resolve))
}

/** One of everything that a path may name. */
async function fill(file: string): Promise<void> {
  await using world = await openWorld(file, ENVIRONMENT)
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const { status } = await world.app.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`)
    await world.settled()
  }
  const from = (id: string, messages: readonly object[]) =>
    messages.map(each => ({ sender: { id }, ...each }))
  await call('POST', '/v1/sessions/s/messages', {
    messages: from('u', talk(20, 3)),
    kind: 'private',
    user: 'u',
  })
  await call('POST', '/v1/sessions/g/messages', {
    messages: from('v', talk(6, 3)),
    kind: 'group',
    scope: 'w',
  })
  await call(
    'POST',
    '/v1/sessions/s/messages',
    { role: 'user', text: 'once' },
    { 'idempotency-key': 'key-1' },
  )
  await call('POST', '/v1/sessions/s/compact', { force: 'deep' }, { 'idempotency-key': 'key-1' })
  await call('PATCH', '/v1/sessions/s/messages/20', { text: 'a better answer' })
  for (const document of ['persona', 'global', 'user/u', 'scope/w', 'chat/s', 'daily/2026-02-10%2Fs'])
    for (const content of ['# It\n## Likes\n- tea', '# It\n## Likes\n- lemons'])
      await call('PUT', `/v1/memory/${document}`, { content })
  await call('PUT', '/v1/sessions/g/settings', { threshold: 9 })
  await call('DELETE', '/v1/sessions/g/messages/2')
}
