import pg from 'pg'
import { externalId, textOf } from './chaos.ts'

export interface Folded {
  readonly session: number
  readonly fromSeq: number
  readonly toSeq: number
}

export interface ChaosState {
  /** Nothing is pending, and no job is open. */
  readonly isSettled: boolean
  readonly folds: number
  /** Of these, the ones that the model wrote. */
  readonly asked: number
  readonly problems: readonly string[]
}

interface Asked {
  readonly url: string
  readonly perSession: number
  /** Of each session the `seq`s that its appends were told, in their order. */
  readonly acknowledged: readonly (readonly number[])[]
  /** What the model was asked for. */
  readonly calls: readonly Folded[]
  /** More than so many raw messages are folded. */
  readonly keep: number
}

/** What is in the database itself, whatever any process says of it. */
export async function checkLog(asked: Asked): Promise<ChaosState> {
  const client = new pg.Client(asked.url)
  await client.connect()
  try {
    return await checkIn(client, asked)
  } finally {
    await client.end()
  }
}

interface SessionRow {
  readonly id: string
  readonly name: string
  readonly cursor: string
  readonly pending: string | null
  readonly failures: string
}

async function checkIn(
  client: pg.Client,
  { perSession, acknowledged, calls, keep }: Asked,
): Promise<ChaosState> {
  const rows = async <Row>(sql: string) => (await client.query(sql)).rows as Row[]
  const sessions = await rows<SessionRow>(
    'SELECT id, name, compacted_through AS cursor, pending, failures FROM palimpsest.sessions',
  )
  const [open] = await rows<{ jobs: string; dead: string }>(
    `SELECT count(*) FILTER (WHERE name = 'folds' AND state <= 'active') AS jobs,
       count(*) FILTER (WHERE name = 'dead-folds') AS dead FROM palimpsest_jobs.job`,
  )
  const isSettled = Number(open!.jobs) === 0 && sessions.every(({ pending }) => pending === null)
  if (!isSettled) return { isSettled, folds: 0, asked: 0, problems: [] }

  const problems: string[] = []
  if (Number(open!.dead) > 0) problems.push(`${open!.dead} folds were given up`)
  if (sessions.length !== acknowledged.length) problems.push(`${sessions.length} sessions`)
  const called = new Set(calls.map(nameOf))
  let folds = 0
  let asked = 0
  for (const { id, name, cursor, failures } of sessions) {
    const session = Number(name.slice(1))
    const told = acknowledged[session]!
    const messages = await rows<{ seq: string; external_key: string; content: string }>(
      `SELECT seq, external_key, content FROM palimpsest.messages WHERE session_id = ${id} ORDER BY seq`,
    )
    if (messages.length !== perSession) problems.push(`${name} has ${messages.length} messages`)
    for (const [index, { seq, external_key, content }] of messages.entries()) {
      const number = index + 1
      const isThere = Number(seq) === number && external_key === externalId(session, number)
      if (!isThere || told[index] !== number || !content.includes(textOf(session, number)))
        problems.push(`${name}: at ${number} is ${external_key} as ${seq}, which was told as ${told[index]}`)
    }
    const segments = await rows<{
      from_seq: string
      to_seq: string
      state: string
      count: string
      summarizer: string
    }>(
      `SELECT from_seq, to_seq, state, message_count AS count, summarizer FROM palimpsest.segments
       WHERE session_id = ${id} AND level = 1 ORDER BY from_seq, id`,
    )
    let through = 0
    for (const { from_seq, to_seq, state, count, summarizer } of segments) {
      const [fromSeq, toSeq] = [Number(from_seq), Number(to_seq)]
      if (fromSeq !== through + 1 || Number(count) !== toSeq - through)
        problems.push(
          `${name}: a segment of ${fromSeq}–${toSeq} after ${through}, ${count} messages, ${state}`,
        )
      through = toSeq
      folds += 1
      if (!summarizer.includes('scripted')) continue
      asked += 1
      if (!called.has(nameOf({ session, fromSeq, toSeq })))
        problems.push(`${name}: nobody was asked for ${fromSeq}–${toSeq}`)
    }
    if (through !== Number(cursor)) problems.push(`${name}: segments to ${through}, cursor at ${cursor}`)
    if (perSession - through > keep) problems.push(`${name}: ${perSession - through} messages are raw`)
    if (Number(failures) > 0) problems.push(`${name}: its last ${failures} folds failed`)
  }
  return { isSettled, folds, asked, problems: problems.slice(0, 20) }
}

function nameOf({ session, fromSeq, toSeq }: Folded): string {
  return `${session}:${fromSeq}-${toSeq}`
}
