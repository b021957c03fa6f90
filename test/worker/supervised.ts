import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { MAIN } from '../cli/run.ts'

/** A start takes half as long where it is known what came of our TypeScript; who is killed leaves nothing there. */
const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/node-compile-cache')
const RESTART_MS = 100
const MAX_STDERR = 4_000

/** A process as a supervisor of the system's keeps it: whenever it ends, it is started again. */
export class Supervised {
  readonly name: string
  readonly #args: readonly string[]
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | null = null
  #running: Promise<void> | null = null
  #isStopping = false
  #announced: Readonly<Record<string, unknown>> | null = null
  #isKilled = false
  #stderr = ''
  kills = 0
  /** It ended before it was ready, as it does while there is no database. */
  failedStarts = 0
  /** What it said when it ended by itself after it had been ready. Nobody wants that. */
  readonly crashes: string[] = []

  constructor(name: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.name = name
    this.#args = args
    this.#env = env
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** What it said when it was ready; `null`: it is not. */
  get announced(): Readonly<Record<string, unknown>> | null {
    return this.#announced
  }

  /** `kill -9`. */
  kill(): void {
    this.kills += 1
    this.#isKilled = true
    this.#announced = null
    this.#child?.kill('SIGKILL')
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** As it is stopped in production; gives its exit code. */
  async stop(): Promise<number | null> {
    this.#isStopping = true
    const child = this.#child
    child?.kill('SIGTERM')
    const deadline = setTimeout(() => child?.kill('SIGKILL'), 30_000)
    await this.#running
    clearTimeout(deadline)
    return child?.exitCode ?? null
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#runOnce()
      if (!this.#isStopping) await pause(RESTART_MS)
    }
  }

  async #runOnce(): Promise<void> {
    const child = spawn(process.execPath, [MAIN, ...this.#args], {
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#isKilled = false
    this.#stderr = ''
    child.stderr.on('data', chunk => {
      this.#stderr = (this.#stderr + chunk).slice(-MAX_STDERR)
    })
    createInterface(child.stdout).on('line', line => {
      const said = JSON.parse(line)
      if (!this.#isKilled && said.error === undefined) this.#announced = said
    })
    const [code] = (await once(child, 'close')) as [number | null]
    const wasReady = this.#announced !== null
    this.#announced = null
    if (this.#isKilled || this.#isStopping) return
    if (wasReady) this.crashes.push(`${this.name} ended with ${code}:\n${this.#stderr}`)
    else this.failedStarts += 1
  }
}
