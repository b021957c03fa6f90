/**
 * Everything else gets its turn. Awaiting a store is not enough: an embedded one answers at once, and what
 * is awaited then goes on before any timer, socket or append.
 */
export function pause(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
