import { isRecord } from './item-format.ts'

/**
 * The log holds JSON, but the SDK also takes bytes. Bytes are written in a form that cannot be confused with
 * text.
 */

const BYTES = '$bytes'
const ESCAPED = '$escaped'

export function packBytes<Value>(value: Value): Value {
  return packed(value) as Value
}

export function unpackBytes<Value>(value: Value): Value {
  return unpacked(value) as Value
}

function packed(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(packed)
  if (!isPlain(value)) return value
  const fields = mapFields(value, packed)
  return BYTES in value || ESCAPED in value ? { [ESCAPED]: fields } : fields
}

function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked)
  if (!isRecord(value)) return value
  const { [BYTES]: bytes, [ESCAPED]: escaped } = value
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'))
  return isRecord(escaped) ? mapFields(escaped, unpacked) : mapFields(value, unpacked)
}

/** The log refuses any other value and names it in the error. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function mapFields(
  value: Readonly<Record<string, unknown>>,
  map: (field: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, map(field)]))
}
