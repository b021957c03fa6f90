import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { sqlite } from '../packages/palimpsest/src/store/sqlite/index.ts'
import { temporaryFolder } from './cli/run.ts'

const START = fileURLToPath(new URL('../scripts/start.ts', import.meta.url))
const SESSIONS = { 'example:nora': 176, 'example:新品发布群': 123, 'example:invoice-agent': 24 }
const folder = temporaryFolder()
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  folder.remove()
})

interface Start {
  readonly db: string
  /** Left out: the usual one. */
  readonly port?: string
  /** A module that is loaded before it. */
  readonly hook?: string
  /** As npm runs it: in a shell, which waits for it and is the one to be signalled. */
  readonly inShell?: boolean
}

/** `npm start`, with a data folder of its own. */
function start({ db, port, hook, inShell = false }: Start) {
  const command = [process.execPath, ...(hook === undefined ? [] : ['--import', hook]), START]
  const [program, ...args] = inShell ? ['sh', '-c', '"$0" "$@"; true', ...command] : command
  const { npm_lifecycle_event: _, ...env } = process.env
  const child = spawn(program!, args, {
    env: {
      ...env,
      PALIMPSEST_DB: db,
      ...(port !== undefined && { PALIMPSEST_PORT: port }),
      ...(inShell && { npm_lifecycle_event: 'start' }),
    },
    // A group of its own, so that nothing of it can be left.
    detached: true,
  })
  children.add(child)
  const { promise: address, resolve, reject } = Promise.withResolvers<string>()
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => {
    said.stdout += chunk
    const url = /Palimpsest is at {2}(\S+)\n/.exec(said.stdout)?.[1]
    if (url !== undefined) resolve(url)
  })
  child.stderr.on('data', chunk => {
    said.stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    children.delete(child)
    reject(new Error(`it ended with ${code ?? signal}: ${said.stderr}`))
    return code ?? signal
  })
  address.catch(() => {})
  const stop = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return { address, ended, said, stop }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
async function read(url: string, path: string): Promise<any> {
  return (await fetch(`${url}/v1/${path}`)).json()
}

/** What a page would be shown of the examples. */
async function readExamples(url: string) {
  const sessions = await Promise.all(
    Object.keys(SESSIONS).map(async id => {
      const path = `sessions/${encodeURIComponent(id)}`
      return { ...(await read(url, path)), ...(await read(url, `${path}/segments`)) }
    }),
  )
  const counts = Object.fromEntries(sessions.map(({ id, messages }) => [id, messages]))
  const strata: readonly (readonly Stratum[])[] = sessions.map(({ segments }) => segments.map(pick))
  const { documents } = await read(url, 'memory?limit=1000')
  const { settings, sources } = await read(url, 'settings')
  const memory = documents.map(({ layer, key, tokens }: Document) => ({ layer, key, tokens }))
  return { counts, strata, memory, policy: [settings.policy, sources.policy] }
}

interface Stratum {
  readonly fromSeq: number
  readonly toSeq: number
  readonly level: number
}

interface Document {
  readonly layer: string
  readonly key: string
  readonly tokens: number
}

const pick = ({ fromSeq, toSeq, level }: Stratum): Stratum => ({ fromSeq, toSeq, level })

describe('npm start', () => {
  const db = join(folder.path, 'data', 'palimpsest.db')
  let first: Awaited<ReturnType<typeof readExamples>>

  test('shows examples with strata of several levels, and stops', async () => {
    const started = start({ db, port: '0' })
    first = await readExamples(await started.address)
    expect(first.counts).toEqual(SESSIONS)
    const levels = first.strata.map(strata => new Set(strata.map(({ level }) => level)))
    expect([...levels[0]!]).toEqual(expect.arrayContaining([1, 2]))
    expect(levels.slice(1).map(each => each.has(1))).toEqual([true, true])
    expect(first.policy).toEqual(['rounds', 'environment'])
    const layers = new Set(first.memory.map(({ layer }: Document) => layer))
    expect(layers).toEqual(new Set(['persona', 'global', 'user', 'scope', 'chat', 'daily']))
    expect(await started.stop('SIGTERM')).toBe(0)
    expect(started.said.stdout).toContain('First start: 323 messages of 3 example conversations are in.')
  })

  test('adds nothing the second time, whatever was forgotten meanwhile', async () => {
    const started = start({ db, port: '0' })
    const url = await started.address
    expect(await readExamples(url)).toEqual(first)
    await fetch(`${url}/v1/sessions/example:invoice-agent`, { method: 'DELETE' })
    expect(await started.stop('SIGINT')).toBe(0)
    expect(started.said.stdout).not.toContain('First start')

    const again = start({ db, port: '0' })
    const { sessions } = await read(await again.address, 'sessions')
    expect(sessions.map(({ id }: { id: string }) => id).sort()).toEqual(Object.keys(SESSIONS).slice(0, 2))
    expect(await again.stop('SIGTERM')).toBe(0)
  })

  test.each([2, 40, 300, 800])('what a kill at step %i left is finished by the next start', async step => {
    const db = join(folder.path, `killed-${step}.db`)
    const hook = folder.file(
      `kill-${step}.mjs`,
      `import { StatementSync } from 'node:sqlite'
const { run } = StatementSync.prototype
let left = ${step}
StatementSync.prototype.run = function (...parameters) {
  if (--left === 0) process.kill(process.pid, 'SIGKILL')
  return run.apply(this, parameters)
}`,
    )
    expect(await start({ db, port: '0', hook }).ended).toBe('SIGKILL')
    expect(existsSync(`${db}.seeding`)).toBe(true)
    const next = start({ db, port: '0' })
    expect(await readExamples(await next.address)).toEqual(first)
    expect(existsSync(`${db}.seeding`)).toBe(false)
    expect(await next.stop('SIGTERM')).toBe(0)
  })

  test('says so where no database can be made', async () => {
    const file = folder.file('no-folder', '')
    const started = start({ db: join(file, 'own.db'), port: '0' })
    expect(await started.ended).toBe(77)
    expect(started.said.stderr).toContain('no database can be made there')
    expect(started.said.stderr).not.toContain('    at ')
  })

  test('leaves a database alone that was there before', async () => {
    const db = join(folder.path, 'own.db')
    const store = sqlite(db)
    await store.open()
    await store.close()
    const started = start({ db, port: '0' })
    expect(await read(await started.address, 'sessions')).toMatchObject({ sessions: [] })
    expect(await started.stop('SIGTERM')).toBe(0)
  })

  test('stops where npm was stopped, though the shell between them passes nothing on', async () => {
    const started = start({ db: join(folder.path, 'own.db'), port: '0', inShell: true })
    await started.address
    expect(await started.stop('SIGTERM')).toBe('SIGTERM')
    expect(started.said.stdout).toContain('Finishing what is under way')
  })

  test('takes another port where the usual one is taken, but not in place of one that was asked for', async () => {
    const taken = createServer()
    // Where somebody else has it, it is taken just as well.
    const listening = new Promise(resolve => taken.once('listening', resolve).once('error', resolve))
    taken.listen(8787, '127.0.0.1')
    await listening
    const db = join(folder.path, 'own.db')
    const elsewhere = start({ db })
    expect(await elsewhere.address).not.toContain(':8787')
    expect(elsewhere.said.stdout).toContain('Port 8787 is taken')
    expect(await elsewhere.stop('SIGTERM')).toBe(0)
    const asked = start({ db, port: '8787' })
    expect(await asked.ended).toBe(69)
    expect(asked.said.stderr).toContain('another program listens there')
    taken.close()
  })
})
