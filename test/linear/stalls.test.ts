import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveWatched, type Watched } from '../../bench/stalls.ts'

/**
 * A short form of `npm run bench -- stalls`. What took many seconds of the processor at a stretch takes a fraction of
 * one: the limit is far above what is aimed at, so that a slow machine bears it, and far below what it was.
 */
const MAX_STOP_CPU_MS = 1_000
const MEGABYTE = 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-stalls-'))
let served: Watched

beforeAll(async () => {
  served = await serveWatched(
    import.meta.resolve('../../packages/palimpsest/src/index.ts'),
    join(folder, 'stalls.db'),
  )
}, 60_000)

afterAll(async () => {
  await served[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function post(path: string, body: string) {
  const response = await fetch(`http://127.0.0.1:${served.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  await response.arrayBuffer()
  return response.status
}

const message = (text: string) => JSON.stringify({ role: 'user', text })
const toolResult = (output: string) =>
  `{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","output":${output}}]}`

/** Each took from one to thirty seconds at a stretch. */
const INPUTS: readonly (readonly [name: string, status: number, body: () => string])[] = [
  [
    'a million fields',
    422,
    () => toolResult(`{${Array.from({ length: 1_000_000 }, (_, field) => `"f${field}":1`)}}`),
  ],
  ['three million lists', 422, () => toolResult(`[${'[],'.repeat(3_000_000)}0]`)],
  ['ten megabytes of brackets', 422, () => `{"text":${'['.repeat(10 * MEGABYTE)}`],
  ['dots before a letter', 201, () => message(`${'…'.repeat(60_000)}x`)],
  ['new words', 201, () => message(Array.from({ length: 200_000 }, (_, word) => `w${word}q`).join(' '))],
]

for (const [place, [name, status, body]] of INPUTS.entries())
  test(`${name} stop the server for a moment only`, { timeout: 120_000 }, async () => {
    const text = body()
    await served.stop()
    expect(await post(`/v1/sessions/${place}/messages`, text)).toBe(status)
    if (status === 201) expect(await post(`/v1/sessions/${place}/context`, '{}')).toBe(200)
    const { longestCpuMs } = await served.stop()
    expect(longestCpuMs).toBeLessThan(MAX_STOP_CPU_MS)
  })
