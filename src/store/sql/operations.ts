/** What a store does once it is open; loaded together, and not before. */
export * as apiKeys from './api-keys.ts'
export { AppendQueues } from './append-queue.ts'
export { exportSession, importSession } from './archive.ts'
export { assignTraits } from './assign-traits.ts'
export { readContext } from './context.ts'
export * as documents from './documents.ts'
export { listDue, nextDueAt } from './due.ts'
export { edit } from './edit.ts'
export { listOpenErasures, readErasure, readErasureListIds } from './erasure-records.ts'
export { noteConsumer } from './event-consumers.ts'
export { readEvents, readFirstPosition, readLastPosition } from './events.ts'
export * as extraction from './extraction.ts'
export * as fold from './fold.ts'
export { readFolds } from './fold-history.ts'
export { forkSession } from './fork.ts'
export { readGrowth } from './growth.ts'
export { readIdentity } from './identity.ts'
export * as indexing from './indexing.ts'
export { judgeAgain, judgeNow } from './judge.ts'
export { KeptColumns } from './kept-columns.ts'
export { keyOf } from './keys.ts'
export { freezeLayers, readLayerTexts } from './layers.ts'
export { dropLease, takeLease } from './leases.ts'
export { findSessions, listRecentSessions, listSessions } from './list-sessions.ts'
export { readMessages, readPlan, readSegment, readSegments, readVersions } from './messages.ts'
export * as mirror from './mirror.ts'
export { pin, readPins, unpin } from './pins.ts'
export * as queuedFolds from './queued-folds.ts'
export * as requests from './requests.ts'
export { readRevision } from './revision.ts'
export { rollback } from './rollback.ts'
export * as search from './search.ts'
export { checkSeen, readSeen } from './seen.ts'
export {
  findSession,
  lockExistingSession,
  lockSession,
  readOwnSettings,
  recordCalibrations,
  recordOverhead,
  updateSettings,
} from './session.ts'
export { readRecord } from './session-record.ts'
export { readSettings, writeSettings } from './settings.ts'
export * as spending from './spending.ts'
export { trimEvents } from './trim-events.ts'
export * as waiting from './waiting.ts'
export { commitRebuilt, endCorrections, failRebuild, listWithheld, readOutdated } from './withheld.ts'
