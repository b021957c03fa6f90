import type { Migration } from './migrations.ts'

/** The names of all tables, indexes and triggers that a database must have after these migrations. */
export function schemaObjects(migrations: readonly Migration[]): ReadonlySet<string> {
  const names = new Set<string>()
  const changes =
    /^\s*(CREATE|DROP)\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|TRIGGER)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(\w+)/gim
  for (const { sql } of migrations)
    for (const [, verb, name] of sql.matchAll(changes))
      if (verb!.toUpperCase() === 'CREATE') names.add(name!)
      else names.delete(name!)
  return names
}

export function missingObjects(migrations: readonly Migration[], there: Iterable<string>): readonly string[] {
  const found = new Set(there)
  return [...schemaObjects(migrations)].filter(name => !found.has(name)).sort()
}
