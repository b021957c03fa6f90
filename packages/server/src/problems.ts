import type { z } from '@hono/zod-openapi'
import { findSetting } from 'palimpsest/internals/config/index'
import { describe, PalimpsestError, refusal } from 'palimpsest/internals/errors'
import { suggestion } from 'palimpsest/internals/known-options'
import { OBJECT_NAMES } from 'palimpsest/internals/older-names'

/** More than a reader reads. Each problem is given twice: in the message and in the details. */
const MAX_PROBLEMS = 20
const MAX_NAME = 200

interface Problem {
  readonly field: string
  readonly value: unknown
  readonly allowed: string
}

/** The error for bad arguments, in the words of `InvalidArgumentError`. */
export function invalidArguments(problems: readonly Problem[]): PalimpsestError {
  const first = problems.slice(0, MAX_PROBLEMS)
  const lines = first.map(({ field, value, allowed }) => refusal(describeName(field), value, allowed))
  const told = first.map(({ field, value, allowed }) => ({
    ...{ field: describeName(field), value: describe(value), allowed },
  }))
  return new PalimpsestError('invalid_argument', lines.join('\n'), { ...told[0], problems: told })
}

/** Cuts a name that is longer than any of ours. */
function describeName(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).toWellFormed()}…`
}

/** Checks an input by a schema. The schema's error messages say what is allowed. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  what: 'the body' | 'the query',
): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, MAX_PROBLEMS)
  throw invalidArguments(issues.flatMap(issue => problemsOf(issue, schema, input, what)))
}

function problemsOf(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  input: unknown,
  what: string,
): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const isOlderName = (name: string) =>
      OBJECT_NAMES.includes(name) || findSetting(name)?.aliases.includes(name)
    const names = Object.keys((schema as z.ZodObject).shape ?? {}).filter(name => !isOlderName(name))
    return issue.keys.slice(0, MAX_PROBLEMS).map(field => ({
      field,
      value: valueAt(input, [field]),
      allowed:
        names.length === 0
          ? `nothing in ${what}`
          : `${suggestion(field, names)}the fields ${names.join(', ')}`,
    }))
  }
  const path = issue.path.map(String)
  return [{ field: path.join('.') || what, value: valueAt(input, path), allowed: issue.message }]
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  return path.reduce((value, field) => (value as Record<string, unknown> | undefined)?.[field], input)
}
