import { createPalimpsest, type PalimpsestOptions, sqlite } from '../packages/palimpsest/src/index.ts'
import { type Durability, openBare } from './bare-sqlite.ts'
import type { Benchmark, BenchmarkOptions, Figure } from './benchmark.ts'
import { messagesFrom } from './corpus.ts'
import { SESSION } from './fixtures.ts'
import { interleave, median, medianRatio, perSecond } from './measure.ts'
import { NEVER } from './policies.ts'

const START = 10_000
const AIMS = { full: 0.8, normal: 0.6 } as const
const APPENDS = { full: 500, normal: 3_000 } as const

/** One append after another, each awaited, beside the bare insert of the same row into the same table. */
export const appendLone: Benchmark = {
  name: 'append-lone',
  async run(options) {
    const figures: Figure[] = []
    for (const durability of ['full', 'normal'] as const) {
      options.progress(`append-lone: ${durability}`)
      figures.push(...(await compare(options, durability)))
    }
    return { figures }
  },
}

async function compare({ quick, fixtures }: BenchmarkOptions, durability: Durability): Promise<Figure[]> {
  const appends = APPENDS[durability] / (quick ? 5 : 1)
  const bareFile = await fixtures.withMessages(START)
  const bare = openBare(bareFile, { durability, messages: START })
  const never = await openOurs(await fixtures.withMessages(START), durability, { policy: NEVER })
  const standard = await openOurs(await fixtures.withMessages(START), durability, { folding: 'manual' })
  const rates = await interleave(quick ? 3 : 7, {
    ours: () => never.measure(appends),
    bare: () => bare.measure(appends),
    standard: () => standard.measure(appends),
  })
  bare.close()
  await never.close()
  await standard.close()
  return [
    {
      name: `${durability}: ours / bare`,
      value: medianRatio(rates.ours, rates.bare),
      unit: 'ratio',
      aim: { atLeast: AIMS[durability] },
    },
    {
      name: `${durability}: default policy, overdue / bare`,
      value: medianRatio(rates.standard, rates.bare),
      unit: 'ratio',
      aim: { atLeast: AIMS[durability] },
    },
    { name: `${durability}: ours`, value: median(rates.ours), unit: 'per second' },
    { name: `${durability}: bare`, value: median(rates.bare), unit: 'per second' },
  ]
}

async function openOurs(file: string, durability: Durability, options: Omit<PalimpsestOptions, 'store'>) {
  const palimpsest = await createPalimpsest({ store: sqlite(file, { durability }), ...options })
  // What the fixture holds is indexed before; what is appended, while it is measured.
  await palimpsest.settled()
  const chat = palimpsest.session(SESSION)
  let appended = START
  return {
    measure: async (appends: number) => {
      const messages = messagesFrom(appended, appends)
      appended += appends
      const rate = await perSecond(appends, async () => {
        for (const message of messages) await chat.append(message)
      })
      // What is left to index is not the next one's to wait for.
      await palimpsest.settled()
      return rate
    },
    close: () => palimpsest.close(),
  }
}
