import type { BeginningStore } from './beginning-store.ts'
import type { ContextStore } from './context-store.ts'
import type { CopyStore } from './copy-store.ts'
import type { DatabaseStore } from './database-store.ts'
import type { DocumentStore } from './document-store.ts'
import type { ErasureListStore } from './erasure-list-store.ts'
import type { ErasureStore } from './erasure-store.ts'
import type { EventStore } from './event-store.ts'
import type { ExtractionStore } from './extraction-store.ts'
import type { FoldStore } from './fold-store.ts'
import type { InboxStore } from './inbox-store.ts'
import type { JobStore } from './job-store.ts'
import type { KeyStore } from './key-store.ts'
import type { LeaseStore } from './lease-store.ts'
import type { LogStore } from './log-store.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { PinStore } from './pin-store.ts'
import type { RebuildStore } from './rebuild-store.ts'
import type { RequestStore } from './request-store.ts'
import type { ScheduleStore } from './schedule-store.ts'
import type { SearchStore } from './search-store.ts'
import type { SessionStore } from './session-store.ts'
import type { SettingsStore } from './settings-store.ts'
import type { SpendStore } from './spend-store.ts'
import type { TransferStore } from './transfer-store.ts'

export * from './beginning-store.ts'
export * from './context-store.ts'
export * from './copy-store.ts'
export * from './database-store.ts'
export * from './document-store.ts'
export * from './erasure-list-store.ts'
export * from './erasure-store.ts'
export * from './event-store.ts'
export * from './extraction-store.ts'
export * from './fold-store.ts'
export * from './inbox-store.ts'
export * from './job-store.ts'
export * from './key-store.ts'
export * from './lease-store.ts'
export * from './log-store.ts'
export * from './mirror-store.ts'
export * from './pin-store.ts'
export * from './rebuild-store.ts'
export * from './request-store.ts'
export * from './schedule-store.ts'
export * from './search-store.ts'
export * from './session-key.ts'
export * from './session-store.ts'
export * from './settings-store.ts'
export * from './spend-store.ts'
export * from './transfer-store.ts'

/**
 * What a store promises, grouped by subject; `testing/store-contract.ts` checks it. A call that fails has
 * changed nothing. A call that was acknowledged survives the end of the process. With the default durability
 * it also survives a power cut. Ports are views of one database: a write that touches several ports is one
 * method of one of them, and one transaction.
 */
export interface Ports {
  readonly log: LogStore
  readonly pins: PinStore
  readonly beginnings: BeginningStore
  readonly sessions: SessionStore
  readonly folds: FoldStore
  readonly schedule: ScheduleStore
  readonly jobs: JobStore
  readonly inbox: InboxStore
  readonly context: ContextStore
  readonly documents: DocumentStore
  readonly extraction: ExtractionStore
  readonly rebuilds: RebuildStore
  readonly mirror: MirrorStore
  readonly search: SearchStore
  readonly erasure: ErasureStore
  readonly erasureList: ErasureListStore
  readonly transfer: TransferStore
  readonly copies: CopyStore
  readonly settings: SettingsStore
  readonly keys: KeyStore
  readonly requests: RequestStore
  readonly spending: SpendStore
  readonly events: EventStore
  readonly leases: LeaseStore
  readonly database: DatabaseStore
}

export interface Store extends Ports {
  /** For errors and logs. It never holds a password. */
  readonly name: string
  /**
   * The file with the list of what was erased, once the store is open. The caller may name another file. Left
   * out or `null`: there is no list.
   */
  readonly erasedList?: string | null

  /** Connects and migrates. A repeat does nothing. */
  open(): Promise<void>
  /** Waits for what is under way. Afterwards every call fails with a `ClosedError`. */
  close(): Promise<void>
}

/** Is called for something odd that the store survived. */
export type Warn = (message: string, details: Readonly<Record<string, unknown>>) => void

export function warnOnStderr(message: string, details: Readonly<Record<string, unknown>>): void {
  process.emitWarning(`${message} ${JSON.stringify(details)}`, 'PalimpsestWarning')
}
