import { isRecord } from './item-format.ts'

/** Without half characters, which providers refuse. Most have none, and stay the same object. */
export function wellFormed<Value>(value: Value): Value {
  // As JSON writes them; where a text only says so, nothing comes of it.
  return /\\ud[89a-f]/i.test(JSON.stringify(value) ?? '') ? (repaired(value) as Value) : value
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(repaired)
  if (!isRecord(value) || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.toWellFormed(), repaired(field)]),
  )
}
