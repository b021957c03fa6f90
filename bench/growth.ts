import { SqliteDriver } from '../packages/palimpsest/src/store/sqlite/driver.ts'
import { AgedChat, STEPS, type Step } from '../test/growth/aged-chat.ts'
import { MESSAGES_A_FOLD } from '../test/growth/past.ts'
import type { Benchmark, BenchmarkOptions, Figure } from './benchmark.ts'
import { median } from './measure.ts'

const SIZES = [1_000, 10_000, 100_000]
const LARGEST = 1_000_000
/** Of each size so many messages are folded one by one, as they come: by then the documents are as full as they get. */
const FOLDED_AS_THEY_CAME = 600

/**
 * How many times as much a step may take in the oldest chat as in the youngest: of the processor's time, and of rows.
 * The index rewrites its newest block, which is full at 4,096 messages.
 */
const MAX_GROWTH = { time: 2, rows: 1.1 }
const MAX_INDEX_GROWTH = { time: 4, rows: 1.5 }
/** A search ranks by the lengths of all messages, 4,096 to a row: it may cost as much again for so many messages. */
const MESSAGES_AS_MUCH_AGAIN = 10_000

function maxGrowth(step: Step, messages: number): { readonly time: number; readonly rows: number } {
  if (step === 'index') return MAX_INDEX_GROWTH
  if (step !== 'search' && step !== 'question') return MAX_GROWTH
  const most = MAX_GROWTH.time + messages / MESSAGES_AS_MUCH_AGAIN
  return { time: most, rows: most }
}

interface Cost {
  /** Of the processor, in milliseconds. */
  readonly time: number
  readonly rows: number
}

interface Contestant {
  readonly messages: number
  readonly file: string
  readonly chat: AgedChat
  readonly costs: Readonly<Record<Step, Cost[]>>
}

/** What a chat's age costs those who use it today: nothing, if the chat of years is as quick as that of a week. */
export const growth: Benchmark = {
  name: 'growth',
  onlyByName: true,
  mustReachAims: true,
  async run(options) {
    const { quick, large, fixtures, progress } = options
    const sizes = quick ? SIZES.slice(0, 2) : large ? [...SIZES, LARGEST] : SIZES
    const contestants: Contestant[] = []
    for (const messages of sizes) contestants.push(await prepare(messages, options))
    const folds = quick ? 12 : 30
    progress(`growth: measuring ${folds} folds of each`)
    for (let fold = 0; fold < folds; fold++)
      for (const contestant of fold % 2 === 0 ? contestants : contestants.toReversed())
        await measureFold(contestant)
    for (const { chat, file } of contestants) {
      await chat.close()
      fixtures.discard(file)
    }
    return { figures: STEPS.flatMap(step => figuresOf(step, contestants)) }
  },
}

async function prepare(messages: number, { fixtures, progress }: BenchmarkOptions): Promise<Contestant> {
  const file = fixtures.newFile()
  progress(`growth: writing ${messages.toLocaleString('en')} messages and what their folds left`)
  const driverOf = () => new SqliteDriver(file, { durability: 'normal' })
  const folds = Math.floor((messages - FOLDED_AS_THEY_CAME) / MESSAGES_A_FOLD / 2) * 2
  const chat = await AgedChat.open(driverOf, { folds })
  progress(`growth: folding the newest ${FOLDED_AS_THEY_CAME} as they come`)
  await chat.settleIn(FOLDED_AS_THEY_CAME / MESSAGES_A_FOLD)
  const costs = Object.fromEntries(STEPS.map(step => [step, [] as Cost[]])) as Record<Step, Cost[]>
  return { messages, file, chat, costs }
}

async function measureFold({ chat, costs }: Contestant): Promise<void> {
  await chat.live(async (step, action) => {
    chat.count.begin()
    const start = process.cpuUsage()
    await action()
    const { user, system } = process.cpuUsage(start)
    costs[step].push({ time: (user + system) / 1_000, rows: chat.count.rows })
  })
}

function figuresOf(step: Step, contestants: readonly Contestant[]): Figure[] {
  const middle = (field: keyof Cost, { costs }: Contestant) => median(costs[step].map(cost => cost[field]))
  const times = (field: keyof Cost) =>
    middle(field, contestants.at(-1)!) / Math.max(middle(field, contestants[0]!), Number.EPSILON)
  const figures = contestants.flatMap((contestant): Figure[] => {
    const name = `${step}, ${contestant.messages.toLocaleString('en')} messages`
    return [
      { name: `${name}: processor`, value: middle('time', contestant), unit: 'ms' },
      { name: `${name}: rows`, value: middle('rows', contestant), unit: 'rows' },
    ]
  })
  const { time, rows } = maxGrowth(step, contestants.at(-1)!.messages)
  return [
    ...figures,
    {
      name: `${step}: processor, oldest / youngest`,
      value: times('time'),
      unit: 'ratio',
      aim: { atMost: time },
    },
    { name: `${step}: rows, oldest / youngest`, value: times('rows'), unit: 'ratio', aim: { atMost: rows } },
  ]
}
