/** What the author of a driver or of a store needs: `palimpsest/store`. See docs/drivers.md. */
export { InvalidExportError, parseSessionFile, type SessionFile } from './session-file.ts'
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
export type {
  BeginningStore,
  ContextStore,
  CopyStore,
  DatabaseStore,
  DocumentStore,
  ErasureListStore,
  ErasureStore,
  EventStore,
  ExtractionStore,
  FoldStore,
  InboxStore,
  JobStore,
  KeyStore,
  LeaseStore,
  LogStore,
  MirrorStore,
  PinStore,
  Ports,
  RebuildStore,
  RequestStore,
  ScheduleStore,
  SearchStore,
  SessionKey,
  SessionStore,
  SettingsStore,
  SpendStore,
  Store,
  TransferStore,
  Warn,
} from './store.ts'
