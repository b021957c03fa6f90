import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  count,
  createPalimpsest,
  modelSummarizer,
  type PalimpsestOptions,
  sqlite,
} from '../packages/palimpsest/src/index.ts'
import { extractive } from '../packages/palimpsest/src/summarizer/index.ts'
import { startModelServer } from '../packages/palimpsest/src/testing/index.ts'
import { smallTalk } from '../test/scenarios/small-talk.ts'
import type { Benchmark, Figure } from './benchmark.ts'
import type { Fixtures } from './fixtures.ts'
import { median, percentile, timeEach } from './measure.ts'
import { NEVER } from './policies.ts'

const APPENDS = 1_500
const SUMMARY = JSON.stringify({
  summary: 'They compared offers for the bicycle, agreed on Ann, and left the date open. '.repeat(4),
  events: [],
  details: [],
})

/**
 * What folds in the background cost those who speak meanwhile: appends one after another, a pause of a
 * millisecond between them, with nothing to fold, with extractive folds, and with a model's.
 */
export const folding: Benchmark = {
  name: 'folding',
  async run({ quick, fixtures, progress }) {
    await using server = await startModelServer({ reply: { text: SUMMARY, delayMs: 50 } })
    const provider = createOpenAICompatible({ name: 'loopback', baseURL: server.url })
    const folds = { policy: count({ threshold: 40, keepLast: 20 }) }
    const contestants = {
      idle: { policy: NEVER },
      extractive: folds,
      model: { ...folds, summarizer: modelSummarizer(provider('scripted')) },
    }
    const figures: Figure[] = []
    const appends = quick ? APPENDS / 3 : APPENDS
    for (const [name, options] of Object.entries(contestants)) {
      progress(`folding: ${name}`)
      const rounds = []
      for (let round = 0; round < (quick ? 2 : 4); round++)
        rounds.push(await measure(fixtures, options, appends))
      const [, ...counted] = rounds
      figures.push({
        name: `${name}: append p99`,
        value: median(counted.map(({ p99 }) => p99)),
        unit: 'ms',
      })
      figures.push({
        name: `${name}: longest event-loop delay`,
        value: median(counted.map(({ delay }) => delay)),
        unit: 'ms',
      })
    }
    progress('folding: the extractive summariser')
    figures.push({ name: 'extractive summariser', value: await extractiveSpeed(quick), unit: 'MB/s' })
    return { figures }
  },
}

async function measure(fixtures: Fixtures, options: Partial<PalimpsestOptions>, appends: number) {
  const file = fixtures.newFile()
  const store = sqlite(file, { durability: 'normal' })
  const palimpsest = await createPalimpsest({ store, ...options })
  const chat = palimpsest.session('folding')
  const talk = smallTalk()
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const times: number[] = []
  for (let index = 0; index < appends; index++) {
    times.push(...(await timeEach(1, () => chat.append(talk.next().value))))
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  delays.disable()
  await palimpsest.settled()
  await palimpsest.close()
  fixtures.discard(file)
  // The histogram counts from one tick to the next, the resolution included.
  return { p99: percentile(times, 0.99), delay: delays.max / 1e6 - 1 }
}

async function extractiveSpeed(quick: boolean): Promise<number> {
  const talk = smallTalk(7)
  const messages = Array.from({ length: quick ? 1_000 : 4_000 }, (_, index) => {
    const { role, content, at } = talk.next().value
    return {
      seq: index + 1,
      role,
      content: content ?? '',
      sender: null,
      at: new Date(at as number),
      zone: null,
    }
  })
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content as string), 0)
  const rates: number[] = []
  for (let round = 0; round < 5; round++) {
    const [took] = await timeEach(1, () =>
      extractive().summarize({ messages, earlier: null, budgetTokens: 800, zone: 'UTC' }),
    )
    rates.push(bytes / 1e6 / (took! / 1_000))
  }
  return median(rates.slice(1))
}
