import type { DocumentVersion } from '../../api/types.ts'

/**
 * The versions that a later version undid, unless that later version was undone itself. Newest first, as the
 * server lists them.
 */
export function undoneVersions(
  versions: readonly Pick<DocumentVersion, 'version' | 'undoes'>[],
): ReadonlySet<number> {
  const undone = new Set<number>()
  for (const { version, undoes } of versions.toSorted((one, other) => other.version - one.version))
    if (undoes !== null && !undone.has(version)) undone.add(undoes)
  return undone
}
