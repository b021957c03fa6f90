import { BUILT_IN_TYPES } from '../policy/index.ts'

/** The types of decisions that somebody carries out: `lite` and `deep`, and the caller's own. */
export function handledTypes(handlers: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set([...BUILT_IN_TYPES, ...Object.keys(handlers)])]
}
