import { InvalidArgumentError } from '../errors.ts'
import type { Store } from './store.ts'
import { withoutPassword } from './without-password.ts'

const ALLOWED = "sqlite('./palimpsest.db'), postgres('postgres://…') or sqlStore(driver)"

/** Finds at run time what types find at compile time, for callers without types. */
export function checkStore(value: unknown): asserts value is Store {
  const { log, open, close } = (value ?? {}) as Partial<Store>
  if (typeof open === 'function' && typeof close === 'function' && typeof log?.append === 'function') return
  throw new InvalidArgumentError('store', shown(value), ALLOWED)
}

/** An address and a pool of connections hold passwords, so only the names of an object's properties are told. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return withoutPassword(value)
  if (typeof value !== 'object' || value === null) return value
  return `an object with ${Object.keys(value).join(', ') || 'nothing in it'}`
}
