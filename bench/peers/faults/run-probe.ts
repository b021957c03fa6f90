import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ABOUT } from './about.ts'
import type { ContestantName, Finding, Verdict } from './contestant.ts'
import { type FaultName, rowsOf } from './rows.ts'

/** How many writes it is killed before, and how long that may take. */
const EFFORTS = {
  usual: { steps: 7, longestMs: 90_000 },
  thorough: { steps: 1_000, longestMs: 1_800_000 },
}

export interface Measured {
  readonly contestant: ContestantName
  readonly fault: FaultName
  readonly findings: readonly Finding[]
  /** Hosts that it tried to reach, and could not. */
  readonly reached: readonly string[]
}

interface Task {
  readonly contestant: ContestantName
  readonly fault: FaultName
  readonly folder: string
  readonly effort: keyof typeof EFFORTS
}

const running = new Set<ChildProcess>()

/** A process for each, with a time limit. What cannot be measured is said, for each of its rows. */
export async function runProbe({ contestant, fault, folder, effort }: Task): Promise<Measured> {
  const reason = ABOUT[contestant].without[fault]
  const same = (verdict: Verdict, short: string, detail: string): Measured => ({
    contestant,
    fault,
    findings: rowsOf(fault).map(row => ({ row, verdict, short, detail })),
    reached: [],
  })
  if (reason !== undefined) return same('none', reason, '')

  const script = fileURLToPath(new URL('./probe.ts', import.meta.url))
  const { steps, longestMs } = EFFORTS[effort]
  const child = fork(script, [fault, contestant, folder, String(steps)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  running.add(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs)
  let findings: readonly Finding[] | null = null
  const reached = new Set<string>()
  let stderr = ''
  child.stderr!.on('data', chunk => {
    stderr = (stderr + chunk).slice(-2_000)
  })
  child.on('message', (message: { findings?: readonly Finding[]; reached?: string }) => {
    if (message.findings) findings = message.findings
    if (message.reached !== undefined) reached.add(message.reached)
  })
  await new Promise(resolve => child.once('close', resolve))
  clearTimeout(timer)
  running.delete(child)
  if (findings === null)
    return same('unknown', 'not measured', child.signalCode ?? stderr.trim().split('\n').slice(-8).join(' '))
  return { contestant, fault, findings, reached: [...reached] }
}

export function endProbes(): void {
  for (const child of running) child.kill('SIGKILL')
}
