import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../../../../test/runs.ts'
import { Chat } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { runSync } from '../sql/steps.ts'
import type { Store } from '../store.ts'
import { SqliteDriver } from './driver.ts'
import { sqlite } from './index.ts'
import { checkLog } from './log-check.ts'
import { markingLog, markLogAlone } from './mark-log.ts'
import { shortenLog } from './shorten-log.ts'

const TEXT = 'The quick brown fox jumps over the lazy dog. '

let folder: string
let stores: Store[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-pair-'))
  stores = []
})

afterEach(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A file and its log, as they are at one moment. */
interface Pair {
  readonly file: Buffer
  readonly log: Buffer | null
}

function pairAt(path: string): Pair {
  return {
    file: readFileSync(path),
    log: existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : null,
  }
}

/** Elsewhere, as after a crash: without an index. */
let places = 0
function lay({ file, log }: Pair): string {
  const path = join(folder, `pair-${places++}.db`)
  writeFileSync(path, file)
  if (log !== null) writeFileSync(`${path}-wal`, log)
  return path
}

function clear(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
}

async function isRefused(path: string): Promise<boolean> {
  try {
    await checkLog('test', path)
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'store_corrupt' })
    return true
  }
}

const SCHEMA = `CREATE TABLE identity (row INTEGER PRIMARY KEY, id TEXT, generation INTEGER, generation_key TEXT);
  INSERT INTO identity VALUES (1, lower(hex(randomblob(16))), 1, lower(hex(randomblob(8))));
  CREATE TABLE said (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX by_text ON said (text);`

function connectTo(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 1_000 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF')
  return database
}

describe('a pair that SQLite left is never refused', () => {
  type Step =
    | {
        readonly kind: 'write' | 'large' | 'delete' | 'alter' | 'version' | 'vacuum' | 'mark'
        readonly by: number
      }
    | { readonly kind: 'undone' | 'spilled' | 'again' | 'generation'; readonly by: number }
    | { readonly kind: 'PASSIVE' | 'FULL' | 'RESTART' | 'TRUNCATE'; readonly by: number }

  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom(
      ...(['write', 'write', 'large', 'delete', 'alter', 'version', 'vacuum', 'mark'] as const),
      ...(['undone', 'spilled', 'again', 'generation'] as const),
      ...(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'] as const),
    ),
    by: fc.nat(2),
  }) as never

  function take(path: string, connections: DatabaseSync[], { kind, by }: Step): void {
    const database = connections[by]!
    switch (kind) {
      case 'write':
        database.prepare('INSERT INTO said (text) VALUES (?)').run(TEXT)
        return
      case 'large':
        database.prepare('INSERT INTO said (text) VALUES (?)').run(TEXT.repeat(500))
        return
      case 'delete':
        database.exec('DELETE FROM said WHERE id % 3 = 0')
        return
      case 'alter':
        database.exec(`CREATE TABLE IF NOT EXISTS t${Math.floor(places)} (x)`)
        return
      case 'version':
        database.exec('PRAGMA user_version = 7')
        return
      case 'vacuum':
        database.exec('VACUUM')
        return
      case 'mark':
        markLogAlone(database)
        return
      case 'generation':
        database.exec(
          `UPDATE identity SET generation = generation + 1, generation_key = lower(hex(randomblob(8)))`,
        )
        return
      case 'undone':
        database.exec('BEGIN IMMEDIATE; CREATE TABLE undone (x); ROLLBACK')
        return
      case 'spilled':
        // More than the cache holds, so that pages come to the log before the end.
        database.exec(
          'PRAGMA cache_size = 5; PRAGMA cache_spill = 5; BEGIN IMMEDIATE; CREATE TABLE spilled (x)',
        )
        for (let row = 0; row < 20; row++)
          database.prepare('INSERT INTO said (text) VALUES (?)').run(TEXT.repeat(200))
        database.exec('ROLLBACK')
        return
      case 'again':
        database.close()
        connections[by] = connectTo(path)
        return
      default:
        database.prepare(`PRAGMA wal_checkpoint(${kind})`).get()
    }
  }

  test('whatever is written and copied by several connections, and wherever it is cut off', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(512, 4_096, 65_536),
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.boolean(),
        async (pageSize, steps, holdsReader) => {
          const path = join(folder, `history-${places++}.db`)
          const first = new DatabaseSync(path)
          first.exec(`PRAGMA page_size = ${pageSize}`)
          first.close()
          const connections = [connectTo(path), connectTo(path), connectTo(path)]
          const reader = connectTo(path)
          expect(await isRefused(path)).toBe(false)
          connections[0]!.exec(SCHEMA)
          for (const [index, each] of steps.entries()) {
            if (holdsReader && index === 3) reader.exec('BEGIN; SELECT * FROM said LIMIT 1')
            if (holdsReader && index === 12) reader.exec('ROLLBACK')
            try {
              take(path, connections, each)
            } catch (error) {
              if (!/locked|busy/.test(String(error))) throw error
            }
            const copy = lay(pairAt(path))
            expect(await isRefused(copy), `after step ${index}`).toBe(false)
            // Killed in the middle of a write to the log.
            const bytes = existsSync(`${copy}-wal`) ? statSync(`${copy}-wal`).size : 0
            if (bytes > 0) truncateSync(`${copy}-wal`, Math.floor(bytes * 0.7))
            // A log that SQLite cut off itself would have been copied into the file by then: only a copy of the
            // whole log makes it earlier than the file.
            if (
              !holdsReader &&
              steps.slice(0, index + 1).every(({ kind }) => kind === 'write' || kind === 'large')
            )
              expect(await isRefused(copy)).toBe(false)
            clear(copy)
          }
          for (const connection of [...connections, reader]) connection.close()
          expect(await isRefused(path)).toBe(false)
          clear(path)
        },
      ),
      { numRuns: runs(15, 40) },
    )
  })

  test('while other processes write and copy the log all the time', async () => {
    const path = join(folder, 'busy.db')
    const database = connectTo(path)
    database.exec(SCHEMA)
    const program = `const { DatabaseSync } = require('node:sqlite')
      const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
      database.exec('PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20')
      const modes = ['PASSIVE', 'RESTART', 'TRUNCATE']
      console.log('writes')
      for (let turn = 0; ; turn++) {
        database.exec("INSERT INTO said (text) VALUES ('" + 'x'.repeat(turn % 50 * 100) + "')")
        if (turn % 7 === 0) database.exec('PRAGMA wal_checkpoint(' + modes[turn % 3] + ')')
        if (turn % 31 === 0) database.exec('CREATE TABLE t' + process.pid + '_' + turn + ' (x)')
      }`
    const writers = [0, 1].map(() =>
      spawn(process.execPath, ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] }),
    )
    await Promise.all(writers.map(writer => once(writer.stdout, 'data')))
    for (let look = 0; look < 300; look++) expect(await isRefused(path)).toBe(false)
    for (const writer of writers) {
      writer.kill('SIGKILL')
      await once(writer, 'exit')
    }
    database.close()
    expect(await isRefused(path)).toBe(false)
  })
})

/** A program of ours, by its own parts: what it writes, and how it keeps its log short. */
class Program {
  readonly path: string
  #main!: DatabaseSync
  #thread!: DatabaseSync
  #isMarked = false

  constructor(path: string) {
    this.path = path
    this.open()
    this.#main.exec(SCHEMA)
  }

  open(): void {
    this.#main = connectTo(this.path)
    this.#thread = connectTo(this.path)
    this.#isMarked = false
  }

  write(text: string): void {
    this.#main.exec('BEGIN IMMEDIATE')
    if (!this.#isMarked) runSync(markingLog(), ({ sql }) => this.#main.prepare(sql).all() as never)
    this.#isMarked = true
    this.#main.prepare('INSERT INTO said (text) VALUES (?)').run(text)
    this.#main.prepare('UPDATE said SET text = text || ? WHERE id = 1').run('.')
    this.#main.exec('COMMIT')
  }

  shorten(mode: 'RESTART' | 'TRUNCATE'): void {
    expect(shortenLog(this.#thread, mode)).toBe('shortened')
  }

  copySome(): void {
    this.#thread.exec('PRAGMA wal_checkpoint(PASSIVE)')
  }

  close(): void {
    this.#thread.close()
    if (this.#isMarked) markLogAlone(this.#main)
    this.#main.close()
  }

  /** All that is stored. */
  state(): string {
    return stateOf(this.#main)
  }
}

function stateOf(database: DatabaseSync): string {
  return JSON.stringify(database.prepare('SELECT * FROM said ORDER BY id').all())
}

/** `null`: damaged. */
function readPair(path: string): string | null {
  const database = new DatabaseSync(path)
  try {
    const { integrity_check: verdict } = database.prepare('PRAGMA integrity_check').get() as never
    return verdict === 'ok' ? stateOf(database) : null
  } catch {
    return null
  } finally {
    database.close()
  }
}

test('a file of another moment beside a log is refused, or the two are what was once stored', async () => {
  const kinds = ['write', 'write', 'long', 'copy', 'restart', 'truncate', 'reopen'] as const
  let [refused, taken] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...kinds), { minLength: 6, maxLength: 16 }),
      fc.infiniteStream(fc.nat()),
      async (steps, random) => {
        const program = new Program(join(folder, `moments-${places++}.db`))
        const moments: Pair[] = []
        const states = new Set<string>()
        const note = () => {
          moments.push(pairAt(program.path))
          states.add(program.state())
        }
        note()
        for (const [index, kind] of steps.entries()) {
          if (kind === 'write') program.write(`${index} ${TEXT}`)
          else if (kind === 'long') program.write(`${index} ${TEXT.repeat(300)}`)
          else if (kind === 'copy') {
            // Some of it first, as a thread does while others write.
            program.copySome()
            note()
            program.shorten('RESTART')
          } else if (kind === 'reopen') {
            program.close()
            // The file alone, as it is copied while no program runs.
            moments.push(pairAt(program.path))
            program.open()
          } else program.shorten(kind === 'restart' ? 'RESTART' : 'TRUNCATE')
          note()
        }
        program.close()
        for (let tries = 0; tries < 25; tries++) {
          const [one, other] = [random.next().value!, random.next().value!].map(
            number => moments[number % moments.length]!,
          )
          // A file alone has no log that might be another's.
          if (!other!.log?.length) continue
          const path = lay({ file: one!.file, log: other!.log })
          if (await isRefused(path)) refused++
          else {
            const state = readPair(path)
            expect(states).toContain(state)
            taken++
          }
          clear(path)
        }
      },
    ),
    { numRuns: runs(40) },
  )
  expect(refused).toBeGreaterThan(100)
  expect(taken).toBeGreaterThan(100)
})

describe('opening', () => {
  async function open(path: string, options: Parameters<typeof sqlite>[1] = {}): Promise<Store> {
    const store = sqlite(path, { durability: 'normal', warn: () => {}, ...options })
    stores.push(store)
    await store.open()
    return store
  }

  const files = () =>
    readdirSync(folder)
      .toSorted()
      .map(name => [name, statSync(join(folder, name)).isFile() && readFileSync(join(folder, name), 'hex')])

  /** Both ways of opening it, and nothing is changed. */
  async function refusesBoth(path: string, words: RegExp): Promise<void> {
    const before = files()
    for (const options of [{}, { readOnly: true }, { migrate: false }]) {
      const store = sqlite(path, { ...options, warn: () => {} })
      const error = await store.open().catch(error => error)
      expect(error).toMatchObject({ code: 'store_corrupt' })
      expect(error.message).toMatch(words)
      expect(error.message).toMatch(/-wal and the -shm.*palimpsest restore/)
      await store.close()
    }
    expect(files()).toEqual(before)
  }

  async function fill(path: string, messages: number): Promise<void> {
    const store = await open(path)
    await new Chat(store).say(messages)
    await store.close()
  }

  /** As the files are when the process is killed. */
  async function killed(path: string, messages: number): Promise<Pair> {
    const store = await open(path)
    await new Chat(store).say(messages)
    const pair = pairAt(path)
    await store.close()
    return pair
  }

  test('takes what a killed program has left', async () => {
    const path = join(folder, 'a.db')
    await fill(path, 5)
    const pair = await killed(path, 5)
    const store = await open(lay(pair))
    expect(await new Chat(store).seqs()).toHaveLength(10)
    await new Chat(store).say(1)
  })

  test('knows the log of a program whose first write was a long one', async () => {
    const pairs: Pair[] = []
    for (const name of ['a.db', 'b.db']) {
      await fill(join(folder, name), 5)
      const stretch = { characters: 0, ms: 0 }
      const driver = new SqliteDriver(join(folder, name), { durability: 'normal' }, () => {}, { stretch })
      const store = new SqlStore(driver, () => {})
      await store.open()
      await new Chat(store).say(5)
      pairs.push(pairAt(join(folder, name)))
      await store.close()
    }
    await refusesBoth(lay({ file: pairs[0]!.file, log: pairs[1]!.log }), /log is of another database/)
  })

  test('refuses a file from before beside the log of now', async () => {
    const path = join(folder, 'a.db')
    await fill(path, 5)
    const early = readFileSync(path)
    await fill(path, 5)
    const { log } = await killed(path, 5)
    await refusesBoth(lay({ file: early, log }), /earlier moment/)
  })

  test('refuses a file from before beside the log that an erasure has begun anew', async () => {
    const path = join(folder, 'a.db')
    await fill(path, 5)
    const early = readFileSync(path)
    const store = await open(path)
    await new Chat(store).say(1)
    await store.erasure.scrub()
    await new Chat(store).say(5)
    const { file, log } = pairAt(path)
    await store.close()
    expect(await isRefused(lay({ file, log }))).toBe(false)
    await refusesBoth(lay({ file: early, log }), /earlier moment/)
  })

  test('refuses a file from afterwards beside an old log', async () => {
    const path = join(folder, 'a.db')
    await fill(path, 5)
    const { log } = await killed(path, 5)
    await fill(path, 5)
    await refusesBoth(lay({ file: readFileSync(path), log }), /later moment/)
  })

  test('refuses a backup by SQLite beside the log of the database', async () => {
    const path = join(folder, 'a.db')
    await fill(path, 5)
    const source = new DatabaseSync(path)
    source.exec(`VACUUM INTO '${join(folder, 'vacuumed.db')}'`)
    const { backup } = await import('node:sqlite')
    await backup(source, join(folder, 'copied.db'))
    source.close()
    const { log } = await killed(path, 5)
    for (const name of ['vacuumed.db', 'copied.db'])
      await refusesBoth(lay({ file: readFileSync(join(folder, name)), log }), /earlier moment/)
  })

  test('refuses the log of another database, also where the numbers of the two agree', async () => {
    const pairs: Pair[] = []
    for (const name of ['a.db', 'b.db']) {
      await fill(join(folder, name), 5)
      pairs.push(await killed(join(folder, name), 5))
    }
    await refusesBoth(lay({ file: pairs[0]!.file, log: pairs[1]!.log }), /log is of another database/)
    expect(await isRefused(lay(pairs[0]!))).toBe(false)
  })

  test('refuses the log of an earlier generation, also where the numbers of the two agree', async () => {
    const path = join(folder, 'a.db')
    await fill(path, 5)
    const { file, log } = await killed(path, 5)
    const restored = lay({ file, log: null })
    const database = new DatabaseSync(restored)
    database.exec(`UPDATE identity SET generation = 2, generation_key = '0123456789abcdef'`)
    database.close()
    const bytes = readFileSync(restored)
    file.copy(bytes, 24, 24, 28)
    await refusesBoth(lay({ file: bytes, log }), /restored from a backup since/)
  })

  test('refuses to make a new database beside the log of one that is gone', async () => {
    const path = join(folder, 'a.db')
    const { log } = await killed(path, 5)
    mkdirSync(join(folder, 'gone'))
    const gone = join(folder, 'gone', 'a.db')
    writeFileSync(`${gone}-wal`, log!)
    for (const makes of [() => {}, () => writeFileSync(gone, '')]) {
      makes()
      await refuses(open(gone), 'store_corrupt')
      expect(readFileSync(`${gone}-wal`).equals(log!)).toBe(true)
    }
  })

  test('goes on once the log was taken aside', async () => {
    const path = join(folder, 'a.db')
    await fill(path, 5)
    const early = readFileSync(path)
    await fill(path, 5)
    const { log } = await killed(path, 5)
    const laid = lay({ file: early, log })
    await refuses(open(laid), 'store_corrupt')
    copyFileSync(`${laid}-wal`, join(folder, 'aside'))
    rmSync(`${laid}-wal`)
    expect(await new Chat(await open(laid)).seqs()).toHaveLength(5)
  })
})
