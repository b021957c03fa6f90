import { EpochConflictError } from '../../errors.ts'
import { type Language, languageOfTag } from '../../language/index.ts'
import {
  dailyKey,
  type FrozenLayers,
  isCondensedLine,
  type LayerName,
  type LayerText,
  type LayerVersion,
  parseDailyKey,
  personAlone,
} from '../document.ts'
import { contentAt, type DocumentRow, findDocument } from './documents.ts'
import { lineKeysIn, OF_DOCUMENT, REPLACED_BY, readFactsIn } from './facts.ts'
import { keyOf } from './keys.ts'
import { allIn } from './many.ts'
import { noteRewrite } from './rewrites.ts'
import { type SessionRow, traitsOf } from './rows.ts'
import { ask, askAll, run, type Steps } from './steps.ts'

/**
 * The documents that a session may see. This is decided only here, from what is stored of the session. A
 * person's memory is seen only in private sessions of that person, and a chat's own memory only in that chat.
 * For a scope of one person, the document itself names its owner: `ownerIn` has to be that person.
 */
function visibleTo(session: SessionRow, days: readonly string[]): { layer: LayerName; key: string }[] {
  return [
    { layer: 'persona', key: '' },
    { layer: 'global', key: '' },
    ...(session.kind === 'private' && session.user_id !== null
      ? [{ layer: 'user' as const, key: session.user_id }]
      : []),
    ...(session.scope_id !== null ? [{ layer: 'scope' as const, key: session.scope_id }] : []),
    { layer: 'chat', key: session.name },
    ...days.map(day => ({ layer: 'daily' as const, key: dailyKey(day, session.name) })),
  ]
}

/** The person whose personal scopes the session may see. */
function ownerIn(session: SessionRow): string | null {
  return personAlone(traitsOf(session))
}

/**
 * The daily log is shown for two days. The days are checked, because a text that is no day could, together
 * with the session's id, name another session's document.
 */
const MAX_DAYS = 2

function daysShown({ name }: SessionRow, days: readonly string[]): readonly string[] {
  const isDay = (day: string) => parseDailyKey(dailyKey(day, name))?.day === day
  return [...new Set(days.filter(isDay))].slice(-MAX_DAYS)
}

/** The frozen days, and of the asked days the later ones. What is written on the later ones is news. */
function daysRead(session: SessionRow, asked: readonly string[]): readonly string[] {
  const frozen = frozenLayers(session)?.days ?? null
  if (frozen === null) return daysShown(session, asked)
  const last = frozen.at(-1) ?? ''
  return [...frozen, ...daysShown(session, asked).filter(day => day > last)]
}

/** One statement for any number of documents. An unused place is `NULL`, which matches nothing. */
const MAX_VISIBLE = 5 + 2 * MAX_DAYS
const WANTED = Array.from({ length: MAX_VISIBLE }, (_, place) => `(?${2 * place + 2}, ?${2 * place + 3})`)
const FIND_VERSIONS = `WITH wanted (layer, name_key) AS (VALUES ${WANTED.join(', ')})
  SELECT d.layer, d.name, d.version, d.first_version FROM wanted w
  JOIN documents d ON d.namespace = ?1 AND d.layer = w.layer AND d.name_key = w.name_key
  WHERE d.owner_id IS NULL OR d.owner_id = ?${2 * MAX_VISIBLE + 2}`

interface VersionRow {
  readonly layer: LayerName
  readonly name: string
  readonly version: number
  readonly first_version: number
}

/** The query, and a function from its rows to the versions. */
export function layersOf(session: SessionRow, asked: readonly string[]) {
  return versionsOf(session, daysRead(session, asked))
}

function versionsOf(session: SessionRow, days: readonly string[]) {
  const visible = visibleTo(session, days)
  const parameters: (string | null)[] = []
  for (let place = 0; place < MAX_VISIBLE; place++) {
    const document = visible[place]
    parameters.push(document?.layer ?? null, document ? keyOf(document.key) : null)
  }
  return {
    question: ask<VersionRow>(FIND_VERSIONS, session.namespace, ...parameters, ownerIn(session)),
    /** In the order in which a context shows them, so that the same versions always look the same. */
    versions: (rows: readonly VersionRow[]): readonly LayerVersion[] =>
      visible.flatMap(({ layer, key }) => {
        const row = rows.find(each => each.layer === layer && each.name === key)
        if (!row) return []
        const since = row.first_version
        return [{ layer, key, version: row.version, ...(since > 1 && { since }) }]
      }),
  }
}

/** `null`: no layers are frozen for the present epoch. */
export function frozenLayers(session: SessionRow): FrozenLayers | null {
  if (session.layers === null || session.layers_epoch !== session.epoch) return null
  return readLayers(session.layers)
}

/** A newer program may have stored a language that this one does not know. */
function readLayers(stored: string): FrozenLayers {
  const layers = JSON.parse(stored) as FrozenLayers & { readonly language: string }
  return { ...layers, language: languageOfTag(layers.language) }
}

/** The language of the newest epoch that has one. */
export function sessionLanguage({ layers }: Pick<SessionRow, 'layers'>): Language | null {
  if (layers === null) return null
  const { language, isLanguageOpen } = readLayers(layers)
  return isLanguageOpen ? null : language
}

/** For a copy, whose documents have other versions: the language alone, for no epoch. */
export function languageAlone(language: Language | null): string | null {
  if (language === null) return null
  return JSON.stringify({ days: [], language, versions: [] } satisfies FrozenLayers)
}

export interface FreezeRequest {
  readonly expectedEpoch: number
  readonly days: readonly string[]
  readonly language: FrozenLayers['language']
  readonly isLanguageOpen?: boolean
  readonly refresh: boolean
}

export function* freezeLayers(
  session: SessionRow,
  { expectedEpoch, days, language, isLanguageOpen = false, refresh }: FreezeRequest,
): Steps<{ epoch: number; layers: FrozenLayers }> {
  if (session.epoch !== expectedEpoch)
    throw new EpochConflictError({
      sessionId: session.name,
      expected: expectedEpoch,
      actual: session.epoch,
    })
  const frozen = frozenLayers(session)
  if (frozen !== null && !refresh) return { epoch: session.epoch, layers: frozen }
  const shown = daysShown(session, days)
  const { question, versions } = versionsOf(session, shown)
  const [rows] = yield* askAll([question])
  const layers: FrozenLayers = {
    days: shown,
    language,
    ...(isLanguageOpen && { isLanguageOpen }),
    versions: versions(rows),
  }
  const epoch = refresh ? session.epoch + 1 : session.epoch
  if (refresh) yield* noteRewrite(session, Number.MAX_SAFE_INTEGER)
  yield* run(
    'UPDATE sessions SET layers = ?2, layers_epoch = ?3, epoch = ?3 WHERE id = ?1',
    session.id,
    JSON.stringify(layers),
    epoch,
  )
  if (refresh) yield* run('UPDATE sessions SET epoch_calibrations = calibrations WHERE id = ?1', session.id)
  return { epoch, layers }
}

export function* readLayerTexts(
  session: SessionRow,
  wanted: readonly LayerVersion[],
): Steps<readonly LayerText[]> {
  const texts: LayerText[] = []
  for (const { layer, key, version } of wanted) {
    const row = yield* findVisible(session, { layer, key })
    const owner = row?.owner_id ?? null
    const content = row ? yield* contentAt(row, version) : null
    if (content !== null)
      texts.push({
        layer,
        key,
        version,
        content,
        ...(owner !== null && { owner }),
        folded: yield* foldedLines(session, row!.id, { version, content }),
      })
  }
  return texts
}

/** `undefined` if there is no such document, or if this session may not see it. */
function* findVisible(
  session: SessionRow,
  { layer, key }: Pick<LayerVersion, 'layer' | 'key'>,
): Steps<DocumentRow | undefined> {
  const daily = layer === 'daily' ? parseDailyKey(key) : null
  const isVisible = visibleTo(session, daily ? [daily.day] : []).some(
    document => document.layer === layer && document.key === key,
  )
  const row = isVisible ? yield* findDocument({ namespace: session.namespace, layer, key }) : undefined
  const owner = row?.owner_id ?? null
  return owner === null || owner === ownerIn(session) ? row : undefined
}

/**
 * Condensed lines are condensed again. A document with more condensings has been condensed every few days for
 * years.
 */
const MAX_CONDENSINGS = 64

interface CondensedFact {
  readonly id: number
  readonly line: string
  readonly version: number
}

const CONDENSED_BY = `SELECT id, line, version FROM facts WHERE ${REPLACED_BY} AND gone = 0`

/**
 * The lines that the condensed lines of a document stand for, the newest first. A condensed line that a
 * person removed or changed no longer stands for anything. Withdrawn facts are left out, too.
 */
export function* readCondensedLines(
  session: SessionRow,
  { layer, key, limit }: Pick<LayerVersion, 'layer' | 'key'> & { readonly limit: number },
): Steps<readonly string[]> {
  const row = yield* findVisible(session, { layer, key })
  if (!row) return []
  const standing = yield* readFactsIn(row.id, JSON.parse(row.content) as string)
  const lines = new Set<string>()
  const looked = new Set<number>()
  let versions = condensingVersions(standing)
  while (versions.length > 0 && lines.size < limit && looked.size < MAX_CONDENSINGS) {
    for (const version of versions) looked.add(version)
    // One question for each version. For several versions at once SQLite would read all facts of the
    // document.
    const condensed = yield* askAll(
      versions.map(version => ask<CondensedFact>(CONDENSED_BY, row.id, version)),
    )
    const facts = condensed
      .flat()
      .toSorted((one, other) => other.id - one.id)
      .map(fact => ({ ...fact, line: JSON.parse(fact.line) as string }))
    for (const { line } of facts) if (!isCondensedLine(line)) lines.add(line)
    versions = condensingVersions(facts).filter(version => !looked.has(version))
  }
  return [...lines].slice(0, limit)
}

function condensingVersions(
  facts: readonly { readonly line: string; readonly version: number }[],
): readonly number[] {
  return [
    ...new Set(facts.filter(({ line }) => isCondensedLine(line)).map(({ version }) => version)),
  ].toSorted((one, other) => other - one)
}

/**
 * Only lines that this session's own folds left in that version: a segment of the session may tell of them,
 * too.
 */
function* foldedLines(
  session: SessionRow,
  documentId: number,
  { version, content }: Pick<LayerText, 'version' | 'content'>,
): Steps<LayerText['folded']> {
  const rows = yield* allIn<{ id: number; line: string; from_seq: number; to_seq: number }>(
    `SELECT f.id, f.line, f.from_seq, f.to_seq FROM facts f WHERE ${OF_DOCUMENT} AND f.session_id + 0 = ?2 AND f.source = 'fold'
       AND f.gone = 0 AND (f.superseded_at IS NULL OR f.superseded_by > ?3) AND f.line_key IN (*)`,
    [documentId, session.id, version],
    lineKeysIn(content),
  )
  return rows
    .toSorted((one, other) => one.id - other.id)
    .map(({ line, from_seq, to_seq }) => ({
      line: JSON.parse(line) as string,
      fromSeq: from_seq,
      toSeq: to_seq,
    }))
}
