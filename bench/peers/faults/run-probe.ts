import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ABOUT } from './about.ts'
import type { ContestantName, Finding, Verdict } from './contestant.ts'
import { type FaultName, rowsOf } from './rows.ts'

const LONGEST_MS = 90_000

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
}

const running = new Set<ChildProcess>()

/** A process for each, with a time limit. What cannot be measured is said, for each of its rows. */
export async function runProbe({ contestant, fault, folder }: Task): Promise<Measured> {
  const reason = ABOUT[contestant].without[fault]
  const same = (verdict: Verdict, short: string, detail: string): Measured => ({
    contestant,
    fault,
    findings: rowsOf(fault).map(row => ({ row, verdict, short, detail })),
    reached: [],
  })
  if (reason !== undefined) return same('none', reason, '')

  const script = fileURLToPath(new URL('./probe.ts', import.meta.url))
  const child = fork(script, [fault, contestant, folder], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  running.add(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
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
