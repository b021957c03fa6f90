import type { Layer } from '../../packages/palimpsest/src/config/index.ts'
import type { PalimpsestOptions } from '../../packages/palimpsest/src/palimpsest.ts'
import { openApp } from '../../packages/server/src/index.ts'
import type { StorePlace } from '../stores.ts'

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly json: any
  readonly headers: Headers
}

export interface Client extends AsyncDisposable {
  /** With a body: JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>
  /** As it is, for what is no JSON. */
  raw(path: string, init: RequestInit): Promise<Answered>
  settled(): Promise<boolean>
  readonly errors: readonly unknown[]
}

/** The server in this process, without a port, on a place of its own. */
export async function openClient(
  place: StorePlace,
  options: { environment?: Layer } & Partial<PalimpsestOptions> = {},
): Promise<Client> {
  const { environment = {}, ...instances } = options
  const errors: unknown[] = []
  const opened = await openApp({
    store: await place.open(),
    environment,
    instances,
    version: '1.2.3',
    onError: error => errors.push(error),
  })
  const { app } = opened
  const { palimpsest } = await opened.tenant('default')
  const raw = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await app.request(path, init)
    const text = await response.text()
    return { status: response.status, json: text === '' ? null : JSON.parse(text), headers: response.headers }
  }
  return {
    raw,
    call: (method, path, body, headers = {}) =>
      raw(path, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      }),
    settled: () => palimpsest.settled(),
    errors,
    [Symbol.asyncDispose]: () => opened.close(),
  }
}

/** A question, an answer, a question … */
export function talk(length: number, words = 8): { role: string; text: string }[] {
  return Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: `message ${index + 1}: ${'lemons for Porto '.repeat(words)}`,
  }))
}
