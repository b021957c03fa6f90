import { ApiError, isAbort } from './api-error.ts'
import { authorization, isKeyWanted } from './key.ts'

type QueryValue = string | number | boolean | null | undefined

export interface CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** What to do if the server wants a key: `ask` the reader of the page for one, or only `fail`. */
  readonly whenRefused?: 'ask' | 'fail'
}

/** One part of a path. It is encoded, because an id may be any text. */
export function part(text: string | number): string {
  return encodeURIComponent(text)
}

/** One call of the HTTP API. It throws an `ApiError` if the server refuses. */
export async function call<Answer>(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const response = await send(method, path, options)
  return (await response.json()) as Answer
}

export async function send(
  method: string,
  path: string,
  { query = {}, body, headers, signal, whenRefused = 'ask' }: CallOptions = {},
): Promise<Response> {
  if (path.split('/').some(each => each === '.' || each === '..'))
    // A browser resolves these parts of a path. The result would be another call, perhaps one that changes
    // the settings of the server.
    throw new ApiError(
      400,
      'malformed_request',
      'No id is "." or ".."; an old one can be erased on the command line.',
    )
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  const response = await fetch(search === '' ? path : `${path}?${search}`, {
    method,
    headers: {
      ...authorization(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(error => {
    throw isAbort(error) ? error : new ApiError(0, 'unreachable', String(error))
  })
  if (response.ok) return response
  if (response.status === 401 && whenRefused === 'ask') isKeyWanted.set(true)
  throw await ApiError.of(response)
}
