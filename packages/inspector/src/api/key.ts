import { createValue } from '../state/value.ts'

const STORED_UNDER = 'palimpsest-key'

/** Kept for this tab only: whoever opens the next one has to know it. */
export const apiKey = createValue<string | null>(sessionStorage.getItem(STORED_UNDER))

/** The server refused what we have: somebody is asked for a key. */
export const isKeyWanted = createValue(false)

export function setKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORED_UNDER)
  else sessionStorage.setItem(STORED_UNDER, key)
  apiKey.set(key)
  isKeyWanted.set(false)
}

export function authorization(): Record<string, string> {
  const key = apiKey.get()
  return key === null ? {} : { authorization: `Bearer ${key}` }
}
