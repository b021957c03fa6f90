/** Deeper than any message. */
const MAX_DEPTH = 100

/**
 * What the log can hold of any value. Tools and models return class instances, cycles, big integers and
 * bytes, and none of them may fail a run. `undefined`: the log can hold nothing of it.
 */
export function plainCopy(value: unknown, parents: readonly unknown[] = []): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? null : copyOfObject(value, parents)
    default:
      return undefined
  }
}

function copyOfObject(value: object, parents: readonly unknown[]): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64')
  if (parents.includes(value)) return '(circular)'
  if (parents.length >= MAX_DEPTH) return '(deeper)'
  const inside = [...parents, value]
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainCopy(value.toJSON(), inside)
  if (Array.isArray(value)) return value.map(item => plainCopy(item, inside) ?? null)
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, field]) => [name, plainCopy(field, inside)] as const)
      .filter(([, field]) => field !== undefined),
  )
}
