import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LAST_MESSAGES, type Message, type Opened, type Place, SUMMARY } from '../contestant.ts'

const SESSION = 1

export async function open({ folder }: Place, durability: string): Promise<Opened> {
  const database = new DatabaseSync(join(folder, 'bare.db'))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}`)
  database.exec(`
    CREATE TABLE IF NOT EXISTS summaries (session INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS messages (
      session INTEGER NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, sender TEXT NOT NULL,
      text TEXT NOT NULL, at INTEGER NOT NULL, external_id TEXT NOT NULL, PRIMARY KEY (session, seq)
    ) WITHOUT ROWID`)
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)')
  const select = database.prepare(
    'SELECT role, sender, text, at FROM messages WHERE session = ? ORDER BY seq DESC LIMIT ?',
  )
  const selectSummary = database.prepare('SELECT text FROM summaries WHERE session = ?')
  const { newest } = database.prepare('SELECT max(seq) AS newest FROM messages').get() as {
    newest: number | null
  }
  let seq = newest ?? 0
  const store = ({ role, text, sender, externalId }: Message) =>
    insert.run(SESSION, ++seq, role, sender.id, text, Date.now(), externalId)
  return {
    fill: async (messages, progress) => {
      database.exec('BEGIN')
      database.prepare('INSERT INTO summaries VALUES (?, ?)').run(SESSION, SUMMARY)
      for (const message of messages) store(message)
      database.exec('COMMIT')
      progress(messages.length)
    },
    append: async message => store(message),
    context: async () => {
      const rows = select.all(SESSION, LAST_MESSAGES) as { text: string }[]
      const summary = selectSummary.get(SESSION)
      return { messages: rows.length, hasSummary: summary !== undefined, newest: rows[0]?.text ?? '' }
    },
    readDurability: async () => {
      const { synchronous } = database.prepare('PRAGMA synchronous').get() as { synchronous: number }
      return `PRAGMA journal_mode = wal, synchronous = ${synchronous}`
    },
    close: async () => database.close(),
  }
}
