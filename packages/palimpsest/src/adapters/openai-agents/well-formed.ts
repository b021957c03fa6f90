import { isRecord } from './item-format.ts'

/** Without half characters, which providers refuse. Most values have none and stay the same object. */
export function wellFormed<Value>(value: Value): Value {
  // This is how JSON writes half characters. If a text itself holds such an escape, the repair changes
  // nothing.
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
