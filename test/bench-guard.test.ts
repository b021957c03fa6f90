import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** The short form of `npm run bench -- guard`: ratios and sizes, none of which says how quick the machine is. */
test('the hot paths are not much slower beside bare work than they were', async () => {
  const main = join(import.meta.dirname, '../bench/main.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'guard', '--quick', '--json']).catch(
    (failure: { stdout: string }) => {
      // Past bearing: what it found is in the message of the test.
      if (failure.stdout !== '') return failure
      throw failure
    },
  )
  const { checked } = JSON.parse(stdout) as { checked: readonly { isWell: boolean }[] }
  expect(checked.length).toBeGreaterThan(2)
  expect(checked.filter(({ isWell }) => !isWell)).toEqual([])
}, 240_000)
