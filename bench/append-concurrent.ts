import { createPalimpsest, sqlite } from '../packages/palimpsest/src/index.ts'
import type { Benchmark } from './benchmark.ts'
import { messagesFrom } from './corpus.ts'
import { SESSION } from './fixtures.ts'
import { interleave, median, medianRatio, perSecond } from './measure.ts'
import { NEVER } from './policies.ts'

const START = 10_000
const CALLERS = 16

/** Callers that come together share a commit: how near that brings `full` to a lone caller with `normal`. */
export const appendConcurrent: Benchmark = {
  name: 'append-concurrent',
  async run({ quick, fixtures, progress }) {
    progress('append-concurrent')
    const appends = quick ? 640 : 3_200
    const full = await openChat(await fixtures.withMessages(START), 'full')
    const normal = await openChat(await fixtures.withMessages(START), 'normal')
    const rates = await interleave(quick ? 3 : 7, {
      concurrent: () => full.measure(appends, CALLERS),
      lone: () => normal.measure(appends, 1),
    })
    await full.close()
    await normal.close()
    return {
      figures: [
        {
          name: `${CALLERS} callers, full / one caller, normal`,
          value: medianRatio(rates.concurrent, rates.lone),
          unit: 'ratio',
          aim: { atLeast: 0.65 },
        },
        { name: `${CALLERS} callers, full`, value: median(rates.concurrent), unit: 'per second' },
        { name: 'one caller, normal', value: median(rates.lone), unit: 'per second' },
      ],
    }
  },
}

async function openChat(file: string, durability: 'full' | 'normal') {
  const palimpsest = await createPalimpsest({ store: sqlite(file, { durability }), policy: NEVER })
  await palimpsest.settled()
  const chat = palimpsest.session(SESSION)
  let appended = START
  return {
    measure: async (appends: number, callers: number) => {
      const messages = messagesFrom(appended, appends).values()
      appended += appends
      const call = async () => {
        for (const message of messages) await chat.append(message)
      }
      const rate = await perSecond(appends, async () => {
        await Promise.all(Array.from({ length: callers }, call))
      })
      // What is left to index is not the next one's to wait for.
      await palimpsest.settled()
      return rate
    },
    close: () => palimpsest.close(),
  }
}
