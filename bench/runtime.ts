import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { count, createPalimpsest, sqlite } from '../packages/palimpsest/src/index.ts'
import { type ModelScript, startModelServer } from '../packages/palimpsest/src/testing/index.ts'
import type { Benchmark, BenchmarkOptions, Figure } from './benchmark.ts'
import { compileLibrary } from './compile.ts'
import { messagesFrom } from './corpus.ts'
import { interleave, median, medianRatio, percentile } from './measure.ts'
import { runNode } from './run-node.ts'

const ANSWER_CHATS = join(import.meta.dirname, 'children/answer-chats.js')
const HEAR_GROUPS = join(import.meta.dirname, 'children/hear-groups.js')
const MEGABYTE = 2 ** 20
const RUNS = 5
/** Of what it can carry: with more, the figures are those of a queue. */
const LOAD = 0.5
/** In each message of the one chat whose folds the model never answers, in the runs in which it hangs. */
const HANGING = 'Zanzibar'
const MEMORY = JSON.stringify({
  summary: 'They compared offers for the bicycle, agreed on Ann, and left the date open. '.repeat(4),
  events: [],
  details: [],
  facts: [],
  memo: { topic: 'a bicycle' },
})

interface Load {
  readonly chats: number
  /** Between a reply and what is said next, on average. */
  readonly pauseMs: number
  readonly warmUpMs: number
  readonly measuredMs: number
  /** Then nobody says anything any more, and the time counts until all that was said has led to is done. */
  readonly drains: boolean
  readonly seed: number
}

interface ChatsRun {
  /** What each message waited for its reply. */
  readonly others: readonly number[]
  readonly own: readonly number[]
  readonly turnsPerSecond: number
  /** Of the time, while other programs had the processors: with much of it, the figures are theirs. */
  readonly starvedShare: number
  readonly folds: number
  readonly isFolding: boolean
  readonly resident: number
  readonly shutdownMs: number
  readonly errors: readonly string[]
}

/**
 * Many chats talk to one bot, each of them folds now and then, and for one of them the summariser never answers: what
 * the others notice of it. The model is this process, behind a socket; the bot is a process of its own in each run.
 */
export const runtime: Benchmark = {
  name: 'runtime',
  async run(options) {
    const { quick, fixtures, progress } = options
    progress('runtime: compiling the library')
    const library = compileLibrary(fixtures.folder)
    const chats = quick ? 200 : 1_000
    progress(`runtime: filling ${chats.toLocaleString('en')} chats`)
    const filled = await fillChats(fixtures.newFile(), chats)
    const talk = async (load: Load, { hangs }: { hangs: boolean }): Promise<ChatsRun> => {
      const file = fixtures.newFile()
      copyFileSync(filled, file)
      await using server = await startModelServer({ reply: scriptOf({ hangs }) })
      const given = { ...load, file, modelUrl: server.url, hanging: HANGING }
      const { output } = await runNode([ANSWER_CHATS, library, JSON.stringify(given)])
      fixtures.discard(file)
      return checked(JSON.parse(output), { hangs })
    }
    const times = quick ? { warmUpMs: 1_000, measuredMs: 3_000 } : { warmUpMs: 1_500, measuredMs: 7_000 }
    progress('runtime: as fast as it can')
    const fastest = await talk({ ...times, chats, pauseMs: 0, drains: true, seed: 0 }, { hangs: false })
    const most = fastest.turnsPerSecond
    const pauseMs = (chats * 1_000) / (most * LOAD)
    progress(`runtime: ${most.toFixed(0)} turns a second; now pauses of ${pauseMs.toFixed(0)} ms`)
    // In each round both hear the same at the same times.
    const measure = (hangs: boolean) => {
      let round = 0
      return async () => {
        const run = await talk({ ...times, chats, pauseMs, drains: false, seed: ++round }, { hangs })
        progress(`runtime: ${hangs ? 'one hangs' : 'none hangs'}, ${describe(run)}`)
        return run
      }
    }
    const runs = await interleave(quick ? 3 : RUNS, { none: measure(false), one: measure(true) })
    fixtures.discard(filled)
    return {
      figures: [
        ...figuresOf(runs, chats),
        { name: 'turns, as fast as it can', value: most, unit: 'per second' },
        ...(await sessionsHeld(library, options)),
      ],
    }
  },
}

/** Folded once, and each as far from its next fold as any other. */
async function fillChats(file: string, chats: number): Promise<string> {
  await using palimpsest = await createPalimpsest({
    store: sqlite(file, { durability: 'normal' }),
    policy: count({ threshold: 20, keepLast: 10 }),
    // Ten minutes later all of them would be due at once, in the middle of a run.
    memory: { extract: 'off' },
  })
  const append = async (chat: number, { from, to }: { from: number; to: number }) => {
    const id = `bench:${chat}`
    const messages = messagesFrom(chat * 100 + from, to - from).map(({ text, ...message }) => ({
      ...message,
      text: chat === 0 ? `${HANGING} ${text}` : text,
    }))
    if (messages.length > 0) await palimpsest.session(id, { kind: 'private', user: id }).append(messages)
  }
  for (let chat = 0; chat < chats; chat++) await append(chat, { from: 0, to: 26 })
  while (!(await palimpsest.settled({ timeoutMs: 600_000 })));
  // The one that is to hang does so with its first message.
  for (let chat = 0; chat < chats; chat++) await append(chat, { from: 26, to: 36 - (chat % 11) })
  while (!(await palimpsest.settled({ timeoutMs: 600_000 })));
  return file
}

function scriptOf({ hangs }: { hangs: boolean }): ModelScript {
  return ({ said }, index) => {
    if (hangs && said.some(({ text }) => text.includes(HANGING))) return { fault: 'hang' }
    return { text: MEMORY, delayMs: 5 + ((index * 7) % 16) }
  }
}

function checked(run: ChatsRun, { hangs }: { hangs: boolean }): ChatsRun {
  if (run.errors.length > 0) throw new Error(`${run.errors.length} errors, the first: ${run.errors[0]}`)
  if (hangs && !run.isFolding) throw new Error('The fold that was to hang has ended.')
  return run
}

function describe({ others, turnsPerSecond, starvedShare, folds, shutdownMs }: ChatsRun): string {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map(share => percentile(others, share).toFixed(1))
  const load = `${turnsPerSecond.toFixed(0)} turns a second, ${folds} folds`
  const rest = `shutdown ${shutdownMs.toFixed(0)} ms, starved ${(starvedShare * 100).toFixed(0)}%`
  return `${load}: p50 ${p50}, p95 ${p95}, p99 ${p99} ms, ${rest}`
}

function figuresOf(runs: Readonly<Record<'none' | 'one', readonly ChatsRun[]>>, chats: number): Figure[] {
  const inRuns = (name: keyof typeof runs, share: number) =>
    runs[name].map(({ others }) => percentile(others, share))
  const ofRuns = (name: keyof typeof runs, share: number) => median(inRuns(name, share))
  const all = [...runs.none, ...runs.one]
  const names = { none: 'none hangs', one: `one of ${chats.toLocaleString('en')} hangs` }
  const waits = (['none', 'one'] as const).flatMap(name =>
    [0.5, 0.95, 0.99].map(
      (share): Figure => ({
        name: `${names[name]}: p${share * 100} of the others`,
        value: ofRuns(name, share),
        unit: 'ms',
      }),
    ),
  )
  const shutdown = Math.max(...all.map(({ shutdownMs }) => shutdownMs))
  return [
    {
      name: 'p95 of the others, one hangs / none hangs',
      value: ofRuns('one', 0.95) / ofRuns('none', 0.95),
      unit: 'ratio',
      aim: { atMost: 1.2 },
    },
    {
      name: 'the same, median of the pairs of runs',
      value: medianRatio(inRuns('one', 0.95), inRuns('none', 0.95)),
      unit: 'ratio',
    },
    {
      name: 'p95, highest / lowest of the runs in which none hangs',
      value: Math.max(...inRuns('none', 0.95)) / Math.min(...inRuns('none', 0.95)),
      unit: 'ratio',
    },
    ...waits,
    {
      name: 'the hanging one itself: p95',
      value: percentile(
        runs.one.flatMap(({ own }) => own),
        0.95,
      ),
      unit: 'ms',
    },
    { name: 'longest shutdown', value: shutdown, unit: 'ms', aim: { atMost: 5_000 } },
    { name: 'folds, none hangs', value: median(runs.none.map(({ folds }) => folds)), unit: 'folds' },
    { name: 'folds, one hangs', value: median(runs.one.map(({ folds }) => folds)), unit: 'folds' },
    {
      name: 'turns, measured',
      value: median(all.map(({ turnsPerSecond }) => turnsPerSecond)),
      unit: 'per second',
    },
    {
      name: 'most time without a processor, as a share of a run',
      value: Math.max(...all.map(({ starvedShare }) => starvedShare)),
      unit: 'ratio',
    },
    {
      name: 'resident memory',
      value: Math.max(...all.map(({ resident }) => resident)) / MEGABYTE,
      unit: 'MB',
    },
  ]
}

const HEARD_ROUNDS = 5

/** What a bot keeps of a chat that it owes nothing; beside it what it would be, if it kept such chats as well. */
async function sessionsHeld(
  library: string,
  { quick, fixtures, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  const groups = quick ? 2_000 : 20_000
  progress(`runtime: hearing ${HEARD_ROUNDS} times ${groups.toLocaleString('en')} groups`)
  const file = fixtures.newFile()
  const args = ['--expose-gc', HEAR_GROUPS, library, file, String(HEARD_ROUNDS), String(groups)]
  const { output } = await runNode(args)
  fixtures.discard(file)
  const { quiet, waiting } = JSON.parse(output) as { quiet: readonly number[]; waiting: number }
  const [first, last] = [quiet[0]!, quiet.at(-1)!]
  return [
    {
      name: 'heap per group that was heard',
      value: (last - first) / (groups * (HEARD_ROUNDS - 1)),
      unit: 'bytes',
      aim: { atMost: 50 },
    },
    { name: 'heap per chat that waits for its answer', value: (waiting - last) / groups, unit: 'bytes' },
  ]
}
