import { InvalidArgumentError } from '../errors.ts'
import { canonicalJson } from './canonical-json.ts'

/** A change that may be asked for more than once, and is made once. */
export interface Operation {
  readonly id: string
  /** The same for the same change, and for no other. */
  readonly fingerprint: string
}

/**
 * The id is in the fingerprint, and only a digest of it is stored: whoever has the database cannot find out by trying
 * what a change said that was erased since.
 */
export function operationOf(id: string, change: unknown): Operation {
  // Loaded only where it is needed: most programs never do.
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
