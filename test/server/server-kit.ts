import { onTestFinished } from 'vitest'
import type { Scope, Store } from '../../packages/palimpsest/src/store/index.ts'
import { openApp } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { sqlitePlace } from '../stores.ts'

/** The server in this process, with all that its options say, until the test is done. */
export async function openServer(options: Partial<Parameters<typeof openApp>[0]> = {}, create = sqlitePlace) {
  const place = create()
  const store = await place.open()
  const opened = await openApp({ store, ...options })
  onTestFinished(async () => {
    await opened.close()
    await place.remove()
  })
  const call = async (method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}) => {
    const response = await opened.app.request(path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
    return { status: response.status, json: text === '' ? null : (JSON.parse(text) as any), text }
  }
  return { place, store, opened, call }
}

export async function addKey(store: Store, namespace: string, scopes: readonly Scope[]) {
  const { key, written } = newKey({ name: 'bot', namespace, scopes, now: new Date(0) })
  await store.keys.addKey(key)
  return { id: key.id, written }
}
