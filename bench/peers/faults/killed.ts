import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contestant, Finding } from './contestant.ts'
import { missing, said } from './marks.ts'
import { startProvider } from './provider.ts'
import { ROWS } from './rows.ts'
import { counted, settle, takeTurn } from './turn.ts'

const PATIENCE_MS = 5_000
const OUTSIDE_DELAYS_MS = [15, 50, 110]
const MORE_DELAYS_MS = [5, 22, 31, 52, 66, 90]

type Moment = 'summary' | 'outside' | `write:${number}`

/** `steps`: how many of the writes of a compaction it is killed before. */
export async function killed(contestant: Contestant, folder: string, steps: number): Promise<Finding[]> {
  const findings: Finding[] = []
  const compacts = !('meanwhile' in contestant.without)
  if (compacts) {
    const end = await runAndReopen(contestant, folder, 'summary')
    findings.push(judge(ROWS.killed.summary, end ? [end] : []))
    findings.push(await beforeWrites(contestant, folder, steps))
  } else
    for (const row of [ROWS.killed.summary, ROWS.killed.write])
      findings.push({ row, verdict: 'none', short: 'does not compact', detail: '' })
  const ends: End[] = []
  for (const delayMs of contestant.name === 'json-file'
    ? [...OUTSIDE_DELAYS_MS, ...MORE_DELAYS_MS]
    : OUTSIDE_DELAYS_MS) {
    const end = await runAndReopen(contestant, folder, 'outside', delayMs)
    if (end) ends.push(end)
  }
  findings.push(judge(ROWS.killed.outside, ends))
  return findings
}

async function beforeWrites(contestant: Contestant, folder: string, most: number): Promise<Finding> {
  const ends: End[] = []
  const dry = await runVictim(contestant, folder, 'write:0')
  const writes = Number(readFileSync(join(dry.folder, 'writes'), 'utf8'))
  const steps = Math.min(writes, most)
  for (let step = 1; step <= steps; step += 1) {
    const write = Math.round((step * writes) / steps)
    const end = await runAndReopen(contestant, folder, `write:${write}`)
    // What goes on in the background differs from run to run: the last ones may not come.
    if (end) ends.push({ ...end, moment: `before write ${write}` })
  }
  const finding = judge(ROWS.killed.write, ends)
  return { ...finding, detail: `${finding.detail}; ${writes} writes from the summary on` }
}

interface End {
  readonly moment: string
  readonly acknowledged: number
  /** Not in the next request. */
  readonly unseen: readonly string[]
  /** In no place. */
  readonly nowhere: readonly string[]
  /** Why it could not be opened, read or continued. */
  readonly broken: string | null
}

/** `null`: it came to its end before that moment. */
async function runAndReopen(
  contestant: Contestant,
  parent: string,
  moment: Moment,
  delayMs = 0,
): Promise<End | null> {
  const { folder, isKilled } = await runVictim(contestant, parent, moment, delayMs)
  if (!isKilled) return null
  const path = join(folder, 'acknowledged')
  const acknowledged = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  const end = { moment, acknowledged: acknowledged.length }
  await using provider = await startProvider(contestant)
  try {
    const chat = await contestant.open({ folder, provider, fault: 'killed' })
    const before = Object.values(await chat.kept()).join('\n')
    const turn = await takeTurn(() => chat.say(said(999)), PATIENCE_MS)
    if (turn.outcome !== 'answered') throw new Error(turn.error || 'the next turn does not end')
    await settle(chat)
    const request = contestant.shows === 'part' ? before : provider.turns.at(-1)!
    await chat.close()
    const unseen = missing(acknowledged, request)
    return { ...end, unseen, nowhere: missing(unseen, before), broken: null }
  } catch (error) {
    return { ...end, unseen: acknowledged, nowhere: acknowledged, broken: String(error).split('\n', 1)[0]! }
  }
}

/** A conversation in a folder of its own that ends by SIGKILL. */
async function runVictim(
  contestant: Contestant,
  parent: string,
  moment: Moment,
  delayMs = 0,
): Promise<{ folder: string; isKilled: boolean }> {
  const folder = mkdtempSync(join(parent, 'killed-'))
  const script = fileURLToPath(new URL('./victim.ts', import.meta.url))
  const child = fork(script, [contestant.name, folder, moment], { stdio: 'ignore' })
  child.on('message', number => {
    // Long enough on its way that it is in the middle of things.
    if (number === 5) setTimeout(() => child.kill('SIGKILL'), delayMs)
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  if (code !== null && code > 0) throw new Error(`${contestant.name} failed by itself (${moment}).`)
  return { folder, isKilled: signal === 'SIGKILL' }
}

function judge(row: string, ends: readonly End[]): Finding {
  if (ends.length === 0) throw new Error(`${row}: it was never killed in time.`)
  const worst = ends.reduce((one, other) => (other.unseen.length > one.unseen.length ? other : one))
  const bad = ends.filter(({ unseen }) => unseen.length > 0)
  const broken = ends.find(end => end.broken !== null)
  const acknowledged = ends.reduce((sum, end) => sum + end.acknowledged, 0)
  const detail = [
    `${counted(ends.length, 'kill')}, ${acknowledged} acknowledged messages in all`,
    bad.length > 0 &&
      `after ${bad.length} of them something is missing: at worst ${worst.unseen.length} of ${worst.acknowledged} from the next request, ${worst.nowhere.length} from every place (${worst.moment})`,
    broken && `cannot be opened and continued: ${broken.broken}`,
  ]
    .filter(Boolean)
    .join('; ')
  if (broken) {
    const count = ends.filter(end => end.broken !== null).length
    return { row, verdict: 'wrong', short: `unreadable after ${count} of ${ends.length} kills`, detail }
  }
  if (bad.length === 0) return { row, verdict: 'kept', short: 'nothing lost', detail }
  const where = worst.nowhere.length > 0 ? 'in no place' : 'out of context'
  const short = `${worst.unseen.length} of ${worst.acknowledged} ${where}, after ${bad.length} of ${ends.length} kills`
  return { row, verdict: 'wrong', short, detail }
}
