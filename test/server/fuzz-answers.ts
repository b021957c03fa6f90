import type { OpenAPIHono } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { ERROR_CODES, type ErrorCode } from '../../packages/palimpsest/src/errors.ts'

/** Within this everything is answered, on a machine that is busy. */
const MAX_MS = 20_000

export interface Sent {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A stream that has no end is read until it has said something. */
export async function send(app: OpenAPIHono, path: string, init: RequestInit): Promise<Sent> {
  const over = new AbortController()
  const begun = performance.now()
  const late = setTimeout(() => over.abort(new Error(`No answer within ${MAX_MS} ms`)), MAX_MS)
  try {
    const answer = async () => {
      const response = await app.request(path, { ...init, signal: over.signal })
      const isEndless = new URL(path, 'http://localhost').pathname.startsWith('/v1/events')
      const text = isEndless ? await firstOf(response) : await response.text()
      return { status: response.status, headers: response.headers, text }
    }
    const ending = new Promise<never>((_, reject) =>
      over.signal.addEventListener('abort', () => reject(over.signal.reason)),
    )
    const sent = await Promise.race([answer(), ending])
    expect(performance.now() - begun).toBeLessThan(MAX_MS)
    return sent
  } finally {
    clearTimeout(late)
    over.signal.aborted || over.abort()
  }
}

async function firstOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const chunk = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(chunk?.value)
}

/** A notification of MCP is taken, and what the caller has already is not sent. */
const EMPTY = [202, 204, 304]

/** What always holds of an answer, whatever was sent. */
export function checkAnswer({ status, headers, text }: Sent, method: string, path: string): void {
  expect(status, text.slice(0, 500)).toBeLessThan(500)
  expect(headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,128}$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  const type = headers.get('content-type') ?? ''
  if (method === 'HEAD' || (EMPTY.includes(status) && type === '')) expect(text).toBe('')
  else if (status >= 400 && isProtocol(path, text)) expect(type).toMatch(/^application\/json/)
  else if (status >= 400) checkError(status, type, text)
  else if (/^application\/json/.test(type)) JSON.parse(text)
  else expect(type).toMatch(/^text\/(event-stream|plain)/)
}

function checkError(status: number, type: string, text: string): void {
  expect(type).toMatch(/^application\/json/)
  const { error, ...others } = JSON.parse(text)
  expect(others).toEqual({})
  expect(Object.keys(ERROR_CODES)).toContain(error.code)
  expect(ERROR_CODES[error.code as ErrorCode].status).toBe(status)
  expect(error.message).toMatch(/\S/)
  expect(error.details).toBeTypeOf('object')
  // Whoever sends a megabyte is not sent it back.
  expect(text.length).toBeLessThan(100_000)
}

/** MCP has errors of its own, by numbers. */
function isProtocol(path: string, text: string): boolean {
  return path.startsWith('/mcp') && /"code":-32\d{3}/.test(text)
}

/** Refused, by its status or within a protocol. */
export function isRefusal({ status, text }: Sent): boolean {
  return status >= 400 || /"isError":\s*true/.test(text) || /"error":\s*\{"code":-32\d{3}/.test(text)
}
