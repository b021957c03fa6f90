import {
  type ApiKey,
  type CopyRow,
  canonicalJson,
  type DocumentKey,
  documentSession,
  hashOfRows,
  type LayerName,
  type Store,
} from 'palimpsest/internals/store/index'
import type { CopyTally } from './copy-result.ts'

/** The parts of a namespace that are not sessions. */
interface Work {
  readonly from: Store
  readonly to: Store
  readonly namespace: string
  readonly verifyOnly: boolean
  readonly tally: CopyTally
  /** Throws to end the work. */
  readonly check: () => void
  readonly now: () => number
}

const DOCUMENTS_AT_A_TIME = 100

/**
 * Copies the documents that belong to no session; a session's own documents are copied with it. Sessions are
 * copied first, since what a document learned names them.
 */
export async function copyDocuments(work: Work): Promise<void> {
  let after: { layer: LayerName; key: string } | undefined
  for (;;) {
    const page = await work.from.documents.listDocuments(work.namespace, {
      ...(after && { after }),
      limit: DOCUMENTS_AT_A_TIME,
    })
    for (const { layer, key } of page) {
      work.check()
      after = { layer, key }
      if (documentSession({ layer, key }) === null)
        await copyDocument({ ...after, namespace: work.namespace }, work)
    }
    if (page.length < DOCUMENTS_AT_A_TIME) return
  }
}

async function copyDocument(key: DocumentKey, { from, to, verifyOnly, tally, now }: Work): Promise<void> {
  const [rows, copy] = [await from.copies.readDocumentCopy(key), await to.copies.readDocumentCopy(key)]
  if (rows === null) return
  const differ = (reason: 'missing' | 'different' | 'conflict') =>
    tally.differ({
      kind: 'document',
      namespace: key.namespace,
      name: key.key === '' ? key.layer : `${key.layer} ${key.key}`,
      reason,
    })
  const hash = hashOfRows(rows)
  const hashThere = copy && hashOfRows(copy)
  if (hashThere === hash) return tally.count('documents', 'unchanged')
  if (verifyOnly) return differ(copy ? 'different' : 'missing')
  if (copy && !isEarlier(copy, rows)) return differ('conflict')
  await to.copies.importDocumentCopy(key, { rows, replaces: hashThere, now: now() })
  const written = await to.copies.readDocumentCopy(key)
  if (written === null || hashOfRows(written) !== hash) return differ('different')
  tally.count('documents', copy ? 'updated' : 'copied')
}

/**
 * Whether the copy is an earlier state of the original: the original begins with all versions and all facts
 * of the copy. Only the columns of a fact that never change are compared.
 */
function isEarlier(copy: readonly CopyRow[], original: readonly CopyRow[]): boolean {
  const versionsOf = (rows: readonly CopyRow[]) =>
    rows.filter(({ table }) => table === 'document_versions').map(({ values }) => JSON.stringify(values))
  const factsOf = (rows: readonly CopyRow[]) =>
    rows
      .filter(({ table }) => table === 'facts')
      .map(({ values: { line, from_seq, to_seq, said_at, version } }) =>
        JSON.stringify([line, from_seq, to_seq, said_at, version]),
      )
  return isPrefix(versionsOf(copy), versionsOf(original)) && isPrefix(factsOf(copy), factsOf(original))
}

function isPrefix(some: readonly string[], all: readonly string[]): boolean {
  return some.length <= all.length && some.every((each, index) => each === all[index])
}

export async function copySettings({ from, to, namespace, verifyOnly, tally }: Work): Promise<void> {
  const [original, copy] = [
    await from.settings.readSettings(namespace),
    await to.settings.readSettings(namespace),
  ]
  const missing: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(original)) {
    const differ = (reason: 'missing' | 'different' | 'conflict') =>
      tally.differ({ kind: 'setting', namespace, name, reason })
    if (!Object.hasOwn(copy, name)) {
      if (verifyOnly) differ('missing')
      else {
        missing[name] = value
        tally.count('settings', 'copied')
      }
    } else if (canonicalJson(copy[name]) === canonicalJson(value)) tally.count('settings', 'unchanged')
    else differ(verifyOnly ? 'different' : 'conflict')
  }
  if (Object.keys(missing).length > 0) await to.settings.writeSettings(namespace, missing)
}

export async function copyKeys({ from, to, namespace, verifyOnly, tally }: Work): Promise<void> {
  const there = (await to.keys.listKeys()).filter(key => key.namespace === namespace)
  for (const key of await from.keys.listKeys()) {
    if (key.namespace !== namespace) continue
    const differ = (reason: 'missing' | 'different' | 'conflict') =>
      tally.differ({ kind: 'key', namespace, name: key.name, reason })
    const copy = (await to.keys.readKey(key.id)) ?? there.find(({ name }) => name === key.name)
    if (copy && jsonOf(copy) === jsonOf(key)) tally.count('keys', 'unchanged')
    else if (verifyOnly) differ(copy ? 'different' : 'missing')
    else if (copy) differ('conflict')
    else {
      await to.keys.addKey(key)
      tally.count('keys', 'copied')
    }
  }
}

function jsonOf({ createdAt, ...key }: ApiKey): string {
  return canonicalJson({ ...key, createdAt: createdAt.toISOString() })
}
