import { createPalimpsest, type Palimpsest, sqlite, tokens } from '../packages/palimpsest/src/index.ts'
import type { Benchmark, Figure } from './benchmark.ts'
import { messagesFrom } from './corpus.ts'
import { SESSION } from './fixtures.ts'
import { foldSession } from './fold.ts'
import { percentile } from './measure.ts'

const KEY = { namespace: 'default', id: SESSION }
/** Of 200 characters each: some three quarters of the budget. */
const BUDGETS = [
  { tokens: 8_000, raw: 120, aim: 0.5 },
  { tokens: 128_000, raw: 2_000, aim: 1 },
]
const INSTRUCTIONS = 'You are the assistant of a small travel agency. Be brief, and never invent a price.'

interface Contestant {
  readonly messages: number
  readonly budget: (typeof BUDGETS)[number]
  readonly file: string
  readonly palimpsest: Palimpsest
  readonly warm: number[]
  readonly cold: number[]
}

/**
 * What stands between a message and the model. Warm: the same process made the last context of the
 * session, and one message came since. Cold: it has never seen the session.
 */
export const context: Benchmark = {
  name: 'context',
  async run({ quick, fixtures, progress }) {
    const sizes = quick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000]
    const contestants: Contestant[] = []
    for (const messages of sizes)
      for (const budget of BUDGETS) {
        if (messages < budget.raw) continue
        const file = await fixtures.withMessages(messages)
        const store = sqlite(file, { durability: 'normal' })
        await store.open()
        progress(`context: folding ${messages.toLocaleString('en')} messages for ${budget.tokens} tokens`)
        await foldSession(store, KEY, budget.raw)
        const policy = tokens({ budget: budget.tokens })
        const palimpsest = await createPalimpsest({ store, policy, folding: 'manual' })
        contestants.push({ messages, budget, file, palimpsest, warm: [], cold: [] })
      }
    const rounds = quick ? 4 : 12
    for (let round = 0; round <= rounds; round++)
      for (const contestant of contestants) await measureRound(contestant, round > 0)
    const figures: Figure[] = [growth(contestants)]
    for (const { messages, budget, warm, cold, palimpsest, file } of contestants) {
      const name = `${messages.toLocaleString('en')} messages, ${budget.tokens / 1_000}k`
      const aim = { atMost: budget.aim }
      figures.push({ name: `${name}: p50`, value: percentile(warm, 0.5), unit: 'ms', aim })
      figures.push({ name: `${name}: p99`, value: percentile(warm, 0.99), unit: 'ms' })
      figures.push({ name: `${name}, cold: p50`, value: percentile(cold, 0.5), unit: 'ms' })
      await palimpsest.close()
      fixtures.discard(file)
    }
    return { figures }
  },
}

/** What a long history costs: nothing, if it is 1. */
function growth(contestants: readonly Contestant[]): Figure {
  const p50 = (messages: number) =>
    percentile(
      contestants.find(({ budget, ...each }) => each.messages === messages && budget === BUDGETS[0])!.warm,
      0.5,
    )
  return { name: '8k: p50 of 100,000 / of 1,000 messages', value: p50(100_000) / p50(1_000), unit: 'ratio' }
}

const WARM_CALLS = 20
const COLD_CALLS = 5

async function measureRound({ palimpsest, warm, cold, budget }: Contestant, counts: boolean): Promise<void> {
  const chat = palimpsest.session(SESSION)
  const time = async (times: number[], tokens: number) => {
    const start = performance.now()
    await chat.context({ instructions: INSTRUCTIONS, budget: tokens })
    if (counts) times.push(performance.now() - start)
  }
  for (let call = 0; call < WARM_CALLS; call++) {
    await chat.append(messagesFrom(call % 2, 1)[0]!)
    await time(warm, budget.tokens)
  }
  // Another budget has nothing in memory.
  for (let call = 0; call < COLD_CALLS; call++) await time(cold, budget.tokens - nextOdd())
}

let odd = 0

function nextOdd(): number {
  odd = (odd % 500) + 1
  return odd
}
