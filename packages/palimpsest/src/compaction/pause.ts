/**
 * Lets all other work run. Awaiting a store is not enough. An embedded store answers at once, and the code
 * after that await runs before any timer, socket or append.
 */
export function pause(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
