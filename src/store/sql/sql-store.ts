import { ClosedError } from '../../errors.ts'
import type { DocumentKey, DocumentWrite, LayerVersion } from '../document.ts'
import type { RebuiltSegment } from '../erasure.ts'
import type { IndexRequest, IndexWrite, SearchRequest } from '../search.ts'
import type { SessionFile } from '../session-file.ts'
import type {
  AppendReceipt,
  AppendRequest,
  ContextRequest,
  ExtractionCommit,
  FoldCommit,
  NewPin,
  OnScrub,
  PlanPage,
  SessionKey,
  Store,
  Warn,
} from '../store.ts'
import { AppendQueues } from './append-queue.ts'
import { exportSession, type ImportOptions, importSession } from './archive.ts'
import { readContext } from './context.ts'
import * as documents from './documents.ts'
import type { Driver } from './driver.ts'
import { listDue, nextDueAt } from './due.ts'
import { edit } from './edit.ts'
import { listOpenErasures, readErasure } from './erasure-records.ts'
import { readEvents } from './events.ts'
import * as extraction from './extraction.ts'
import * as fold from './fold.ts'
import { forkSession } from './fork.ts'
import * as indexing from './indexing.ts'
import { judgeAgain, judgeNow } from './judge.ts'
import { KeptColumns } from './kept-columns.ts'
import { type FreezeRequest, freezeLayers, readLayerTexts } from './layers.ts'
import { dropLease, type LeaseRequest, takeLease } from './leases.ts'
import { readMessages, readPlan, readSegment, readSegments, readVersions } from './messages.ts'
import * as mirror from './mirror.ts'
import { pin, readPins, unpin } from './pins.ts'
import { rollback } from './rollback.ts'
import type { SessionRow } from './rows.ts'
import * as search from './search.ts'
import {
  findSession,
  listSessions,
  lockExistingSession,
  lockSession,
  readRecord,
  recordCalibrations,
  recordOverhead,
  updateSettings,
} from './session.ts'
import { readSettings, writeSettings } from './settings.ts'
import type { Steps } from './steps.ts'
import { commitRebuilt, listWithheld } from './withheld.ts'

/** Few programs erase anything, and it takes all that searching does. */
const loadErasure = () => import('./erasure.ts')

/** The store, for any database that has a driver. Each method is one transaction, written once. */
export class SqlStore implements Store {
  readonly name: string
  readonly #driver: Driver
  readonly #warn: Warn
  readonly #appends: AppendQueues
  readonly #columns = new KeptColumns()
  readonly #underWay = new Set<Promise<unknown>>()
  #opening: Promise<void> | null = null
  #closing: Promise<void> | null = null

  constructor(driver: Driver, warn: Warn) {
    this.name = driver.name
    this.#driver = driver
    this.#warn = warn
    this.#appends = new AppendQueues(driver, warn)
  }

  async open(): Promise<void> {
    this.#checkOpen()
    this.#opening ??= this.#driver.open().catch(error => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await this.#opening?.catch(() => {})
    if (this.#opening !== null) await this.#driver.close()
  }

  append(request: AppendRequest): Promise<AppendReceipt> {
    return this.#while(() => this.#appends.append(request))
  }

  readSession(key: SessionKey) {
    return this.#readOr(key, null, session => readRecord(session, this.#warn))
  }

  listSessions(namespace: string, page: { after?: string; limit: number }) {
    return this.#read(() => listSessions(namespace, page, this.#warn))
  }

  readMessages(key: SessionKey, range: Parameters<Store['readMessages']>[1]) {
    return this.#readOr(key, [], session => readMessages(session, range, this.#warn))
  }

  readVersions(key: SessionKey, seq: number) {
    return this.#readOr(key, [], session => readVersions(session, seq))
  }

  readSegments(key: SessionKey, which: 'shown' | 'all') {
    return this.#readOr(key, [], session => readSegments(session, which))
  }

  readSegment(key: SessionKey, id: number) {
    return this.#readOr(key, null, session => readSegment(session, id))
  }

  readContext(key: SessionKey, request: ContextRequest) {
    return this.#readOr(key, null, session => readContext(session, request, this.#warn))
  }

  readPins(key: SessionKey) {
    return this.#readOr(key, [], session => readPins(session))
  }

  pin(key: SessionKey, request: NewPin) {
    return this.#writeExisting(key, session => pin(session, request))
  }

  unpin(key: SessionKey, id: number) {
    return this.#writeExisting(key, session => unpin(session, id))
  }

  readPlan(key: SessionKey, page: PlanPage = {}) {
    return this.#readOr(key, null, session => readPlan(session, page, this.#warn))
  }

  edit(key: SessionKey, change: Parameters<Store['edit']>[1]) {
    return this.#writeExisting(key, session => edit(session, change, this.#warn))
  }

  rollback(key: SessionKey, change: { toSeq: number; now: number }) {
    return this.#writeExisting(key, session => rollback(session, change, this.#rules))
  }

  fork(key: SessionKey, change: { newId: string; atSeq: number; now: number }) {
    return this.#while(() => forkSession(this.#driver, key, change, this.#warn))
  }

  exportSession(key: SessionKey) {
    return this.#read(() => exportSession(key))
  }

  importSession(key: SessionKey, file: SessionFile, options: ImportOptions) {
    return this.#while(() => importSession(this.#driver, key, file, options))
  }

  updateSettings(key: SessionKey, settings: Readonly<Record<string, unknown>>) {
    return this.#writeExisting(key, session => updateSettings(session, settings))
  }

  readSettings(namespace: string) {
    return this.#read(() => readSettings(namespace))
  }

  writeSettings(namespace: string, changes: Readonly<Record<string, unknown>>) {
    return this.#write(() => writeSettings(namespace, changes))
  }

  recordCalibrations(key: SessionKey, calibrations: Readonly<Record<string, unknown>>) {
    return this.#writeExisting(key, session => recordCalibrations(session, calibrations))
  }

  recordOverhead(key: SessionKey, tokens: number) {
    return this.#writeExisting(key, session => recordOverhead(session, tokens))
  }

  acquireLease(key: SessionKey, request: { owner: string; ttlMs: number; now: number }) {
    return this.#writeExisting(key, session => fold.acquireLease(session, request))
  }

  renewLease(key: SessionKey, request: { token: number; ttlMs: number; now: number }) {
    return this.#writeExisting(key, session => fold.renewLease(session, request))
  }

  releaseLease(key: SessionKey, token: number) {
    return this.#writeExisting(key, session => fold.releaseLease(session, token))
  }

  commitFold(commit: FoldCommit) {
    return this.#writeExisting(commit.key, session => fold.commitFold(session, commit, this.#rules))
  }

  failFold(key: SessionKey, failure: Parameters<Store['failFold']>[1]) {
    return this.#writeExisting(key, session => fold.failFold(session, failure))
  }

  readSnapshot(key: SessionKey, request: Parameters<Store['readSnapshot']>[1]) {
    const warn = this.#warn
    return this.#readOr(key, null, function* (session) {
      return (yield* judgeNow(session, request, warn)).snapshot
    })
  }

  judge(key: SessionKey, request: Parameters<Store['judge']>[1]) {
    const { dialect } = this.#driver
    const warn = this.#warn
    return this.#write(function* () {
      const session = yield* lockSession(key, dialect)
      return session ? yield* judgeAgain(session, request, warn) : null
    })
  }

  setPending(key: SessionKey, decision: Parameters<Store['setPending']>[1]) {
    return this.#writeExisting(key, session => fold.setPending(session, decision))
  }

  listPending(namespace: string, page: { after?: string; limit: number }) {
    return this.#read(() => fold.listPending(namespace, page))
  }

  nextDueAt(namespace: string) {
    return this.#read(() => nextDueAt(namespace, 'due_at'))
  }

  listDue(namespace: string, page: { now: number; limit: number }) {
    return this.#read(() => listDue(namespace, 'due_at', page))
  }

  readDocument(key: DocumentKey) {
    return this.#read(() => documents.readDocument(key))
  }

  listDocuments(namespace: string, page: Parameters<Store['listDocuments']>[1]) {
    return this.#read(() => documents.listDocuments(namespace, page))
  }

  changeDocuments(writes: readonly DocumentWrite[]) {
    return this.#write(() => documents.changeDocuments(writes, this.#driver.dialect))
  }

  readDocumentVersions(key: DocumentKey, page: { before?: number; limit: number }) {
    return this.#read(() => documents.readDocumentVersions(key, page))
  }

  readFacts(key: DocumentKey, which: 'current' | 'all') {
    return this.#read(() => documents.readDocumentFacts(key, which))
  }

  freezeLayers(key: SessionKey, request: FreezeRequest) {
    return this.#writeExisting(key, session => freezeLayers(session, request))
  }

  readLayerTexts(key: SessionKey, wanted: readonly LayerVersion[]) {
    return this.#readOr(key, [], session => readLayerTexts(session, wanted))
  }

  commitExtraction(commit: ExtractionCommit) {
    const { dialect } = this.#driver
    return this.#writeExisting(commit.key, session => extraction.commitExtraction(session, commit, dialect))
  }

  judgeExtraction(key: SessionKey, request: Parameters<Store['judgeExtraction']>[1]) {
    return this.#writeExisting(key, session => extraction.judgeExtraction(session, request))
  }

  failExtraction(key: SessionKey, failure: { retryAt: number | null }) {
    return this.#writeExisting(key, session => extraction.failExtraction(session, failure))
  }

  listExtractionDue(namespace: string, page: { now: number; limit: number }) {
    return this.#read(() => listDue(namespace, 'extract_at', page))
  }

  nextExtractionAt(namespace: string) {
    return this.#read(() => nextDueAt(namespace, 'extract_at'))
  }

  takeLease(namespace: string, request: LeaseRequest) {
    return this.#write(() => takeLease(namespace, request))
  }

  dropLease(namespace: string, request: { name: string; token: number }) {
    return this.#write(() => dropLease(namespace, request))
  }

  listUnmirrored(namespace: string, page: { limit: number }) {
    return this.#read(() => mirror.listUnmirrored(namespace, page))
  }

  readMirrorStates(namespace: string, wanted: Parameters<Store['readMirrorStates']>[1]) {
    return this.#read(() => mirror.readMirrorStates(namespace, wanted))
  }

  readDay(namespace: string, day: string) {
    return this.#read(() => mirror.readDay(namespace, day))
  }

  noteMirrored(namespace: string, states: Parameters<Store['noteMirrored']>[1]) {
    return this.#write(() => mirror.noteMirrored(namespace, states))
  }

  setMirrorFolder(namespace: string, folder: string) {
    return this.#write(() => mirror.setMirrorFolder(namespace, folder))
  }

  readMirrorFolder(namespace: string) {
    return this.#read(() => mirror.readMirrorFolder(namespace))
  }

  readSearch(namespace: string, request: SearchRequest) {
    return this.#read(() => search.readSearch(namespace, request, this.#columns))
  }

  readMessagesAt(key: SessionKey, seqs: readonly number[]) {
    return this.#readOr(key, [], session => search.readMessagesAt(session, seqs))
  }

  readIndexWork(key: SessionKey, request: IndexRequest) {
    return this.#readOr(key, null, session => indexing.readIndexWork(session, request))
  }

  writeIndex(key: SessionKey, write: IndexWrite) {
    const { dialect } = this.#driver
    return this.#write(function* () {
      const session = yield* lockSession(key, dialect)
      return session ? yield* indexing.writeIndex(session, write) : false
    })
  }

  listUnindexed(namespace: string, page: { after?: string; limit: number }) {
    return this.#read(() => indexing.listUnindexed(namespace, page))
  }

  async beginErasure(namespace: string, request: Parameters<Store['beginErasure']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.beginErasure(namespace, request))
  }

  async continueErasure(namespace: string, request: { id: number; now: number }) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.continueErasure(namespace, request, this.#rules))
  }

  async advanceErasure(namespace: string, request: Parameters<Store['advanceErasure']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.advanceErasure(namespace, request))
  }

  readErasure(namespace: string, id: number) {
    return this.#read(() => readErasure(namespace, id))
  }

  listOpenErasures(namespace: string) {
    return this.#read(() => listOpenErasures(namespace))
  }

  listWithheld(namespace: string, page: Parameters<Store['listWithheld']>[1]) {
    return this.#read(() => listWithheld(namespace, page))
  }

  commitRebuilt(key: SessionKey, rebuilt: RebuiltSegment) {
    const { dialect } = this.#driver
    return this.#write(function* () {
      const session = yield* lockSession(key, dialect)
      return session ? yield* commitRebuilt(session, rebuilt, dialect) : false
    })
  }

  async listErasedDocuments(namespace: string) {
    const erasure = await loadErasure()
    return this.#read(() => erasure.listErasedDocuments(namespace))
  }

  async forgetErasedDocuments(namespace: string, gone: Parameters<Store['forgetErasedDocuments']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.forgetErasedDocuments(namespace, gone))
  }

  scrub(onScrub?: OnScrub) {
    return this.#while(() => this.#driver.scrub(onScrub))
  }

  readEvents(page: { after: string | null; limit: number }) {
    return this.#read(() => readEvents(page, this.#driver.dialect))
  }

  get #rules() {
    return { dialect: this.#driver.dialect, warn: this.#warn }
  }

  #checkOpen(): void {
    if (this.#closing !== null) throw new ClosedError('store')
  }

  /** Closing waits for every call that was let in. */
  async #while<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#checkOpen()
    const running = call()
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }

  #read<Result>(steps: () => Steps<Result>): Promise<Result> {
    return this.#while(() => this.#driver.read(steps))
  }

  #readOr<Result, Missing>(
    key: SessionKey,
    missing: Missing,
    steps: (session: SessionRow) => Steps<Result>,
  ): Promise<Result | Missing> {
    return this.#read(function* () {
      const session = yield* findSession(key)
      return session ? yield* steps(session) : missing
    })
  }

  #write<Result>(steps: () => Steps<Result>): Promise<Result> {
    return this.#while(() => this.#driver.write(steps))
  }

  #writeExisting<Result>(key: SessionKey, steps: (session: SessionRow) => Steps<Result>): Promise<Result> {
    const { dialect } = this.#driver
    return this.#write(function* () {
      return yield* steps(yield* lockExistingSession(key, dialect))
    })
  }
}
