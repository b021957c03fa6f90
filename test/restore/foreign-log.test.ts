import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RestoreOptions } from '../../packages/palimpsest/src/restore/restore-sqlite.ts'
import { forgetWholly, House } from './kit.ts'

/** A backup was copied over a database by hand, and the old one's log lies beside it. */

let house: House
/** The file that the log belongs to. */
let real: Buffer

beforeEach(async () => {
  house = new House()
  const palimpsest = await house.open()
  const chat = palimpsest.session('chat')
  await chat.append(Array.from({ length: 40 }, (_, at) => said(`monday ${at} ${'and more '.repeat(60)}`)))
  await palimpsest.session('ann').append(said('zebra'))
  await house.backUp()
  await forgetWholly(palimpsest, { kind: 'session', sessionId: 'ann' })
  await chat.append(said('only in the log'))
  real = readFileSync(house.file)
  // As after a kill: a close would empty the log.
  const log = readFileSync(`${house.file}-wal`)
  await palimpsest.close()
  writeFileSync(`${house.file}-wal`, log)
  copyFileSync(house.backup, house.file)
})

afterEach(() => house.remove())

/** A program that writes, page 1 as well, and goes on until it is killed. */
const RUNS = `const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1])
  const { user_version: version } = database.prepare('PRAGMA user_version').get()
  database.exec('PRAGMA user_version = ' + version)
  console.log('open')
  process.stdin.resume()`

const said = (content: string) => ({ role: 'user' as const, content })

function files(): Readonly<Record<string, string>> {
  const names = readdirSync(house.root).filter(name => !name.endsWith('-shm'))
  return Object.fromEntries(
    names.map(name => [
      name,
      createHash('sha256')
        .update(readFileSync(`${house.root}/${name}`))
        .digest('hex'),
    ]),
  )
}

async function texts(file: string): Promise<readonly unknown[]> {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare('SELECT content FROM messages').all()
  database.close()
  return rows.map(({ content }) => String(content))
}

describe('a restore over a file whose log is not its own', () => {
  test('keeps both aside, byte for byte', async () => {
    const [file, log] = [readFileSync(house.file), readFileSync(`${house.file}-wal`)]
    const { aside, hadForeignLog, wasDamaged, erased } = await house.restore()
    expect({ hadForeignLog, wasDamaged }).toEqual({ hadForeignLog: true, wasDamaged: false })
    expect(erased.session).toBe(1)
    expect(readFileSync(aside!).equals(file)).toBe(true)
    expect(readFileSync(`${aside}-wal`).equals(log)).toBe(true)
    expect(readdirSync(house.root).filter(name => /restoring|live\.db-/.test(name))).toEqual([])
    // Beside the file that it belongs to, the log tells all that was acknowledged.
    const back = `${house.root}/back.db`
    writeFileSync(back, real)
    copyFileSync(`${aside}-wal`, `${back}-wal`)
    expect(await texts(back)).toContain('only in the log')
    await using restored = await house.open()
    expect(await restored.session('chat').messages({ limit: 100 })).toHaveLength(40)
  })

  test('keeps the log of a file with nothing in it', async () => {
    truncateSync(house.file, 0)
    const log = readFileSync(`${house.file}-wal`)
    const { aside } = await house.restore()
    expect(readFileSync(aside!)).toHaveLength(0)
    expect(readFileSync(`${aside}-wal`).equals(log)).toBe(true)
  })

  test('does not believe what the two together say was erased', async () => {
    rmSync(house.list)
    const before = files()
    await expect(house.restore()).rejects.toMatchObject({ code: 'erased_list_missing' })
    await expect(house.restore({ dryRun: true })).rejects.toMatchObject({ code: 'erased_list_missing' })
    expect(files()).toEqual(before)
    expect(await house.restore({ withoutList: true })).toMatchObject({ hadForeignLog: true })
  })

  const endsAt = (at: string): Partial<RestoreOptions> => ({
    onStep: step => {
      if (step === at) throw new Error('no room')
    },
  })
  let checks = 0
  test.for<[string, () => Partial<RestoreOptions>]>([
    [
      'the backup is damaged',
      () => {
        const bytes = readFileSync(house.backup)
        bytes.fill(0, 4_096 * 8, 4_096 * 12)
        writeFileSync(house.backup, bytes)
        return {}
      },
    ],
    ['the list is of another database', () => ({ erasedList: otherList() })],
    [
      'the key of the list is missing',
      () => {
        rmSync(`${house.list}-key`)
        return {}
      },
    ],
    [
      'it is interrupted',
      () => ({
        check: () => {
          throw new Error('Ctrl-C')
        },
      }),
    ],
    [
      'it is interrupted later',
      () => {
        checks = 0
        return {
          check: () => {
            if (++checks > 2) throw new Error('Ctrl-C')
          },
        }
      },
    ],
    ['there is no room for the copy', () => endsAt('copied')],
    ['there is no room for erasing', () => endsAt('prepared')],
    ['it cannot be synced', () => endsAt('synced')],
    ['it ends when the file is aside', () => endsAt('kept aside')],
    ['it ends when the log is aside', () => endsAt('log aside')],
    [
      'the file is of another program',
      () => {
        const alone = `${house.root}/alone.db`
        copyFileSync(house.file, alone)
        const database = new DatabaseSync(alone)
        database.exec('PRAGMA application_id = 7')
        database.close()
        copyFileSync(alone, house.file)
        return {}
      },
    ],
  ])('leaves both as they were where %s', async ([, given]) => {
    const options = given()
    const before = files()
    await expect(house.restore(options)).rejects.toThrow()
    expect(files()).toEqual(before)
  })

  function otherList(): string {
    const list = `${house.root}/other.erased`
    copyFileSync(`${house.list}-key`, `${list}-key`)
    const lines = readFileSync(house.list, 'utf8')
    writeFileSync(list, lines.replaceAll(/"database":"[^"]*"/g, `"database":"${'0'.repeat(32)}"`))
    rmSync(house.list)
    return list
  }

  test('leaves both as they were where it only looks', async () => {
    const before = files()
    expect(await house.restore({ dryRun: true })).toMatchObject({ erased: { session: 1 }, dryRun: true })
    expect(files()).toEqual(before)
  })

  test('is refused while another process has the file open', async () => {
    for (const end of ['-wal', '-shm']) rmSync(`${house.file}${end}`, { force: true })
    const running = spawn(process.execPath, ['-e', RUNS, house.file], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(running.stdout, 'data')
    const bytes = readFileSync(house.backup)
    bytes.writeUInt32BE(7_000_000, 24)
    writeFileSync(house.file, bytes)
    const before = files()
    await expect(house.restore()).rejects.toMatchObject({ code: 'store_busy' })
    expect(files()).toEqual(before)
    running.kill('SIGKILL')
    await once(running, 'exit')
    expect(await house.restore()).toMatchObject({ hadForeignLog: true })
    expect(readdirSync(house.root).filter(name => name.includes('restoring'))).toEqual([])
  })
})

test('a backup whose log is not its own is refused, and neither is touched', async () => {
  const pair = `${house.root}/pair.db`
  for (const end of ['', '-wal']) copyFileSync(`${house.file}${end}`, `${pair}${end}`)
  rmSync(`${house.file}-wal`)
  const pairNow = () => Object.entries(files()).filter(([name]) => name.startsWith('pair'))
  const before = pairNow()
  await expect(house.restore({ backup: pair })).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining('does not belong to the file'),
  })
  expect(pairNow()).toEqual(before)
  expect(existsSync(`${pair}-shm`)).toBe(false)
})
