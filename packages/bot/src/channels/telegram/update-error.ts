import { PalimpsestError } from 'palimpsest/internals/errors'

/**
 * Tells what happened to an update of Telegram, and the code or the name of the reason. Errors may repeat
 * what was said, so all other details are only in the `cause`.
 */
export class UpdateError extends Error {
  override readonly name = 'UpdateError'
  constructor(what: string, cause: unknown) {
    super(`${what}: ${kindOf(cause)}`, { cause })
  }
}

function kindOf(error: unknown): string {
  if (PalimpsestError.isInstance(error)) return error.code
  return error instanceof Error ? error.name : typeof error
}
