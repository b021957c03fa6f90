import { type DocumentVersion, dailyKey, type Fact, parseDailyKey, type Source } from '../document.ts'
import type { FileDocument } from '../session-file.ts'
import { DOCUMENT_COLUMNS, type DocumentRow, insertVersion, versionsOf } from './documents.ts'
import {
  condemnedLines,
  insertFacts,
  readFacts,
  readFactsIn,
  type StoredFact,
  withoutLines,
} from './facts.ts'
import { FLOOR } from './first-number.ts'
import { keyOf } from './keys.ts'
import type { SessionRow } from './rows.ts'
import { all, first, type Steps } from './steps.ts'
import { deltaBack } from './text-delta.ts'

/** A session's own documents, its chat memory and daily log. For forks, exports and imports. */

function* documentsOf(session: SessionRow): Steps<readonly DocumentRow[]> {
  return yield* all<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE session_id = ?1 ORDER BY layer, name_key`,
    session.id,
  )
}

function dayOf({ layer, name }: DocumentRow): string | null {
  return layer === 'daily' ? (parseDailyKey(name)?.day ?? null) : null
}

export function* exportDocuments(session: SessionRow): Steps<readonly FileDocument[]> {
  const files: FileDocument[] = []
  for (const row of yield* documentsOf(session)) {
    const versions = yield* versionsOf(row, { limit: row.version })
    const facts = yield* readFacts(row.id, 'withdrawn too')
    files.push({
      day: dayOf(row),
      tokens: row.tokens,
      versions: versions.map(version => toFileVersion(session, row, version)).reverse(),
      facts: facts
        .filter(({ origin }) => isOf(session, origin))
        .map(fact => ({ ...toFileFact(fact), version: Math.max(1, inFile(row, fact.version)) })),
    })
  }
  return files
}

/** In a file, versions are numbered from 1, even if an erasure removed earlier ones. */
function inFile({ first_version }: DocumentRow, version: number): number {
  return version - first_version + 1
}

/** Messages of other sessions are not in the file, so nothing in it can name them. */
function isOf({ name }: SessionRow, { sessionId }: Source): boolean {
  return sessionId === name
}

function toFileVersion(
  session: SessionRow,
  row: DocumentRow,
  { sources, at, author, content, undoes }: DocumentVersion,
) {
  const undone = undoes === null ? 0 : inFile(row, undoes)
  return {
    content,
    author,
    sources: sources
      .filter(source => isOf(session, source))
      .map(({ fromSeq, toSeq }) => ({ fromSeq, toSeq })),
    at: at.toISOString(),
    undoes: undone > 0 ? undone : null,
  }
}

function toFileFact({ origin: { fromSeq, toSeq }, saidAt, supersededAt, ...fact }: StoredFact) {
  return {
    ...fact,
    fromSeq,
    toSeq,
    saidAt: saidAt.toISOString(),
    supersededAt: supersededAt?.toISOString() ?? null,
  }
}

export function* importDocuments(
  session: { readonly id: number; readonly namespace: string },
  sessionId: string,
  documents: readonly FileDocument[],
): Steps<void> {
  for (const { day, tokens, versions, facts } of documents) {
    const { id, before } = yield* insertDocument(session, { sessionId, day, tokens, versions })
    const rows = facts.map(({ saidAt, supersededAt, withdrawn, ...fact }, place) => ({
      ...fact,
      id: place + 1,
      sessionId: session.id,
      saidAt: Date.parse(saidAt),
      version: before + fact.version,
      supersededAt: supersededAt === null ? null : Date.parse(supersededAt),
      isWithdrawn: withdrawn === true,
    }))
    yield* insertFacts(id, rows)
  }
}

function* insertDocument(
  session: { readonly id: number; readonly namespace: string },
  { sessionId, day, tokens, versions }: Omit<FileDocument, 'facts'> & { sessionId: string },
): Steps<{ id: number; before: number }> {
  const name = day === null ? sessionId : dailyKey(day, sessionId)
  const newest = versions.at(-1)!
  const row = yield* first<{ id: number; first_version: number }>(
    `INSERT INTO documents (namespace, layer, name_key, name, session_id, day, version, first_version,
       content, tokens, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ${FLOOR} + CAST(?7 AS BIGINT), ${FLOOR} + 1, ?8, ?9, ?10, ?11)
     RETURNING id, first_version`,
    session.namespace,
    day === null ? 'chat' : 'daily',
    keyOf(name),
    name,
    session.id,
    day,
    versions.length,
    JSON.stringify(newest.content),
    tokens,
    Date.parse(versions[0]!.at),
    Date.parse(newest.at),
  )
  const before = row!.first_version - 1
  const withSession = (source: Omit<Source, 'sessionId'>) => ({ sessionId, ...source })
  for (const [index, { content, author, sources, at, undoes }] of versions.entries())
    yield* insertVersion(row!.id, {
      version: before + index + 1,
      at: Date.parse(at),
      author,
      sources: sources.map(withSession),
      undoes: undoes === null ? null : before + undoes,
      back: deltaBack(versions[index - 1]?.content ?? '', content),
      content,
    })
  return { id: row!.id, before }
}

/** The daily log is shown for two days. */
const DAYS_COPIED = 2

/**
 * Returns what a fork takes along. Lines learned above its last message, or from folds that it lacks, are
 * left out.
 */
export function* forkDocuments(
  origin: SessionRow,
  fork: { readonly throughSeq: number; readonly foldedThrough: number; readonly now: number },
): Steps<readonly FileDocument[]> {
  const copies: FileDocument[] = []
  const rows = yield* documentsOf(origin)
  const daily = rows.filter(row => row.layer === 'daily').slice(-DAYS_COPIED)
  for (const row of [...rows.filter(({ layer }) => layer === 'chat'), ...daily]) {
    const whole = JSON.parse(row.content) as string
    // A fact whose line is not in the text is in no version of the fork: its versions begin with this one.
    const facts = yield* readFactsIn(row.id, whole)
    const isLost = ({ origin: { sessionId, toSeq }, from }: Fact) =>
      sessionId === origin.name &&
      (toSeq > fork.throughSeq || (from === 'fold' && toSeq > fork.foldedThrough))
    const kept = facts.filter(fact => !isLost(fact))
    // A fact that no longer held does not keep a line that was said again.
    const said = new Set(kept.filter(({ supersededAt }) => supersededAt === null).map(({ line }) => line))
    const gone = facts.filter(fact => isLost(fact) && !said.has(fact.line))
    const content = withoutLines(whole, [...gone.map(({ line }) => line), ...(yield* condemnedLines(row.id))])
    if (content.trim() === '') continue
    copies.push({
      day: dayOf(row),
      tokens: Math.ceil((row.tokens * content.length) / Math.max(1, whole.length)),
      versions: [
        {
          content,
          author: { kind: 'person', name: 'fork' },
          sources: [],
          at: new Date(fork.now).toISOString(),
          undoes: null,
        },
      ],
      facts: kept
        .filter(fact => isOf(origin, fact.origin))
        .map(fact => ({ ...toFileFact(fact), version: 1 })),
    })
  }
  return copies
}
