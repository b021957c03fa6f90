import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

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
  const script = fileURLToPath(new URL('./append-child.ts', import.meta.url))
  const { address, writer, messages, dieAt = 0 } = options
  const child = spawn(process.execPath, [
    script,
    address,
    inject('postgresUrl'),
    writer,
    String(messages),
    String(dieAt),
  ])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = new Promise<Ended>(resolve => {
    child.on('close', (code, signal) => {
      // A line that was cut off was not said.
      const lines = stdout.split('\n').slice(0, -1)
      resolve({ acknowledged: lines.map(line => JSON.parse(line)), signal, code, stderr })
    })
  })
  return { ended, kill: () => child.kill('SIGKILL') }
}
