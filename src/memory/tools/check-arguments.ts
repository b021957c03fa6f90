import type { ToolDefinition } from './definitions.ts'

/** What a model got wrong, told to it so that it can try again. */
export class ToolArgumentError extends Error {}

export type ToolArguments = Readonly<Record<string, string | number>>

/** Models send numbers as text, `null` for what they leave out, and the whole object as JSON text. */
export function checkArguments({ name, parameters }: ToolDefinition, given: unknown): ToolArguments {
  const input = parsed(given)
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new ToolArgumentError(`${name} takes an object with ${describe(parameters)}.`)
  const entries = Object.entries(input).filter(([, value]) => value !== null && value !== undefined)
  const checked: Record<string, string | number> = {}
  for (const [field, value] of entries) {
    const rule = Object.hasOwn(parameters.properties, field) ? parameters.properties[field] : undefined
    if (!rule)
      throw new ToolArgumentError(`${name} takes no ${JSON.stringify(field)}, but ${describe(parameters)}.`)
    checked[field] = rule['type'] === 'integer' ? checkInteger(field, value, rule) : checkText(field, value)
  }
  const missing = parameters.required.filter(field => !(field in checked))
  if (missing.length > 0) throw new ToolArgumentError(`${name} needs ${missing.join(' and ')}.`)
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

function describe({ properties, required }: ToolDefinition['parameters']): string {
  return Object.keys(properties)
    .map(field => (required.includes(field) ? field : `${field} (if you like)`))
    .join(', ')
}

function checkText(field: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new ToolArgumentError(`${field} has to be text that is not empty.`)
  return value.trim()
}

function checkInteger(field: string, value: unknown, rule: Readonly<Record<string, unknown>>): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = rule as { minimum?: number; maximum?: number }
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < minimum)
    throw new ToolArgumentError(`${field} has to be a whole number of at least ${minimum}.`)
  return Math.min(number, maximum)
}
