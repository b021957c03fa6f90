import { expect, test } from 'vitest'
import { backupName, backupsAmong, dueAt } from './backup-names.ts'

const AT = Date.UTC(2026, 10, 18, 9, 15, 7, 123)
const HOUR = 3_600_000

test('a name has the database and the second, and is read back', () => {
  for (const [db, stem] of [
    ['/data/bot.db', 'bot'],
    ['palimpsest.sqlite', 'palimpsest'],
    ['noending', 'noending'],
    ['.db', '.db'],
    ['a-2026-11-18T09-15-07Z.db', 'a-2026-11-18T09-15-07Z'],
  ] as const) {
    const name = backupName(db, AT)
    expect(name).toBe(`${stem}-2026-11-18T09-15-07Z.db`)
    expect(backupsAmong([name], db)).toEqual([{ file: name, at: AT - 123 }])
  }
})

test('other files are no backups of this database', () => {
  const others = [
    ...['bot.db', 'bot-2026-11-18.db', 'bot-2026-11-18T09-15-07Z.db-wal', 'bot-2026-13-40T09-15-07Z.db'],
    ...[
      'robot-2026-11-18T09-15-07Z.db',
      'bot-new-2026-11-18T09-15-07Z.db',
      '.bot-2026-11-18T09-15-07Z.db.ab.partial',
    ],
  ]
  expect(backupsAmong(others, 'bot.db')).toEqual([])
})

test('the next is due so long after the newest, and at once where there is none', () => {
  const files = [AT - 3 * HOUR, AT - HOUR, AT - 2 * HOUR].map(at => backupName('bot.db', at))
  const backups = backupsAmong(files, 'bot.db')
  expect(backups.map(({ at }) => Math.round((AT - at) / HOUR))).toEqual([1, 2, 3])
  expect(dueAt(backups, { everyMs: 6 * HOUR, now: AT })).toBe(AT - 123 - HOUR + 6 * HOUR)
  expect(dueAt([], { everyMs: HOUR, now: AT })).toBe(AT)
})

test('one from a time that is yet to come keeps no other from being made', () => {
  const backups = backupsAmong([backupName('bot.db', AT + 500 * HOUR)], 'bot.db')
  expect(dueAt(backups, { everyMs: HOUR, now: AT })).toBe(AT)
})
