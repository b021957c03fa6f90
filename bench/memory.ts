import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Benchmark } from './benchmark.ts'
import { compileLibrary } from './compile.ts'

const TOUCH_SESSIONS = join(import.meta.dirname, 'children/touch-sessions.js')
const MEGABYTE = 2 ** 20

/** A process that has met many sessions must not keep them: resident memory, in a process of its own. */
export const memory: Benchmark = {
  name: 'memory',
  async run({ quick, fixtures, progress }) {
    const sessions = quick ? 10_000 : 100_000
    const library = compileLibrary(fixtures.folder)
    progress(`memory: touching ${sessions.toLocaleString('en')} sessions`)
    const file = fixtures.newFile()
    const { stdout } = await promisify(execFile)(process.execPath, [
      TOUCH_SESSIONS,
      library,
      file,
      String(sessions),
    ])
    fixtures.discard(file)
    const { before, after } = JSON.parse(stdout) as { before: number; after: number }
    return {
      figures: [
        { name: 'resident before', value: before / MEGABYTE, unit: 'MB' },
        {
          name: `resident after ${sessions.toLocaleString('en')} sessions`,
          value: after / MEGABYTE,
          unit: 'MB',
          aim: { atMost: 150 },
        },
      ],
    }
  },
}
