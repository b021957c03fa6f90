import { type ErasedHashes, type ErasedLine, type FilesLine, isFilesLine } from '../erasure/erased-line.ts'
import type { Erasable, ErasureListStore, ErasureTarget, Store } from '../store/index.ts'

/** An erasure of the list that a restored database does not have. */
export interface PlannedErasure {
  readonly line: ErasedLine
  /** The targets in the database: none, one, or several if messages were forked. */
  readonly found: readonly Found[]
  /** The namespace of the erasure, if that namespace exists. */
  readonly namespace: string | null
}

interface Found {
  readonly namespace: string
  readonly target: ErasureTarget
}

/** What the list knows, for one database. */
export interface KnownErasures {
  readonly lines: readonly (ErasedLine | FilesLine)[]
  readonly hashes: ErasedHashes
  /** The id of the database. */
  readonly database: string
}

/**
 * Which erasures of the list have to be carried out again. The list has only hashes, so everything with a
 * name in the database is hashed and looked up. Changes nothing.
 */
export async function planErasures(
  store: Store,
  { lines, hashes, database }: KnownErasures,
): Promise<readonly PlannedErasure[]> {
  const known = new Set(await store.erasureList.readErasureListIds())
  const missing = new Map<string, ErasedLine>()
  for (const line of lines)
    if (!isFilesLine(line) && line.database === database && !known.has(line.id)) missing.set(line.id, line)
  if (missing.size === 0) return []
  const names = await findNames(store, { wanted: hashesIn([...missing.values()]), hashes })
  return [...missing.values()].map(line => ({
    line,
    found: foundOf(line, names),
    namespace: names.get(line.namespace)?.namespace ?? null,
  }))
}

function hashesIn(lines: readonly ErasedLine[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap(({ namespace, person, sessions = [] }) => [
      namespace,
      ...(person === undefined ? [] : [person]),
      ...sessions.map(({ session }) => session),
    ]),
  )
}

async function findNames(
  store: Store,
  { wanted, hashes }: { wanted: ReadonlySet<string>; hashes: ErasedHashes },
): Promise<ReadonlyMap<string, Erasable>> {
  const names = new Map<string, Erasable>()
  for await (const each of everythingIn(store)) {
    const hash =
      each.kind === 'namespace' ? hashes.namespace(each.id) : hashes[each.kind](each.namespace, each.id)
    if (wanted.has(hash)) names.set(hash, each)
  }
  return names
}

async function* everythingIn(store: Store): AsyncGenerator<Erasable> {
  for (
    let place: Parameters<ErasureListStore['listErasable']>[0] | null = { part: 0, after: 0 };
    place !== null;
  ) {
    const { found, next }: Awaited<ReturnType<ErasureListStore['listErasable']>> =
      await store.erasureList.listErasable(place)
    yield* found
    place = next
  }
}

function foundOf(line: ErasedLine, names: ReadonlyMap<string, Erasable>): readonly Found[] {
  const { kind, namespace, person, sessions = [] } = line
  const there = (hash: string | undefined, target: (id: string) => ErasureTarget): readonly Found[] => {
    const named = hash === undefined ? undefined : names.get(hash)
    return named ? [{ namespace: named.namespace, target: target(named.id) }] : []
  }
  switch (kind) {
    case 'namespace':
      return there(namespace, () => ({ kind }))
    case 'person':
      return there(person, id => ({ kind, id }))
    case 'session':
      return sessions.flatMap(({ session }) => there(session, sessionId => ({ kind, sessionId })))
    case 'messages':
      return sessions.flatMap(({ session, seqs = [] }) =>
        there(session, sessionId => ({ kind, sessionId, seqs })),
      )
  }
}

/** The erasures that the workspace's files reflect. */
export function filesDoneIn({ lines }: Pick<KnownErasures, 'lines'>): ReadonlySet<string> {
  return new Set(lines.filter(isFilesLine).map(({ id }) => id))
}

/** The namespaces that hold anything. */
export async function namespacesIn(store: Store): Promise<readonly string[]> {
  const { found } = await store.erasureList.listErasable({ part: 0, after: 0 })
  return found.map(({ id }) => id)
}
