import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CHILD = fileURLToPath(new URL('./waiting-child.ts', import.meta.url))

test.each([
  ['fold', 'failed: timeout'],
  ['policy', 'policy_timeout'],
  ['classic', 'TimeoutError'],
  ['condensing', 'true'],
])('a script that waits only for a %s is answered when the time is over', async (waiting, answer) => {
  const child = spawn(process.execPath, [CHILD, waiting])
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  const [code] = await once(child, 'close')
  expect([output.trim(), code]).toEqual([answer, 0])
})

test('nothing in the library is limited by a timer that lets the process end', () => {
  const files = globSync('packages/palimpsest/src/**/*.ts', {
    cwd: ROOT,
    exclude: ['packages/palimpsest/src/**/*.test.ts', 'packages/server/src/**'],
  })
  expect(files.length).toBeGreaterThan(100)
  const limited = files.filter(file =>
    readFileSync(`${ROOT}${file}`, 'utf8').includes('AbortSignal.timeout('),
  )
  expect(limited).toEqual([])
})
