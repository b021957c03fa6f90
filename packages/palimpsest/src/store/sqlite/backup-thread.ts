/** Runs `makeBackup` in a thread of its own, so that the event loop of the main thread goes on. */
import { parentPort, workerData } from 'node:worker_threads'
import { type ErrorCode, type ErrorDetails, PalimpsestError } from '../../errors.ts'
import { type BackupContent, type BackupRequest, type BackupStage, makeBackup } from './make-backup.ts'

export type BackupMessage =
  | { readonly kind: 'stage'; readonly stage: BackupStage }
  | { readonly kind: 'made'; readonly content: BackupContent }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly details: ErrorDetails
    }
  /** An error of SQLite loses its codes on the way between threads. */
  | { readonly kind: 'failed'; readonly message: string; readonly errcode: unknown }

const say = (message: BackupMessage): void => parentPort?.postMessage(message)

try {
  const content = await makeBackup(workerData as BackupRequest, stage => say({ kind: 'stage', stage }))
  say({ kind: 'made', content })
} catch (error) {
  if (PalimpsestError.isInstance(error)) {
    const { code, message, details } = error
    say({ kind: 'refused', code, message, details })
  } else {
    const { message, errcode } = error as { message: string; errcode?: unknown }
    say({ kind: 'failed', message, errcode })
  }
}
