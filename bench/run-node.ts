import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** What a process took that did its work and ended. */
export interface Run {
  /** From its start to its end, as the clock on the wall says. */
  readonly ms: number
  readonly output: string
}

export async function runNode(args: readonly string[]): Promise<Run> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const begin = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  child.on('error', reject)
  child.on('exit', code => {
    if (code === 0) resolve(performance.now() - begin)
    else reject(new Error(`A child ended with ${code}.`))
  })
  const [ms, output] = await Promise.all([promise, text(child.stdout)])
  return { ms, output }
}
