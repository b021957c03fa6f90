import type { ClientBase } from 'pg'

const SESSIONS = 6_000
const MESSAGES_EACH = 40
/** One session is as long as a group of years. */
const LONG_SESSION = 1
const LONG_MESSAGES = 60_000
/** About when the contract's clock begins. */
const NOW = Date.UTC(2026, 0, 15, 8)

/** Four in six sessions are in the namespace that the contract uses: a page of it must not read all of it. */
const NAMESPACE = `CASE WHEN n % 6 < 4 THEN 'test' ELSE 'other-' || n % 6 END`

/** Rows of every table that grows, as many as give a planner reason to choose. Of no table the statistics are there. */
export async function fillSchema(client: ClientBase, schema: string): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
    [schema],
  )
  await client.query(`SET search_path TO ${schema}`)
  // Nobody else gathers statistics, so that it is known when there are some.
  for (const { name } of tables) await client.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`)
  for (const [table, select] of Object.entries(ROWS)) {
    const columns = /^\((.*?)\)/s.exec(select)![0]
    await client.query(`INSERT INTO ${table} ${columns} ${select.slice(columns.length)}`)
  }
}

const sessions = (share = 1) => `generate_series(1, ${SESSIONS}, ${share}) AS n`
const NOTHING = `'""'`

const ROWS: Readonly<Record<string, string>> = {
  sessions: `(namespace, name_key, name, kind, user_id, created_at, origin, due_at, extract_at, pending, ready, compacted_through)
    SELECT ${NAMESPACE}, 'session-' || lpad(n::text, 6, '0'), 'session-' || lpad(n::text, 6, '0'), 'private', 'user-' || n % 900,
      ${NOW} + n, CASE WHEN n % 50 = 0 THEN '{}' END, CASE WHEN n % 3 = 0 THEN ${NOW} + n * 10000 END,
      CASE WHEN n % 4 = 0 THEN ${NOW} + n * 10000 END, CASE WHEN n % 40 = 0 THEN '{}' END,
      CASE WHEN n % 1000 = 0 THEN 0 WHEN n % 999 = 0 THEN 2 ELSE 1 END, 20 FROM ${sessions()}`,
  senders: `(namespace, sender_key, sender) SELECT ${NAMESPACE}, 'sender-' || n, '{}' FROM ${sessions()}`,
  messages: `(session_id, seq, role, sender_id, content, format, at, lag, external_key, characters, tokens, flags, position,
      total_messages, total_turns, total_replies, total_characters, total_tokens)
    SELECT n, seq, 1 + seq % 2, n, repeat('word ', 20), 0, ${NOW} + seq, 0, 'm-' || seq, 100, 25, 7, 1, seq, seq / 2, seq / 2,
      seq * 100, seq * 25
    FROM ${sessions()}, generate_series(1, CASE WHEN n = ${LONG_SESSION} THEN ${LONG_MESSAGES} ELSE ${MESSAGES_EACH} END) AS seq`,
  events: `(session_id, type, at, from_seq, to_seq, transaction_id, document_id)
    SELECT n, CASE WHEN seq % 20 = 0 THEN 6 ELSE 1 END, ${NOW} + seq, seq, seq, (1000 + seq * ${SESSIONS} + n)::text::xid8,
      CASE WHEN seq = 1 THEN n END
    FROM ${sessions()}, generate_series(1, ${MESSAGES_EACH}) AS seq`,
  message_versions: `(session_id, seq, version, content, format, replaced_at)
    SELECT n, seq, 1, 'before', 0, ${NOW} FROM ${sessions(3)}, generate_series(1, 3) AS seq`,
  hidden_ranges: `(session_id, from_seq, to_seq)
    SELECT n, seq * 4, seq * 4 + 1 FROM ${sessions(3)}, generate_series(1, 4) AS seq`,
  beginnings: `(session_id, after_seq, folded_through, at)
    SELECT n, seq * 4, seq * 4 - 4, ${NOW} FROM ${sessions(3)}, generate_series(1, 3) AS seq`,
  segments: `(session_id, id, from_seq, to_seq, message_count, summary, events, details, level, state, rolled_into, type, reason,
      summarizer, prompt_version, tokens_before, tokens_after, created_at, withheld, window_through)
    SELECT n, id, id * 4 - 3, id * 4, 4, ${NOTHING}, '[]', '[]', 1, 'live', CASE WHEN id = 1 THEN 2 END, 'lite', 'count', 'extractive', '1',
      100, 20, ${NOW}, CASE WHEN n % 100 = 0 THEN 2 ELSE 0 END, CASE WHEN n % 70 = 0 THEN id * 4 END
    FROM ${sessions()}, generate_series(1, 5) AS id`,
  spending: `(session_id, namespace, model, window_start, calls, tokens)
    SELECT n, ${NAMESPACE}, 'model-' || m, ${NOW} + m * 3600000, 1, 100 FROM ${sessions()}, generate_series(0, 2) AS m`,
  aliases: `(namespace, name_key, session_id) SELECT ${NAMESPACE}, 'group:-' || n, n FROM ${sessions()}`,
  allowances: `(session_id, kind, instants) SELECT n, kind, '[]' FROM ${sessions()}, unnest(ARRAY['proactive', 'bots']) AS kind`,
  memos: `(session_id, version, through_seq, memo) SELECT n, v, v * 4, '{}' FROM ${sessions()}, generate_series(1, 3) AS v`,
  operations: `(session_id, operation_id, result)
    SELECT n, 'operation-' || v, '{}' FROM ${sessions()}, generate_series(1, 3) AS v`,
  pins: `(session_id, id, seq, tokens, created_at) SELECT n, 1, 3, 20, ${NOW} FROM ${sessions(2)}`,
  postings: `(session_id, term, first_seq, data)
    SELECT n, 'term-' || t, 1, '\\x0102' FROM ${sessions()}, generate_series(1, 40) AS t`,
  index_blocks: `(session_id, block, data) SELECT n, 0, '\\x0102' FROM ${sessions()}`,
  index_changes: `(session_id, seq) SELECT n, 2 FROM ${sessions(2)}`,
  documents: `(namespace, layer, name_key, name, session_id, day, version, tokens, created_at, updated_at, mirrored_version, content)
    SELECT ${NAMESPACE}, CASE n % 3 WHEN 0 THEN 'user' WHEN 1 THEN 'chat' ELSE 'daily' END, 'document-' || n, 'document-' || n,
      CASE WHEN n % 3 > 0 THEN n END, CASE WHEN n % 3 = 2 THEN '2026-01-' || 10 + n % 20 END, 2, 20, ${NOW}, ${NOW}, n % 2 * 2, ${NOTHING}
    FROM ${sessions()}`,
  document_versions: `(document_id, version, at, author_kind, back)
    SELECT n, v, ${NOW}, 'fold', ${NOTHING} FROM ${sessions()}, generate_series(1, 4) AS v`,
  facts: `(document_id, id, line, line_key, session_id, from_seq, to_seq, said_at, source, version, gone)
    SELECT n, id, 'line', 'line-' || id, n, id, id, ${NOW}, 'fold', 1, CASE WHEN n % 100 = 0 THEN 2 ELSE 0 END
    FROM ${sessions()}, generate_series(1, 8) AS id`,
  packs: `(document_id, places, octets, data)
    SELECT n, 4, 400, '\\x0102' FROM ${sessions()}, generate_series(1, 2) AS id`,
  waiting: `(namespace, session_id, seq, burst, address, received_at)
    SELECT ${NAMESPACE}, n, 40, '{}', '{}', ${NOW} FROM ${sessions()}`,
  requests: `(namespace, name, fingerprint, until) SELECT ${NAMESPACE}, 'request-' || n, 'f', ${NOW} + n * 1000 FROM ${sessions()}`,
  leases: `(namespace, name, token, owner, until)
    SELECT ${NAMESPACE}, 'lease-' || n, 1, CASE WHEN n % 100 = 0 THEN 'somebody' END, ${NOW} FROM ${sessions()}`,
  erasures: `(namespace, target, requested_at, stage, places, highest)
    SELECT ${NAMESPACE}, '{}', ${NOW}, CASE WHEN n % 300 = 0 THEN 'erasing' ELSE 'done' END, '{}', n FROM ${sessions()}`,
  erased_documents: `(namespace, layer, name_key, name) SELECT ${NAMESPACE}, 'user', 'gone-' || n, 'gone-' || n FROM ${sessions()}`,
}
