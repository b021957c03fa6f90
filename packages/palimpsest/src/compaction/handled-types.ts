import { BUILT_IN_TYPES } from '../policy/index.ts'

/** The decision types that have a handler: `lite`, `deep` and those of the caller's handlers. */
export function handledTypes(handlers: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set([...BUILT_IN_TYPES, ...Object.keys(handlers)])]
}
