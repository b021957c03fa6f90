export * from './api-key.ts'
export { canonicalJson } from './canonical-json.ts'
export * from './check-up.ts'
export * from './copying.ts'
export * from './document.ts'
export * from './erasure.ts'
export * from './inbox.ts'
export type { SchemaVersions } from './migrations.ts'
export { type Operation, operationOf } from './operation.ts'
export * from './repeatable-request.ts'
export * from './search.ts'
export { type SeenDocument, type SeenSession, seenOf } from './seen.ts'
export { InvalidExportError, parseSessionFile, type SessionFile } from './session-file.ts'
export * from './session-traits.ts'
export * from './spending.ts'
export { asDamage } from './sql/damage.ts'
export type {
  Condition,
  Dialect,
  Driver,
  EventOrder,
  JoinQuestions,
  LockName,
  LockSpace,
} from './sql/driver.ts'
export type { EventPlace } from './sql/event-age.ts'
export { ONE_WRITER } from './sql/one-writer.ts'
export { type SqlStoreOptions, sqlStore } from './sql/sql-store-of.ts'
export {
  type Query as SqlQuery,
  type Row as SqlRow,
  runAsync,
  runSync,
  type SqlValue,
  type Steps as SqlSteps,
} from './sql/steps.ts'
export { asUndone } from './sql/undone.ts'
export * from './store.ts'
