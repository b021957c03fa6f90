import type { CheckResult, CheckUpRequest } from '../check-up.ts'
import { checkPackedDocument, checkSession } from './check-session.ts'
import { checkWork } from './check-work.ts'
import type { Driver } from './driver.ts'
import { SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { all, first, type Steps } from './steps.ts'

const SESSIONS_AT_A_TIME = 100
const MAX_SHOWN = 20
const DAMAGED = 'The database is damaged: restore a backup, and keep this one to look at.'

/** Changes nothing. Each check is a transaction of its own, so that no writer waits for a long one. */
export async function checkUp(driver: Driver, request: CheckUpRequest): Promise<readonly CheckResult[]> {
  const own = (await driver.checkUp?.(request)) ?? []
  const work = await driver.read(() => checkWork(request.now, driver.dialect))
  if (!request.isDeep) return [...own, ...work]
  const rows = await driver.read(checkForeignRows)
  return [...own, ...work, rows, await checkSessions(driver, request), await checkDocuments(driver)]
}

const CHILDREN: readonly (readonly [table: string, column: string, parent: string])[] = [
  ...[
    'messages',
    'message_versions',
    'segments',
    'memos',
    'hidden_ranges',
    'beginnings',
    'pins',
    'fold_history',
    'operations',
    'index_blocks',
    'index_changes',
    'postings',
    'waiting',
    'aliases',
    'allowances',
    'packs',
  ].map(table => [table, 'session_id', 'sessions'] as const),
  ['document_versions', 'document_id', 'documents'],
  ['facts', 'document_id', 'documents'],
  ['packs', 'document_id', 'documents'],
  ['messages', 'sender_id', 'senders'],
]

/** Rows whose parent row is missing. */
function* checkForeignRows(): Steps<CheckResult> {
  const found: string[] = []
  for (const [table, column, parent] of CHILDREN) {
    const row = yield* first<{ count: number }>(
      `SELECT count(*) AS count FROM ${table} t WHERE t.${column} IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM ${parent} p WHERE p.id = t.${column})`,
    )
    if (row!.count > 0) found.push(`${row!.count} of ${table} without their ${parent}`)
  }
  return {
    what: 'rows without what they belong to',
    isWell: found.length === 0,
    says: found.length === 0 ? 'none' : `${found.join(', ')}. ${DAMAGED}`,
  }
}

async function checkSessions(driver: Driver, { onProgress }: CheckUpRequest): Promise<CheckResult> {
  const count = await driver.read(countSessions)
  const problems: string[] = []
  let looked = 0
  for (let after = 0; ; ) {
    const sessions = await driver.read(() => readSessionsAfter(after))
    for (const { id, namespace, name } of sessions) {
      const found = await driver.read(() => checkOne(id))
      problems.push(...found.map(problem => `${namespace} ${name}: ${problem}`))
      looked += 1
      onProgress?.(looked, Math.max(count, looked))
    }
    if (sessions.length < SESSIONS_AT_A_TIME) return deepResult(problems, looked)
    after = sessions.at(-1)!.id
  }
}

/** Checks documents with packed versions. */
async function checkDocuments(driver: Driver): Promise<CheckResult> {
  const problems: string[] = []
  let looked = 0
  for (let after = 0; ; ) {
    const documents = await driver.read(() =>
      all<{ id: number }>(
        'SELECT DISTINCT document_id AS id FROM packs WHERE document_id > ?1 ORDER BY document_id LIMIT ?2',
        after,
        SESSIONS_AT_A_TIME,
      ),
    )
    for (const { id } of documents) {
      const found = await driver.read(() => checkPackedDocument(id))
      problems.push(...found.map(problem => `document ${id}: ${problem}`))
      looked += 1
    }
    if (documents.length < SESSIONS_AT_A_TIME) break
    after = documents.at(-1)!.id
  }
  return {
    what: 'the packed past of documents',
    isWell: problems.length === 0,
    says:
      problems.length === 0
        ? `${looked} looked at`
        : `${problems.slice(0, MAX_SHOWN).join(', ')}. ${DAMAGED}`,
  }
}

function* countSessions(): Steps<number> {
  return (yield* first<{ count: number }>('SELECT count(*) AS count FROM sessions WHERE ready = 1'))!.count
}

function* readSessionsAfter(id: number): Steps<readonly Pick<SessionRow, 'id' | 'namespace' | 'name'>[]> {
  return yield* all(
    'SELECT id, namespace, name FROM sessions WHERE id > ?1 AND ready = 1 ORDER BY id LIMIT ?2',
    id,
    SESSIONS_AT_A_TIME,
  )
}

/** The session may have been erased meanwhile. */
function* checkOne(id: number): Steps<readonly string[]> {
  const session = yield* first<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1 AND ready = 1`,
    id,
  )
  return session === undefined ? [] : yield* checkSession(session)
}

function deepResult(problems: readonly string[], count: number): CheckResult {
  const lines = problems.slice(0, MAX_SHOWN).map(problem => `  ${problem}`)
  const more = problems.length - lines.length
  return {
    what: 'sessions, row by row',
    isWell: problems.length === 0,
    says:
      problems.length === 0
        ? `${count} looked at: no message is missing; totals, segments and search index fit`
        : [`${count} looked at.`, ...lines, ...(more > 0 ? [`  and ${more} more`] : []), `  ${DAMAGED}`].join(
            '\n',
          ),
    details: { sessions: count, problems },
  }
}
