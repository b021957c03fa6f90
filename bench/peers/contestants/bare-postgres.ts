import pg from 'pg'
import { LAST_MESSAGES, type Message, type Opened, type Place, SUMMARY } from '../contestant.ts'

const SESSION = 1
const INSERT = 'INSERT INTO messages VALUES ($1, $2, $3, $4, $5, $6, $7)'
const SELECT = 'SELECT role, sender, text, at FROM messages WHERE session = $1 ORDER BY seq DESC LIMIT $2'

export async function open({ url, schema }: Place): Promise<Opened> {
  const client = new pg.Client({ connectionString: url!, options: `-c search_path=${schema}` })
  await client.connect()
  await client.query(`
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS summaries (session BIGINT PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS messages (
      session BIGINT NOT NULL, seq BIGINT NOT NULL, role TEXT NOT NULL, sender TEXT NOT NULL,
      text TEXT NOT NULL, at BIGINT NOT NULL, external_id TEXT NOT NULL, PRIMARY KEY (session, seq)
    )`)
  const { rows } = await client.query('SELECT max(seq) AS newest FROM messages')
  let seq = Number((rows as { newest: string | null }[])[0]?.newest ?? 0)
  const store = ({ role, text, sender, externalId }: Message) =>
    client.query({
      name: 'insert',
      text: INSERT,
      values: [SESSION, ++seq, role, sender.id, text, Date.now(), externalId],
    })
  return {
    fill: async (messages, progress) => {
      await client.query('BEGIN')
      await client.query('INSERT INTO summaries VALUES ($1, $2)', [SESSION, SUMMARY])
      for (const message of messages) await store(message)
      await client.query('COMMIT')
      progress(messages.length)
    },
    append: store,
    context: async () => {
      const last = await client.query({ name: 'last', text: SELECT, values: [SESSION, LAST_MESSAGES] })
      const summary = await client.query({
        name: 'summary',
        text: 'SELECT text FROM summaries WHERE session = $1',
        values: [SESSION],
      })
      const messages = last.rows as { text: string }[]
      return {
        messages: messages.length,
        hasSummary: summary.rows.length > 0,
        newest: messages[0]?.text ?? '',
      }
    },
    readDurability: async () => {
      const settings = await client.query(
        "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
      )
      const [row] = settings.rows as { fsync: string; commit: string }[]
      return `fsync = ${row!.fsync}, synchronous_commit = ${row!.commit}`
    },
    close: () => client.end(),
  }
}
