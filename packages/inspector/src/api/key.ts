import { createValue } from '../state/value.ts'

const STORED_UNDER = 'palimpsest-key'

/** Kept for this tab only. In a new tab the reader has to enter the key again. */
export const apiKey = createValue<string | null>(sessionStorage.getItem(STORED_UNDER))

/** The server refused the key of the page, or its lack: the page asks the reader for one. */
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
