import { sqlite } from '../packages/palimpsest/src/index.ts'
import type { Benchmark, Figure } from './benchmark.ts'
import { SESSION } from './fixtures.ts'
import { foldSession } from './fold.ts'
import { percentile, timeEach } from './measure.ts'

const KEY = { namespace: 'default', id: SESSION }
const CALLS_A_ROUND = 200

/** The read behind every model call. It must cost the same for a short log and for a very long one. */
export const readContext: Benchmark = {
  name: 'read-context',
  async run({ quick, fixtures, progress }) {
    const sizes = quick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000]
    const sessions = []
    for (const messages of sizes) {
      const file = await fixtures.withMessages(messages)
      const store = sqlite(file, { durability: 'normal' })
      await store.open()
      progress(`read-context: folding ${messages.toLocaleString('en')} messages`)
      await foldSession(store, KEY)
      sessions.push({ messages, file, store, times: [] as number[] })
    }
    for (let round = 0; round <= (quick ? 5 : 15); round++)
      for (const { store, times } of sessions) {
        const took = await timeEach(CALLS_A_ROUND, () =>
          store.context.readContext(KEY, { tokens: 2_000, archivedTokens: 0 }),
        )
        if (round > 0) times.push(...took)
      }
    const figures: Figure[] = []
    for (const { messages, times, store, file } of sessions) {
      const name = messages.toLocaleString('en')
      figures.push({ name: `${name}: p50`, value: percentile(times, 0.5), unit: 'ms', aim: { atMost: 0.2 } })
      figures.push({ name: `${name}: p99`, value: percentile(times, 0.99), unit: 'ms' })
      await store.close()
      fixtures.discard(file)
    }
    return { figures }
  },
}
