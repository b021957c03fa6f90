import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { ChildTask, CommandName, Commands, Reply, Resident } from './protocol.ts'

const CHILD = join(import.meta.dirname, 'child.ts')
const START_MS = 120_000

/** Somebody took longer than is waited for. */
export class TookTooLong extends Error {}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/**
 * A child that does what it is asked, one thing at a time. Whatever is not done in time ends it: nobody waits for
 * a contestant for ever, and none of them outlives the run.
 */
export class Contender {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #started = Promise.withResolvers<{ ms: number; resident: Resident }>()
  #asked = 0
  /** While it fills: how many messages it has. */
  filled = 0

  constructor(task: ChildTask) {
    const begin = performance.now()
    this.#child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', CHILD, JSON.stringify(task)],
      {
        // What peers print is no figure of ours.
        stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
        env: { ...process.env, ...quietEnvironment(task) },
      },
    )
    this.#started.promise.catch(() => {})
    this.#child.on('message', (reply: Reply) => {
      if (reply.kind === 'started')
        this.#started.resolve({ ms: performance.now() - begin, resident: reply.resident })
      else if (reply.kind === 'filled') this.filled = reply.stored
      else this.#answer(reply)
    })
    this.#child.on('error', error => this.#fail(error))
    this.#child.on('exit', code => this.#fail(new Error(`${task.contestant} ended with ${code}.`)))
  }

  /** From its start until it said that it is there, or with the mode `start` until its first context. */
  started(): Promise<{ ms: number; resident: Resident }> {
    return this.#within(START_MS, this.#started.promise)
  }

  ask<Name extends CommandName>(
    name: Name,
    takes: Commands[Name]['takes'],
    timeoutMs: number,
  ): Promise<Commands[Name]['gives']> {
    const id = this.#asked++
    const { promise, resolve, reject } = Promise.withResolvers<Commands[Name]['gives']>()
    this.#waiting.set(id, { resolve, reject })
    this.#child.send({ id, name, takes })
    return this.#within(timeoutMs, promise)
  }

  /** At once, with whatever it holds. */
  kill(): Promise<void> {
    return new Promise(resolve => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return resolve()
      this.#child.once('exit', () => resolve())
      this.#child.kill('SIGKILL')
    })
  }

  async #within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new TookTooLong(`more than ${ms / 1_000} s`)), ms)
    try {
      return await Promise.race([promise, late])
    } catch (error) {
      await this.kill()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  #answer(reply: Extract<Reply, { id: number }>): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (reply.kind === 'done') waiting?.resolve(reply.value as never)
    else waiting?.reject(new Error(reply.message))
  }

  #fail(error: Error): void {
    this.#started.reject(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

/** Nobody reports home, and what belongs into a home folder goes into the temporary one. */
function quietEnvironment({ place }: ChildTask): Record<string, string> {
  return {
    HOME: place.folder,
    MEM0_TELEMETRY: 'false',
    MASTRA_TELEMETRY_DISABLED: '1',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    LANGSMITH_TRACING: 'false',
  }
}
