import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contestant, Finding } from './contestant.ts'
import { missing, said } from './marks.ts'
import { startProvider } from './provider.ts'
import { ROWS } from './rows.ts'

const MOST_STEPS = 10
const OUTSIDE_DELAYS_MS = [15, 40, 75, 120]
const MORE_DELAYS_MS = [5, 22, 31, 52, 66, 90]

type Moment = 'summary' | 'outside' | `write:${number}`

export async function killed(contestant: Contestant, folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const compacts = !('meanwhile' in contestant.without)
  if (compacts) {
    const ends = [await runAndReopen(contestant, folder, 'summary')]
    findings.push(judge(ROWS.killed.summary, ends))
    findings.push(judge(ROWS.killed.write, await atEachWrite(contestant, folder)))
  } else
    for (const row of [ROWS.killed.summary, ROWS.killed.write])
      findings.push({ row, verdict: 'none', short: 'does not compact', detail: '' })
  const ends: End[] = []
  for (const delayMs of contestant.name === 'json-file'
    ? [...OUTSIDE_DELAYS_MS, ...MORE_DELAYS_MS]
    : OUTSIDE_DELAYS_MS)
    ends.push(await runAndReopen(contestant, folder, 'outside', delayMs))
  findings.push(judge(ROWS.killed.outside, ends))
  return findings
}

async function atEachWrite(contestant: Contestant, folder: string): Promise<End[]> {
  const ends: End[] = []
  const dry = await runVictim(contestant, folder, 'write:0')
  const writes = Number(readFileSync(join(dry, 'writes'), 'utf8'))
  const steps = Math.min(writes, MOST_STEPS)
  for (let step = 1; step <= steps; step += 1)
    ends.push(await runAndReopen(contestant, folder, `write:${Math.round((step * writes) / steps)}`))
  return ends.map(end => ({
    ...end,
    moment: `${end.moment.replace('write:', 'before write ')} of ${writes}`,
  }))
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

async function runAndReopen(
  contestant: Contestant,
  parent: string,
  moment: Moment,
  delayMs = 0,
): Promise<End> {
  const folder = await runVictim(contestant, parent, moment, delayMs)
  const path = join(folder, 'acknowledged')
  const acknowledged = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  const end = { moment, acknowledged: acknowledged.length }
  await using provider = await startProvider(contestant)
  try {
    const chat = await contestant.open({ folder, provider, fault: 'killed' })
    const before = Object.values(await chat.kept()).join('\n')
    await chat.say(said(999))
    const request = contestant.shows === 'part' ? before : provider.turns.at(-1)!
    await chat.close()
    const unseen = missing(acknowledged, request)
    return { ...end, unseen, nowhere: missing(unseen, before), broken: null }
  } catch (error) {
    return { ...end, unseen: acknowledged, nowhere: acknowledged, broken: String(error).split('\n', 1)[0]! }
  }
}

/** A conversation in a folder of its own that ends by SIGKILL; answers with the folder. */
async function runVictim(
  contestant: Contestant,
  parent: string,
  moment: Moment,
  delayMs = 0,
): Promise<string> {
  const folder = mkdtempSync(join(parent, 'killed-'))
  const script = fileURLToPath(new URL('./victim.ts', import.meta.url))
  const child = fork(script, [contestant.name, folder, moment], { stdio: 'ignore' })
  child.on('message', number => {
    // Long enough on its way that it is in the middle of things.
    if (number === 5) setTimeout(() => child.kill('SIGKILL'), delayMs)
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  const isRight = moment === 'write:0' ? code === 0 : signal === 'SIGKILL'
  if (!isRight)
    throw new Error(`${contestant.name} was to be killed (${moment}), but ended with ${signal ?? code}.`)
  return folder
}

function judge(row: string, ends: readonly End[]): Finding {
  const worst = ends.reduce((one, other) => (other.unseen.length > one.unseen.length ? other : one))
  const bad = ends.filter(({ unseen }) => unseen.length > 0)
  const broken = ends.find(end => end.broken !== null)
  const acknowledged = ends.reduce((sum, end) => sum + end.acknowledged, 0)
  const detail = [
    `${ends.length} kills, ${acknowledged} acknowledged messages in all`,
    bad.length > 0 &&
      `after ${bad.length} of them something is missing: at worst ${worst.unseen.length} of ${worst.acknowledged} from the next request, ${worst.nowhere.length} from every place (${worst.moment})`,
    broken && `cannot be opened: ${broken.broken}`,
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
