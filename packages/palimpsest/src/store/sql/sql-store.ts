import type {
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
  RebuildStore,
  RequestStore,
  ScheduleStore,
  SearchStore,
  SessionStore,
  SettingsStore,
  SpendStore,
  Store,
  TransferStore,
  Warn,
} from '../store.ts'
import { Calls } from './calls.ts'
import type { Driver } from './driver.ts'
import { sqlBeginningStore } from './ports/beginning-store.ts'
import { sqlContextStore } from './ports/context-store.ts'
import { sqlCopyStore } from './ports/copy-store.ts'
import { sqlDatabaseStore } from './ports/database-store.ts'
import { sqlDocumentStore } from './ports/document-store.ts'
import { sqlErasureListStore } from './ports/erasure-list-store.ts'
import { sqlErasureStore } from './ports/erasure-store.ts'
import { sqlEventStore } from './ports/event-store.ts'
import { sqlExtractionStore } from './ports/extraction-store.ts'
import { sqlFoldStore } from './ports/fold-store.ts'
import { sqlInboxStore } from './ports/inbox-store.ts'
import { sqlJobStore } from './ports/job-store.ts'
import { sqlKeyStore } from './ports/key-store.ts'
import { sqlLeaseStore } from './ports/lease-store.ts'
import { sqlLogStore } from './ports/log-store.ts'
import { sqlMirrorStore } from './ports/mirror-store.ts'
import { sqlPinStore } from './ports/pin-store.ts'
import { sqlRebuildStore } from './ports/rebuild-store.ts'
import { sqlRequestStore } from './ports/request-store.ts'
import { sqlScheduleStore } from './ports/schedule-store.ts'
import { sqlSearchStore } from './ports/search-store.ts'
import { sqlSessionStore } from './ports/session-store.ts'
import { sqlSettingsStore } from './ports/settings-store.ts'
import { sqlSpendStore } from './ports/spend-store.ts'
import { sqlTransferStore } from './ports/transfer-store.ts'

/** The store, for any database that has a driver. Its ports are made once, over the same calls. */
export class SqlStore implements Store {
  readonly name: string
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
  readonly #calls: Calls

  constructor(driver: Driver, warn: Warn) {
    const calls = new Calls(driver, warn)
    this.name = driver.name
    this.#calls = calls
    this.log = sqlLogStore(calls)
    this.pins = sqlPinStore(calls)
    this.beginnings = sqlBeginningStore(calls)
    this.sessions = sqlSessionStore(calls)
    this.folds = sqlFoldStore(calls)
    this.schedule = sqlScheduleStore(calls)
    this.jobs = sqlJobStore(calls)
    this.inbox = sqlInboxStore(calls)
    this.context = sqlContextStore(calls)
    this.documents = sqlDocumentStore(calls)
    this.extraction = sqlExtractionStore(calls)
    this.rebuilds = sqlRebuildStore(calls)
    this.mirror = sqlMirrorStore(calls)
    this.search = sqlSearchStore(calls)
    this.erasure = sqlErasureStore(calls)
    this.erasureList = sqlErasureListStore(calls)
    this.transfer = sqlTransferStore(calls)
    this.copies = sqlCopyStore(calls)
    this.settings = sqlSettingsStore(calls)
    this.keys = sqlKeyStore(calls)
    this.requests = sqlRequestStore(calls)
    this.spending = sqlSpendStore(calls)
    this.events = sqlEventStore(calls)
    this.leases = sqlLeaseStore(calls)
    this.database = sqlDatabaseStore(calls)
  }

  get erasedList(): string | null {
    return this.#calls.driver.erasedList ?? null
  }

  open(): Promise<void> {
    return this.#calls.open()
  }

  close(): Promise<void> {
    return this.#calls.close()
  }
}
