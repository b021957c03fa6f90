import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { main } from '../../packages/cli/src/program.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program itself: of the sources, or of the built package where that is what is tested. */
const PROGRAM = process.env['TEST_BUILT_PACKAGE']
  ? 'dist/node_modules/@palimpsest/cli/dist/main.js'
  : 'packages/cli/src/main.ts'
export const MAIN = fileURLToPath(new URL(`../../${PROGRAM}`, import.meta.url))

interface RunOptions {
  readonly stdin?: string | Uint8Array
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** By another user than root, whom no mode of a file keeps from anything. */
  readonly withoutRights?: boolean
  /** A module that is loaded before the program. */
  readonly hook?: string
  /** Told what it is and what it has said on standard error, whenever it says something there. */
  readonly onStderr?: (child: ChildProcess, stderr: string) => void
}

const NOBODY = 65_534

/** The command line as a person runs it: a process of its own, here without a terminal. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise(resolve => {
    const hooks = options.hook === undefined ? [] : ['--import', options.hook]
    const child = spawn(process.execPath, [...hooks, MAIN, ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      ...(options.withoutRights && process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', chunk => {
      stdout += chunk
    })
    child.stderr.on('data', chunk => {
      stderr += chunk
      options.onStderr?.(child, stderr)
    })
    child.on('close', code => resolve({ code, stdout, stderr }))
    // It need not read all of it.
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
  })
}

/** The same without a process, for what needs none: fast, and on a screen of so many columns where that is asked. */
export async function runHere(args: readonly string[], columns?: number): Promise<Ran> {
  const screen = () => {
    let text = ''
    const stream = new Writable({
      write(chunk, _, done) {
        text += chunk
        done()
      },
    })
    return Object.assign(stream, { read: () => text, ...(columns !== undefined && { isTTY: true, columns }) })
  }
  const [output, error] = [screen(), screen()]
  const code = await main(args, { output, error })
  return { code, stdout: output.read(), stderr: error.read() }
}

/** Several commands in a pipe; as the shell sees it, the first one's failure counts. */
export function shell(command: string): Promise<Ran> {
  return new Promise(resolve => {
    execFile('bash', ['-o', 'pipefail', '-c', command], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}

export interface Folder {
  readonly path: string
  file(name: string, content: string | Uint8Array): string
  remove(): void
}

export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-cli-'))
  return {
    path,
    file: (name, content) => {
      const file = join(path, name)
      writeFileSync(file, content)
      return file
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** Users and assistants in turn. */
export function transcript(length: number): string {
  const lines = Array.from({ length }, (_, index) =>
    JSON.stringify({ role: index % 2 === 0 ? 'user' : 'assistant', text: `message ${index + 1}` }),
  )
  return `${lines.join('\n')}\n`
}
