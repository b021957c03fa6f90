import type { CopyRow } from '../copying.ts'
import { DOCUMENT_COPIED, DOCUMENT_VERSION_COPIED, FACT_COPIED } from './copy-columns.ts'
import { lineKeyMaker } from './facts.ts'
import { FLOOR } from './first-number.ts'
import { insertRows } from './insert-rows.ts'
import { keyOf } from './keys.ts'
import { findSession } from './session.ts'
import { first, run, type SqlValue, type Steps } from './steps.ts'

/** Documents that come from another store, with their versions and facts. */

interface Owner {
  readonly namespace: string
  /** `null`: the documents belong to no session. */
  readonly session: { readonly id: number; readonly name: string } | null
}

/** Deletes all documents of a session. */
export function* deleteDocuments(sessionId: number): Steps<void> {
  for (const table of ['facts', 'document_versions', 'packs'])
    yield* run(
      `DELETE FROM ${table} WHERE document_id IN (SELECT id FROM documents WHERE session_id = ?1)`,
      sessionId,
    )
  yield* run('DELETE FROM documents WHERE session_id = ?1', sessionId)
}

/**
 * `isShifted`: their versions are higher than the originals', because erasures in this namespace raised the
 * first number.
 */
export function* insertDocuments(
  rows: readonly CopyRow[],
  owner: Owner,
): Steps<{ readonly isShifted: boolean }> {
  const floor = (yield* first<{ floor: number }>(`SELECT ${FLOOR} AS floor`, owner.namespace))!.floor
  let isShifted = false
  for (const [index, { table, values }] of rows.entries()) {
    if (table !== 'documents') continue
    const end = rows.findIndex((row, place) => place > index && !isPartOfDocument(row))
    const parts = rows.slice(index + 1, end === -1 ? rows.length : end)
    const start = Math.max(values['first_version'] as number, floor + 1)
    isShifted ||= start !== values['first_version']
    const id = yield* insertDocument(values, start, owner)
    yield* insertVersions(id, parts, start)
    yield* insertFacts(id, parts, { start, owner })
  }
  return { isShifted }
}

function isPartOfDocument({ table }: CopyRow): boolean {
  return table === 'document_versions' || table === 'facts'
}

type Values = CopyRow['values']

/** A version counts from 1 in the copy, and from `start` here. */
function versionHere(version: SqlValue | undefined, start: number): number | null {
  return typeof version === 'number' ? version + start - 1 : null
}

function* insertDocument(values: Values, start: number, { namespace, session }: Owner): Steps<number> {
  const columns = ['namespace', 'name_key', 'session_id', 'version', 'first_version', ...DOCUMENT_COPIED]
  const row = yield* first<{ id: number }>(
    `INSERT INTO documents (${columns.join(', ')})
     VALUES (${columns.map((_, index) => `?${index + 1}`).join(', ')}) RETURNING id`,
    namespace,
    keyOf(values['name'] as string),
    session?.id ?? null,
    versionHere(values['version'], start),
    start,
    ...DOCUMENT_COPIED.map(column => values[column] ?? null),
  )
  return row!.id
}

function* insertVersions(id: number, parts: readonly CopyRow[], start: number): Steps<void> {
  yield* insertRows(
    'document_versions',
    ['document_id', 'version', 'undoes', ...DOCUMENT_VERSION_COPIED],
    parts
      .filter(({ table }) => table === 'document_versions')
      .map(({ values }) => [
        id,
        versionHere(values['version'], start),
        versionHere(values['undoes'], start),
        ...DOCUMENT_VERSION_COPIED.map(column => values[column] ?? null),
      ]),
  )
}

/** Facts from a session that is not here belong to no session until that session comes. */
const NO_SESSION = 0

function* insertFacts(
  id: number,
  parts: readonly CopyRow[],
  { start, owner }: { readonly start: number; readonly owner: Owner },
): Steps<void> {
  const facts = parts.filter(({ table }) => table === 'facts')
  const sessions = new Map<SqlValue | undefined, number>(
    owner.session ? [[owner.session.name, owner.session.id]] : [],
  )
  for (const { values } of facts) {
    const name = values['session_name']
    if (typeof name !== 'string' || sessions.has(name)) continue
    const session = yield* findSession({ namespace: owner.namespace, id: name })
    sessions.set(name, session?.id ?? NO_SESSION)
  }
  const lineKey = yield* lineKeyMaker()
  yield* insertRows(
    'facts',
    ['document_id', 'session_id', 'version', 'superseded_by', 'line_key', ...FACT_COPIED],
    facts.map(({ values }) => [
      id,
      sessions.get(values['session_name']) ?? NO_SESSION,
      versionHere(values['version'], start),
      versionHere(values['superseded_by'], start),
      lineKey(JSON.parse(values['line'] as string) as string),
      ...FACT_COPIED.map(column => values[column] ?? null),
    ]),
  )
}
