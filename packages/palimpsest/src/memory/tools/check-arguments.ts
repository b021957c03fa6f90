import type { Texts } from '../../language/index.ts'
import type { ToolDefinition } from './definitions.ts'

/** A mistake in the model's call. The model is told of it and can try again. */
export class ToolArgumentError extends Error {}

export type ToolArguments = Readonly<Record<string, string | number>>

/** Models send numbers as text, `null` for fields that they leave out, and the whole object as JSON text. */
export function checkArguments(
  { name, parameters }: ToolDefinition,
  given: unknown,
  texts: Texts['tools'],
): ToolArguments {
  const fields = describe(parameters, texts)
  const input = parsed(given)
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new ToolArgumentError(texts.takesObject(name, fields))
  const entries = Object.entries(input).filter(([, value]) => value !== null && value !== undefined)
  const checked: Record<string, string | number> = {}
  for (const [field, value] of entries) {
    const rule = Object.hasOwn(parameters.properties, field) ? parameters.properties[field] : undefined
    if (!rule) throw new ToolArgumentError(texts.takesNo(name, JSON.stringify(field), fields))
    const isInteger = rule['type'] === 'integer'
    checked[field] = isInteger ? checkInteger(field, value, { rule, texts }) : checkText(field, value, texts)
  }
  const missing = parameters.required.filter(field => !(field in checked))
  if (missing.length > 0) throw new ToolArgumentError(texts.needs(name, missing))
  return checked
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {}
  try {
    return JSON.parse(given === '' ? '{}' : given)
  } catch {
    return given
  }
}

function describe(
  { properties, required }: ToolDefinition['parameters'],
  { optional }: Texts['tools'],
): string {
  return Object.keys(properties)
    .map(field => (required.includes(field) ? field : optional(field)))
    .join(', ')
}

function checkText(field: string, value: unknown, { notText }: Texts['tools']): string {
  if (typeof value !== 'string' || value.trim() === '') throw new ToolArgumentError(notText(field))
  return value.trim()
}

function checkInteger(
  field: string,
  value: unknown,
  { rule, texts }: { rule: Readonly<Record<string, unknown>>; texts: Texts['tools'] },
): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = rule as { minimum?: number; maximum?: number }
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < minimum)
    throw new ToolArgumentError(texts.notWhole(field, minimum))
  return Math.min(number, maximum)
}
