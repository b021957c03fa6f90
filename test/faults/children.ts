import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { postgresUrl } from '../postgres/url.ts'

export interface Acknowledgement {
  readonly externalId: string
  readonly seq: number
  /** Milliseconds that the append took. */
  readonly waited: number
}

interface Ended {
  readonly acknowledged: readonly Acknowledgement[]
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  readonly stderr: string
}

interface ScriptEnded {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One of the scripts beside this file, in a process of its own. */
function startScript(
  name: string,
  args: readonly string[],
): { child: ChildProcess; ended: Promise<ScriptEnded> } {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`./${name}`, import.meta.url)), ...args])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = new Promise<ScriptEnded>(resolve => {
    child.on('close', (code, signal) => resolve({ stdout, stderr, code, signal }))
  })
  return { child, ended }
}

export function runScript(name: string, args: readonly string[]): Promise<ScriptEnded> {
  return startScript(name, args).ended
}

export interface Writer {
  readonly ended: Promise<Ended>
  kill(): void
}

export function startWriter(options: {
  address: string
  writer: string
  messages: number
  dieAt?: number
}): Writer {
  const { address, writer, messages, dieAt = 0 } = options
  const args = [address, postgresUrl(), writer, String(messages), String(dieAt)]
  const { child, ended } = startScript('append-child.ts', args)
  return {
    ended: ended.then(({ stdout, ...rest }) => {
      // A line that was cut off was not said.
      const lines = stdout.split('\n').slice(0, -1)
      return { ...rest, acknowledged: lines.map(line => JSON.parse(line)) }
    }),
    kill: () => child.kill('SIGKILL'),
  }
}
