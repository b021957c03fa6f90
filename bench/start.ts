import { join } from 'node:path'
import { sqlite } from '../packages/palimpsest/src/index.ts'
import type { Benchmark } from './benchmark.ts'
import { compileLibrary } from './compile.ts'
import { SESSION } from './fixtures.ts'
import { foldSession } from './fold.ts'
import { interleave, median } from './measure.ts'
import { runNode } from './run-node.ts'

const FIRST_READ = join(import.meta.dirname, 'children/first-read.js')

/** From the start of a process to its first context, over a Node that does nothing. */
export const start: Benchmark = {
  name: 'start',
  async run({ quick, fixtures, progress }) {
    progress('start: compiling the library')
    const library = compileLibrary(fixtures.folder)
    const file = await fixtures.withMessages(10_000)
    const store = sqlite(file)
    await store.open()
    await foldSession(store, { namespace: 'default', id: SESSION })
    await store.close()
    progress('start: spawning')
    const times = await interleave(quick ? 5 : 21, {
      ours: () => timeNode(FIRST_READ, library, file, SESSION),
      bare: () => timeNode('-e', '0'),
    })
    return {
      figures: [
        {
          name: 'first read, over bare Node',
          value: median(times.ours.map((time, round) => time - times.bare[round]!)),
          unit: 'ms',
          aim: { atMost: 60 },
        },
        { name: 'bare Node', value: median(times.bare), unit: 'ms' },
      ],
    }
  },
}

async function timeNode(...args: readonly string[]): Promise<number> {
  return (await runNode(args)).ms
}
