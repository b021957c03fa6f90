/** Runs `rewriteDatabase` in a thread of its own, so that the event loop of the main thread goes on. */
import { parentPort, workerData } from 'node:worker_threads'
import { type RewriteOutcome, type RewriteRequest, rewriteDatabase } from './rewrite-database.ts'

export type ScrubMessage =
  | { readonly kind: 'begun'; readonly bytes: number }
  | RewriteOutcome
  /** An error of SQLite loses its codes on the way between threads. */
  | { readonly kind: 'failed'; readonly message: string; readonly errcode: unknown }

const say = (message: ScrubMessage): void => parentPort?.postMessage(message)

try {
  say(rewriteDatabase(workerData as RewriteRequest, ({ bytes }) => say({ kind: 'begun', bytes })))
} catch (error) {
  const { message, errcode } = error as { message: string; errcode?: unknown }
  say({ kind: 'failed', message, errcode })
}
