import { InvalidArgumentError } from '../errors.ts'
import { canonicalJson } from './canonical-json.ts'

/** A change that a caller may ask for several times, and that is made once. */
export interface Operation {
  readonly id: string
  /** Equal for the same change, and different for any other. */
  readonly fingerprint: string
}

/**
 * The fingerprint includes the id, and only a digest is stored. So a reader of the database cannot guess by
 * trial what an erased change said.
 */
export function operationOf(id: string, change: unknown): Operation {
  // Loaded only when it is needed: most programs never need it.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const fingerprint = createHash('sha256')
    .update(jsonOf([id, change]))
    .digest('hex')
  return { id, fingerprint }
}

function jsonOf(change: unknown): string {
  try {
    return canonicalJson(change)
  } catch {
    throw new InvalidArgumentError('operation', String(change), 'what JSON can hold')
  }
}
