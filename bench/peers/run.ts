import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, percentile } from '../measure.ts'
import type { Contestant, Place } from './contestant.ts'
import { NOTHING } from './contestants.ts'
import type { Database } from './database.ts'
import type { Row, SizeFigures } from './figures.ts'
import { Contender } from './process.ts'
import type { Resident } from './protocol.ts'

/** Whoever is not filled by then did not finish. */
const FILL_MS = 300_000
/** Whoever has been measured for longer than this is not measured any further in this size. */
const MEASURE_MS = 90_000
const ASK_MS = 240_000
const START_MS = 30_000
const WARM_UP_MS = 700
const ROUND_MS = 1_500

export interface RunOptions {
  readonly contestants: readonly Contestant[]
  readonly size: number
  readonly rounds: number
  readonly starts: number
  /** Null where there is no server: those who need one are left out. */
  readonly database: Database | null
  readonly progress: (message: string) => void
  /** Ends the run; what was begun is put away. */
  readonly signal: AbortSignal
}

/** One contestant at one size, and what is known of it so far. */
interface Side {
  readonly contestant: Contestant
  readonly place: Place
  readonly scratch: Place
  contender: Contender | null
  busyMs: number
  fillMs: number | null
  durability: string
  bytesPerMessage: number | null
  readonly appends: { readonly rate: number; readonly count: number; readonly written: number | null }[]
  readonly contexts: (readonly number[])[]
  contextMessages: number | null
  hasSummary: boolean | null
  readonly starts: { readonly ms: number; readonly resident: Resident }[]
  peak: number | null
  problem: string | null
}

export interface SizeRun {
  readonly figures: SizeFigures
  readonly durability: Readonly<Record<string, string>>
  readonly nodeMs: number | null
}

export async function runSize(options: RunOptions): Promise<SizeRun> {
  const { contestants, size, database, progress } = options
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-peers-'))
  const sides = contestants.map(contestant => newSide(contestant, { folder, size, database }))
  try {
    for (const side of sides) await guarded(side, options, () => fill(side, options))
    for (const side of sides) await guarded(side, options, () => begin(side, options))
    await measure(sides, options)
    for (const side of sides) await guarded(side, options, () => end(side))
    const nothing = newSide(NOTHING, { folder, size, database })
    await measureStarts([...sides, nothing], options)
    return {
      figures: { messages: size, rows: sides.map(toRow) },
      durability: Object.fromEntries(
        sides.map(({ contestant, durability }) => [contestant.name, durability]),
      ),
      nodeMs: medianOrNull(nothing.starts.map(({ ms }) => ms)),
    }
  } finally {
    progress(`${count(size)}: putting away`)
    await Promise.all(sides.map(({ contender }) => contender?.kill()))
    rmSync(folder, { recursive: true, force: true })
    // A server that is gone already has nothing left to drop.
    for (const { place, scratch } of sides)
      for (const { schema } of [place, scratch]) await database?.dropSchema(schema).catch(() => {})
  }
}

function newSide(
  contestant: Contestant,
  { folder, size, database }: { folder: string; size: number; database: Database | null },
): Side {
  const placeIn = (part: string): Place => {
    const own = join(folder, contestant.name, part)
    mkdirSync(own, { recursive: true })
    const schema = `${contestant.name}_${size}_${part}`.replaceAll('-', '_')
    return { folder: own, url: database?.url ?? null, schema }
  }
  return {
    contestant,
    place: placeIn('store'),
    scratch: placeIn('scratch'),
    contender: null,
    busyMs: 0,
    fillMs: null,
    durability: '',
    bytesPerMessage: null,
    appends: [],
    contexts: [],
    contextMessages: null,
    hasSummary: null,
    starts: [],
    peak: null,
    problem: null,
  }
}

/** What one of them cannot do ends its part, not the run. */
async function guarded(side: Side, options: RunOptions, action: () => Promise<void>): Promise<void> {
  const { progress, signal, size } = options
  signal.throwIfAborted()
  if (side.problem !== null) return
  try {
    await action()
  } catch (error) {
    signal.throwIfAborted()
    const filled = side.fillMs === null && side.contender ? `, ${count(side.contender.filled)} filled` : ''
    const [line = ''] = (error as Error).message.split('\n')
    side.problem = `did not finish: ${line.slice(0, 200)}${filled}`
    progress(`${count(size)}: ${side.contestant.name} ${side.problem}`)
    await side.contender?.kill()
    side.contender = null
  }
}

function spawnContender(
  { contestant, place, scratch }: Side,
  mode: 'serve' | 'start',
  size: number,
): Contender {
  return new Contender({ contestant: contestant.name, mode, place, scratch, size })
}

/** In a process that ends, so that filling leaves nothing in the one that is measured. */
async function fill(side: Side, { size, database, progress }: RunOptions): Promise<void> {
  const { contestant, place } = side
  if (keepsNothing(contestant)) return
  if (contestant.durability === 'server' && database === null) throw new Error('there is no PostgreSQL here')
  progress(`${count(size)}: filling ${contestant.name}`)
  side.contender = spawnContender(side, 'serve', 0)
  await side.contender.started()
  const { ms } = await side.contender.ask('fill', { size }, FILL_MS)
  await side.contender.ask('close', null, ASK_MS)
  await side.contender.kill()
  side.contender = null
  side.fillMs = ms
  const bytes =
    contestant.durability === 'server' ? await database!.schemaBytes(place.schema) : folderBytes(place.folder)
  if (!contestant.forgets) side.bytesPerMessage = bytes / size
}

async function begin(side: Side, { size, progress }: RunOptions): Promise<void> {
  const { contestant } = side
  progress(`${count(size)}: opening ${contestant.name}`)
  side.contender = spawnContender(side, 'serve', size)
  await side.contender.started()
  if (keepsNothing(contestant)) side.fillMs = (await side.contender.ask('fill', { size }, FILL_MS)).ms
  await side.contender.ask('warmUp', { ms: WARM_UP_MS }, ASK_MS)
}

/** The first round warms up and is dropped; the order is reversed in every other one. */
async function measure(sides: readonly Side[], options: RunOptions): Promise<void> {
  for (let round = 0; round <= options.rounds; round++) {
    options.progress(`${count(options.size)}: round ${round} of ${options.rounds}`)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const isDone = side.busyMs > MEASURE_MS && side.appends.length > 0
      if (side.contender === null || isDone) continue
      const start = performance.now()
      await guarded(side, options, () => measureRound(side, options, round > 0))
      side.busyMs += performance.now() - start
    }
  }
}

async function measureRound(side: Side, { size, database }: RunOptions, counts: boolean): Promise<void> {
  const { contender, contestant } = side
  const isServer = contestant.durability === 'server'
  // A small store must not have grown to a large one when the last round comes.
  const bounds = { most: Math.min(2_500, Math.max(25, size / 40)), ms: ROUND_MS }
  const logBefore = isServer ? await database!.logBytes() : 0
  const { appends, ms, written } = await contender!.ask('appends', bounds, ASK_MS)
  const ownLog = isServer ? (await database!.logBytes()) - logBefore : null
  await contender!.ask('settle', null, ASK_MS)
  const made = await contender!.ask('contexts', { most: size < 1_000 ? 10 : 30, ms: ROUND_MS }, ASK_MS)
  if (!counts) return
  side.appends.push({ rate: (appends * 1_000) / ms, count: appends, written: isServer ? ownLog : written })
  side.contexts.push(made.times)
  side.contextMessages = made.messages
  side.hasSummary = made.hasSummary
}

async function end(side: Side): Promise<void> {
  const { contender } = side
  if (contender === null) return
  side.durability = await contender.ask('durability', null, ASK_MS)
  side.peak = (await contender.ask('memory', null, ASK_MS)).peak
  await contender.ask('close', null, ASK_MS)
  await contender.kill()
  side.contender = null
}

/** From the start of a new process to its first context. */
async function measureStarts(sides: readonly Side[], options: RunOptions): Promise<void> {
  const { starts, size, progress } = options
  progress(`${count(size)}: starting each ${starts} times`)
  const spent = new Map<Side, number>()
  for (let round = 0; round < starts; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const isNothing = side.contestant === NOTHING
      if (!isNothing && (keepsNothing(side.contestant) || (spent.get(side) ?? 0) > START_MS)) continue
      await guarded(side, options, async () => {
        side.contender = spawnContender(side, 'start', size)
        const started = await side.contender.started()
        side.starts.push(started)
        spent.set(side, (spent.get(side) ?? 0) + started.ms)
        await side.contender.kill()
        side.contender = null
      })
    }
  }
}

function toRow(side: Side): Row {
  const times = side.contexts.flat()
  const appended = side.appends.reduce((sum, { count }) => sum + count, 0)
  const written = side.appends.every(round => round.written !== null)
    ? side.appends.reduce((sum, round) => sum + round.written!, 0)
    : null
  return {
    name: side.contestant.name,
    fillMs: side.fillMs,
    appendsPerSecond: side.appends.map(({ rate }) => rate),
    contextMedians: side.contexts.map(median),
    appendRate: medianOrNull(side.appends.map(({ rate }) => rate)),
    contextP50: times.length === 0 ? null : percentile(times, 0.5),
    contextP99: times.length === 0 ? null : percentile(times, 0.99),
    contexts: times.length,
    contextMessages: side.contextMessages,
    hasSummary: side.hasSummary,
    bytesPerAppend: appended === 0 || written === null ? null : written / appended,
    bytesPerMessage: side.bytesPerMessage,
    firstContextMs: medianOrNull(side.starts.map(({ ms }) => ms)),
    residentBytes: medianOrNull(side.starts.map(({ resident }) => resident.now)),
    peakBytes: side.peak,
    problem: side.problem,
  }
}

function keepsNothing({ durability }: Contestant): boolean {
  return durability === 'none'
}

function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : median(values)
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function count(messages: number): string {
  return messages.toLocaleString('en')
}
