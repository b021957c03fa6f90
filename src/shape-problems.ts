import { suggestion } from './known-options.ts'

/** What zod says of a value that it refuses, as far as it is read here. Nothing here loads zod. */
export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** Names that a strict object does not know. */
  readonly keys?: readonly string[]
}

interface Shape {
  /** As it was before the shape read it. */
  readonly given: unknown
  /** The names that the object at this path knows. */
  readonly namesAt: (path: readonly PropertyKey[]) => readonly string[]
  /** Those names as an error has them. */
  readonly listed?: (names: readonly string[]) => string
}

export interface ShapeProblem {
  /** Its path, with dots; empty: the whole of what was given. */
  readonly field: string
  readonly value: unknown
  readonly allowed: string
  readonly isUnknown?: true
}

/** No error tells more, and each name is compared with all that are known. */
const MAX_PROBLEMS = 50

/**
 * What a shape refused, in the words of our errors: where, what stands there, and what is allowed in its place. The
 * messages of a shape are what is allowed; in place of a name that it does not know it is the nearest one, and all.
 */
export function shapeProblems(
  issues: readonly Issue[],
  { given, namesAt, listed = names => names.join(', ') }: Shape,
): readonly ShapeProblem[] {
  const problem = (path: readonly PropertyKey[], allowed: string): ShapeProblem => ({
    field: path.map(String).join('.'),
    value: valueAt(given, path),
    allowed,
  })
  return issues.slice(0, MAX_PROBLEMS).flatMap(({ path, message, keys }) => {
    if (keys === undefined) return [problem(path, message)]
    const names = namesAt(path)
    return keys.slice(0, MAX_PROBLEMS).map(key => ({
      ...problem([...path, key], suggestion(key, names) + listed(names)),
      isUnknown: true,
    }))
  })
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (value, step) => (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[step],
    given,
  )
}
