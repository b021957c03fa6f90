import type { LayerName, MirrorState } from '../document.ts'
import { inWriteOrder } from './document-locks.ts'
import { keyOf } from './keys.ts'
import { all, first, run, type Steps } from './steps.ts'

interface MirrorRow {
  readonly layer: LayerName
  readonly name: string
  readonly version: number
  readonly content: string
  readonly mirrored_version: number
  readonly mirrored_hash: string | null
}

const COLUMNS = 'layer, name, version, content, mirrored_version, mirrored_hash'

function toState(row: MirrorRow): MirrorState {
  return {
    layer: row.layer,
    key: row.name,
    version: row.version,
    content: JSON.parse(row.content) as string,
    mirroredVersion: row.mirrored_version,
    mirroredHash: row.mirrored_hash,
  }
}

export function* listUnmirrored(
  namespace: string,
  { limit }: { limit: number },
): Steps<readonly MirrorState[]> {
  const rows = yield* all<MirrorRow>(
    `SELECT ${COLUMNS} FROM documents WHERE namespace = ?1 AND mirrored_version <> version LIMIT ?2`,
    namespace,
    limit,
  )
  return rows.map(toState)
}

export function* readMirrorStates(
  namespace: string,
  documents: readonly { layer: LayerName; key: string }[],
): Steps<readonly (MirrorState | null)[]> {
  const states: (MirrorState | null)[] = []
  for (const { layer, key } of documents) {
    const row = yield* first<MirrorRow>(
      `SELECT ${COLUMNS} FROM documents WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3`,
      namespace,
      layer,
      keyOf(key),
    )
    states.push(row ? toState(row) : null)
  }
  return states
}

export function* readDay(namespace: string, day: string): Steps<readonly MirrorState[]> {
  const rows = yield* all<MirrorRow>(
    `SELECT ${COLUMNS} FROM documents WHERE namespace = ?1 AND day = ?2 ORDER BY name_key`,
    namespace,
    day,
  )
  return rows.map(toState)
}

export function* noteMirrored(
  namespace: string,
  states: readonly { layer: LayerName; key: string; version: number; hash: string }[],
): Steps<void> {
  const inOrder = inWriteOrder(states, ({ layer, key }) => ({ namespace, layer, key }))
  for (const { layer, key, version, hash } of inOrder)
    yield* run(
      `UPDATE documents SET mirrored_version = ?4, mirrored_hash = ?5
       WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3`,
      namespace,
      layer,
      keyOf(key),
      version,
      hash,
    )
}

export function* setMirrorFolder(namespace: string, folder: string): Steps<void> {
  if ((yield* readMirrorFolder(namespace)) === folder) return
  yield* run(
    `INSERT INTO mirrors (namespace, folder) VALUES (?1, ?2)
     ON CONFLICT (namespace) DO UPDATE SET folder = excluded.folder`,
    namespace,
    folder,
  )
  yield* run(
    'UPDATE documents SET mirrored_version = 0, mirrored_hash = NULL WHERE namespace = ?1',
    namespace,
  )
}

export function* readMirrorFolder(namespace: string): Steps<string | null> {
  const row = yield* first<{ folder: string }>('SELECT folder FROM mirrors WHERE namespace = ?1', namespace)
  return row?.folder ?? null
}
