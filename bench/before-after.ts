/**
 * What a change did to what users wait for: `node bench/before-after.ts REVISION [--rounds 9] [--json] [--profile]`. The
 * sources of that revision and those of the work tree, each in a process of its own, take turns on the same work; with
 * `--profile` it is also said where the time goes now.
 */
import { execFileSync, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { startPostgres } from '../test/postgres/server.ts'
import { interleave, median, medianRatio } from './measure.ts'
import type { Share } from './profile.ts'

const HOT_PATHS = [
  'append, SQLite FULL',
  'append, SQLite NORMAL',
  'append, PostgreSQL',
  'append, PostgreSQL, 32 callers',
  'context, SQLite',
  'context anew, SQLite',
  'context, PostgreSQL',
  'context anew, PostgreSQL',
  'search, SQLite',
  'search, PostgreSQL',
  'fold of 100 messages, SQLite',
] as const
export type HotPath = (typeof HOT_PATHS)[number]

const MAX_SHARES = 12
const ROOT = dirname(import.meta.dirname)
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    json: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
})
const [revision] = positionals
if (revision === undefined) {
  console.error(
    'Which revision was before? node bench/before-after.ts REVISION [--rounds 9] [--json] [--profile]',
  )
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-before-after-'))
const earlier = join(folder, 'earlier')
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, stdio: 'ignore' })
const server = await startPostgres({ durable: true })
git('worktree', 'add', '--detach', earlier, revision)
symlinkSync(join(ROOT, 'node_modules'), join(earlier, 'node_modules'))
try {
  console.error('filling both')
  const before = await start('before', earlier)
  const after = await start('after', ROOT)
  const rows = []
  for (const path of HOT_PATHS) {
    console.error(path)
    const times = await interleave(Number(values.rounds), {
      before: () => before.measure(path),
      after: () => after.measure(path),
    })
    const ratio = medianRatio(times.after, times.before)
    const shares = values.profile ? (await after.profile(path)).slice(0, MAX_SHARES) : []
    rows.push({ path, before: median(times.before), after: median(times.after), ratio, shares })
  }
  before.stop()
  after.stop()
  const load = loadavg()[1]!
  if (values.json) console.log(JSON.stringify({ revision, load, rows }))
  else {
    console.log(`${toTable(rows)}\nload of the machine: ${load.toFixed(1)}`)
    for (const { path, shares } of rows)
      for (const [index, { where, percent }] of shares.entries())
        console.log(`${index === 0 ? `\n${path}\n` : ''}${percent.toFixed(1).padStart(6)}% ${where}`)
  }
} finally {
  await server.stop()
  git('worktree', 'remove', '--force', earlier)
  rmSync(folder, { recursive: true, force: true })
}

async function start(name: string, root: string) {
  const own = join(folder, name)
  mkdirSync(own)
  const child = fork(join(import.meta.dirname, 'children/hot-paths.ts'), [root, own, server.url, name])
  let answered = Promise.withResolvers<unknown>()
  let isStopped = false
  child.on('message', message => answered.resolve(message))
  child.on('exit', code => {
    if (!isStopped) answered.reject(new Error(`The child for ${name} ended with ${code}.`))
  })
  const answer = async () => {
    const message = await answered.promise
    answered = Promise.withResolvers()
    return message
  }
  await answer()
  return {
    measure: (path: HotPath) => {
      child.send({ path, isProfiled: false })
      return answer() as Promise<number>
    },
    profile: (path: HotPath) => {
      child.send({ path, isProfiled: true })
      return answer() as Promise<readonly Share[]>
    },
    stop: () => {
      isStopped = true
      child.disconnect()
    },
  }
}

function toTable(rows: readonly { path: string; before: number; after: number; ratio: number }[]): string {
  const table = new Table({
    head: ['', 'before', 'after', 'after / before'],
    style: { head: [], border: [] },
  })
  const time = (microseconds: number) => `${microseconds.toFixed(0)} µs`
  for (const { path, before, after, ratio } of rows)
    table.push([path, time(before), time(after), ratio.toFixed(2)])
  return table.toString()
}
