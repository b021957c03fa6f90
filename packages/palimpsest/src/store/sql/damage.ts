import { StoreError } from '../../errors.ts'

/**
 * Neither database notices every damage, such as a lost page in the middle of a text, or a number where a
 * text was. What cannot be read for such a reason gets a typed error, like every other error of a store.
 */
export function asDamage(error: unknown, store: string): unknown {
  const isUnreadable = [SyntaxError, TypeError, RangeError].some(kind => error instanceof kind)
  if (!isUnreadable) return error
  return new StoreError(
    'store_corrupt',
    store,
    'what is stored makes no sense, so the database is damaged. Nothing was changed; restore a backup.',
    error,
  )
}
