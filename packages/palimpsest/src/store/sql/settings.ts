import { SettingsConflictError } from '../../errors.ts'
import { canonicalJson } from '../canonical-json.ts'
import { noteRevision } from './revision.ts'
import { all, run, type Steps } from './steps.ts'

/** The settings of a namespace, which have a row each. */
export function* readSettings(namespace: string): Steps<Readonly<Record<string, unknown>>> {
  const rows = yield* all<{ name: string; value: string }>(
    'SELECT name, value FROM settings WHERE namespace = ?1 ORDER BY name',
    namespace,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]))
}

export function* writeSettings(
  namespace: string,
  changes: Readonly<Record<string, unknown>>,
  { expected }: { readonly expected?: Readonly<Record<string, unknown>> } = {},
): Steps<void> {
  // This comes first. Other writers wait here, so what is read below stays as it is.
  yield* noteRevision()
  if (expected && canonicalJson(yield* readSettings(namespace)) !== canonicalJson(expected))
    throw new SettingsConflictError()
  // The same order everywhere, so that two writers cannot wait for each other in a circle.
  for (const name of Object.keys(changes).sort()) {
    const value = changes[name]
    if (value === undefined) continue
    if (value === null) yield* run('DELETE FROM settings WHERE namespace = ?1 AND name = ?2', namespace, name)
    else
      yield* run(
        `INSERT INTO settings (namespace, name, value) VALUES (?1, ?2, ?3)
         ON CONFLICT (namespace, name) DO UPDATE SET value = excluded.value`,
        namespace,
        name,
        JSON.stringify(value),
      )
  }
}
