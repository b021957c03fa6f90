import type { z } from '@hono/zod-openapi'
import { findSetting } from '../config/index.ts'
import { describe, PalimpsestError, refusal } from '../errors.ts'
import { OBJECT_NAMES } from '../older-names.ts'
import { shapeProblems } from '../shape-problems.ts'

/** Nobody reads more, and each is told twice. */
const MAX_PROBLEMS = 20
const MAX_NAME = 200

interface Problem {
  readonly field: string
  readonly value: unknown
  readonly allowed: string
}

/** What is wrong with a request, in the words of `InvalidArgumentError`. */
export function invalidArguments(problems: readonly Problem[]): PalimpsestError {
  const first = problems.slice(0, MAX_PROBLEMS)
  const lines = first.map(({ field, value, allowed }) => refusal(describeName(field), value, allowed))
  const told = first.map(({ field, value, allowed }) => ({
    ...{ field: describeName(field), value: describe(value), allowed },
  }))
  return new PalimpsestError('invalid_argument', lines.join('\n'), { ...told[0], problems: told })
}

/** A name as it is, unless it is longer than any of ours. */
function describeName(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).toWellFormed()}…`
}

/** Checked by a schema whose messages are what is allowed. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  what: 'the body' | 'the query',
): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const problems = shapeProblems(result.error.issues.slice(0, MAX_PROBLEMS), {
    given: input,
    namesAt: () =>
      Object.keys((schema as unknown as z.ZodObject).shape ?? {}).filter(name => !isOlderName(name)),
    listed: names => (names.length === 0 ? `nothing in ${what}` : `the fields ${names.join(', ')}`),
  })
  throw invalidArguments(problems.map(problem => ({ ...problem, field: problem.field || what })))
}

function isOlderName(name: string): boolean {
  return OBJECT_NAMES.includes(name) || (findSetting(name)?.aliases.includes(name) ?? false)
}
