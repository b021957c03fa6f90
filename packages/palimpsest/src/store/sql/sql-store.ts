import { ClosedError } from '../../errors.ts'
import type { ApiKey } from '../api-key.ts'
import type { CheckUpRequest } from '../check-up.ts'
import type { CopyImport, CopyPlace } from '../copying.ts'
import type { DocumentKey, DocumentWrite, LayerVersion } from '../document.ts'
import type { ErasablePlace, RebuiltSegment } from '../erasure.ts'
import type { IndexRequest, IndexWrite, SearchRequest } from '../search.ts'
import type { SessionFile } from '../session-file.ts'
import type { CallReservation, SpendRequest } from '../spending.ts'
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
  SessionRecord,
  Store,
  TailReceipt,
  TailRequest,
  TrimRequest,
  Warn,
} from '../store.ts'
import type { AppendQueues } from './append-queue.ts'
import type { ImportOptions } from './archive.ts'
import type { Driver } from './driver.ts'
import type { KeptColumns } from './kept-columns.ts'
import type { FreezeRequest } from './layers.ts'
import type { LeaseRequest } from './leases.ts'
import type { SessionRow } from './rows.ts'
import type { Steps } from './steps.ts'
import { unpackingDriver } from './unpacking-driver.ts'

/** A third of the library, needed by nobody who has not opened a store. */
const loadOperations = () => import('./operations.ts')
type Operations = Awaited<ReturnType<typeof loadOperations>>

/** Few programs erase anything, and it takes all that searching does. */
const loadErasure = () => import('./erasure.ts')

/** Only an operator asks. */
const loadCheckUp = () => import('./check-up.ts')

/** Fewer still move to another store. */
const loadCopying = () => import('./copying.ts')

/** The store, for any database that has a driver. Each method is one transaction, written once. */
export class SqlStore implements Store {
  readonly name: string
  readonly #driver: Driver
  readonly #warn: Warn
  readonly #underWay = new Set<Promise<unknown>>()
  #opened: Opened | null = null
  #opening: Promise<void> | null = null
  #closing: Promise<void> | null = null

  constructor(driver: Driver, warn: Warn) {
    this.name = driver.name
    this.#driver = unpackingDriver(driver)
    this.#warn = warn
  }

  get erasedList(): string | null {
    return this.#driver.erasedList ?? null
  }

  async open(): Promise<void> {
    this.#checkOpen()
    this.#opening ??= this.#open().catch(error => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #open(): Promise<void> {
    const sql = await loadOperations()
    await this.#driver.open()
    this.#opened = {
      sql,
      appends: new sql.AppendQueues(this.#driver, this.#warn),
      columns: new sql.KeptColumns(),
    }
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
    return this.#while(({ appends }) => appends.append(request))
  }

  replaceTail(request: TailRequest): Promise<TailReceipt> {
    return this.#while(({ appends }) => appends.replaceTail(request))
  }

  readWaiting(namespace: string, page: Parameters<Store['readWaiting']>[1]) {
    return this.#read(({ sql }) => sql.waiting.readWaiting(namespace, page))
  }

  assignTraits(key: SessionKey, assignment: Parameters<Store['assignTraits']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.assignTraits(session, assignment))
  }

  awaitAnswer(key: SessionKey, change: Parameters<Store['awaitAnswer']>[1]) {
    return this.#writeOr(key, false, (session, { sql }) => sql.waiting.awaitAnswer(session, change))
  }

  noteWaiting(key: SessionKey, note: Parameters<Store['noteWaiting']>[1]) {
    return this.#writeOr(key, undefined, (session, { sql }) => sql.waiting.noteWaiting(session, note))
  }

  settleWaiting(key: SessionKey, seqs: readonly number[]) {
    return this.#writeOr(key, undefined, (session, { sql }) => sql.waiting.settleWaiting(session, seqs))
  }

  readAlias(key: SessionKey) {
    return this.#read(({ sql }) => sql.aliases.readAlias(key))
  }

  addAlias(key: SessionKey, alias: string) {
    return this.#writeOr(key, false, (session, { sql }) => sql.aliases.addAlias(session, alias))
  }

  countAllowance(key: SessionKey, allowance: Parameters<Store['countAllowance']>[1]) {
    return this.#readOr(key, 0, (session, { sql }) => sql.allowances.countAllowance(session, allowance))
  }

  takeAllowance(key: SessionKey, allowance: Parameters<Store['takeAllowance']>[1]) {
    return this.#writeOr(key, false, (session, { sql }) => sql.allowances.takeAllowance(session, allowance))
  }

  readSeen(key: SessionKey) {
    return this.#read(({ sql }) => sql.readSeen(key))
  }

  checkSeen(key: SessionKey) {
    return this.#read(function* ({ sql }) {
      const { namespace, id } = key
      // Whatever another one of the name is: it is not the one that was seen.
      yield* sql.checkSeen(key, yield* sql.findSession({ namespace, id }))
    })
  }

  readSession(key: SessionKey) {
    return this.#readOr(key, null, (session, { sql }) => sql.readRecord(session, this.#warn))
  }

  listSessions(namespace: string, page: Parameters<Store['listSessions']>[1]) {
    const { contains } = page
    if (contains === undefined) return this.#read(({ sql }) => sql.listSessions(namespace, page, this.#warn))
    return this.#findSessions(namespace, { ...page, contains })
  }

  /** Everything else has its turn between the steps: there may be millions of names. */
  async #findSessions(
    namespace: string,
    {
      after,
      limit,
      contains,
    }: { readonly after?: string; readonly limit: number; readonly contains: string },
  ): Promise<readonly SessionRecord[]> {
    const found: SessionRecord[] = []
    let afterKey = await this.#while(async ({ sql }) => (after === undefined ? '' : sql.keyOf(after)))
    for (;;) {
      const page = { afterKey, limit: limit - found.length, contains }
      const { records, next } = await this.#read(({ sql }) => sql.findSessions(namespace, page, this.#rules))
      found.push(...records)
      if (next === null || found.length >= limit) return found
      afterKey = next
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  listRecentSessions(namespace: string, page: Parameters<Store['listRecentSessions']>[1]) {
    return this.#read(({ sql }) => sql.listRecentSessions(namespace, page, this.#rules))
  }

  readMessages(key: SessionKey, range: Parameters<Store['readMessages']>[1]) {
    return this.#readOr(key, [], (session, { sql }) => sql.readMessages(session, range, this.#warn))
  }

  knowsExternalId(key: SessionKey, externalId: string) {
    return this.#readOr(key, false, (session, { sql }) => sql.knowsExternalId(session, externalId))
  }

  readVersions(key: SessionKey, seq: number) {
    return this.#readOr(key, [], (session, { sql }) => sql.readVersions(session, seq))
  }

  readSegments(key: SessionKey, which: 'shown' | 'all', range?: { after?: number }) {
    return this.#readOr(key, [], (session, { sql }) => sql.readSegments(session, which, range))
  }

  readSegment(key: SessionKey, id: number) {
    return this.#readOr(key, null, (session, { sql }) => sql.readSegment(session, id))
  }

  readFolds(key: SessionKey, page: Parameters<Store['readFolds']>[1]) {
    return this.#readOr(key, [], (session, { sql }) => sql.readFolds(session, page))
  }

  readGrowth(key: SessionKey, points: number) {
    return this.#readOr(key, [], (session, { sql }) => sql.readGrowth(session, points))
  }

  readContext(key: SessionKey, request: ContextRequest) {
    return this.#readOr(key, null, (session, { sql }) => sql.readContext(session, request, this.#warn))
  }

  readPins(key: SessionKey) {
    return this.#readOr(key, [], (session, { sql }) => sql.readPins(session))
  }

  pin(key: SessionKey, request: NewPin) {
    return this.#writeExisting(key, (session, { sql }) => sql.pin(session, request))
  }

  unpin(key: SessionKey, id: number) {
    return this.#writeExisting(key, (session, { sql }) => sql.unpin(session, id))
  }

  readPlan(key: SessionKey, page: PlanPage = {}) {
    return this.#readOr(key, null, (session, { sql }) => sql.readPlan(session, page, this.#warn))
  }

  edit(key: SessionKey, change: Parameters<Store['edit']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.edit(session, change, this.#rules))
  }

  rollback(key: SessionKey, change: { toSeq: number; now: number }) {
    return this.#writeExisting(key, (session, { sql }) => sql.rollback(session, change, this.#rules))
  }

  beginAnew(key: SessionKey, change: Parameters<Store['beginAnew']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.beginAnew(session, change, this.#rules))
  }

  takeBackBeginning(key: SessionKey, change: Parameters<Store['takeBackBeginning']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.takeBackBeginning(session, change, this.#rules))
  }

  readBeginnings(key: SessionKey) {
    return this.#readOr(key, [], (session, { sql }) => sql.readBeginnings(session))
  }

  fork(key: SessionKey, change: { newId: string; atSeq: number; now: number }) {
    return this.#while(({ sql }) => sql.forkSession(this.#driver, key, change, this.#warn))
  }

  exportSession(key: SessionKey) {
    return this.#read(({ sql }) => sql.exportSession(key))
  }

  importSession(key: SessionKey, file: SessionFile, options: ImportOptions) {
    return this.#while(({ sql }) => sql.importSession(this.#driver, key, file, options))
  }

  async listNamespaces(page: Parameters<Store['listNamespaces']>[0]) {
    const copying = await loadCopying()
    return this.#read(() => copying.listNamespaces(page))
  }

  async readCopyState(key: SessionKey) {
    const copying = await loadCopying()
    return this.#read(() => copying.readCopyState(key))
  }

  async readCopyPage(key: SessionKey, place: CopyPlace | null) {
    const copying = await loadCopying()
    return this.#read(() => copying.readCopyPage(key, place))
  }

  async importCopy(key: SessionKey, copy: CopyImport) {
    const copying = await loadCopying()
    return this.#while(() => copying.importCopy(this.#driver, key, copy))
  }

  async noteVerified(key: SessionKey, hash: string) {
    const copying = await loadCopying()
    return this.#writeOr(key, undefined, session => copying.noteVerified(session, hash))
  }

  async readDocumentCopy(key: DocumentKey) {
    const copying = await loadCopying()
    return this.#read(() => copying.readDocumentCopy(key))
  }

  async importDocumentCopy(key: DocumentKey, copy: Parameters<Store['importDocumentCopy']>[1]) {
    const copying = await loadCopying()
    return this.#write(() => copying.importDocumentCopy(key, copy, this.#driver.dialect))
  }

  updateSettings(
    key: SessionKey,
    changes: Readonly<Record<string, unknown>>,
    options?: Parameters<Store['updateSettings']>[2],
  ) {
    return this.#writeExisting(key, (session, { sql }) => sql.updateSettings(session, changes, options))
  }

  readOwnSettings(key: SessionKey) {
    return this.#read(({ sql }) => sql.readOwnSettings(key))
  }

  readSettings(namespace: string) {
    return this.#read(({ sql }) => sql.readSettings(namespace))
  }

  writeSettings(
    namespace: string,
    changes: Readonly<Record<string, unknown>>,
    options?: Parameters<Store['writeSettings']>[2],
  ) {
    return this.#write(({ sql }) => sql.writeSettings(namespace, changes, options))
  }

  readIdentity() {
    return this.#read(({ sql }) => sql.readIdentity())
  }

  readRevision() {
    return this.#read(({ sql }) => sql.readRevision())
  }

  addKey(key: ApiKey) {
    return this.#write(({ sql }) => sql.apiKeys.addKey(key))
  }

  readKey(id: string) {
    return this.#read(({ sql }) => sql.apiKeys.readKey(id))
  }

  listKeys() {
    return this.#read(({ sql }) => sql.apiKeys.listKeys())
  }

  removeKey(id: string) {
    return this.#write(({ sql }) => sql.apiKeys.removeKey(id))
  }

  beginRequest(namespace: string, request: Parameters<Store['beginRequest']>[1]) {
    const { dialect } = this.#driver
    return this.#write(({ sql }) => sql.requests.beginRequest(namespace, request, dialect))
  }

  finishRequest(namespace: string, request: Parameters<Store['finishRequest']>[1]) {
    return this.#write(({ sql }) => sql.requests.finishRequest(namespace, request))
  }

  dropRequest(namespace: string, request: Parameters<Store['dropRequest']>[1]) {
    return this.#write(({ sql }) => sql.requests.dropRequest(namespace, request))
  }

  recordCalibrations(key: SessionKey, calibrations: Readonly<Record<string, unknown>>) {
    return this.#writeExisting(key, (session, { sql }) => sql.recordCalibrations(session, calibrations))
  }

  recordOverhead(key: SessionKey, tokens: number) {
    return this.#writeExisting(key, (session, { sql }) => sql.recordOverhead(session, tokens))
  }

  acquireLease(key: SessionKey, request: Parameters<Store['acquireLease']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.fold.acquireLease(session, request, this.#warn))
  }

  renewLease(key: SessionKey, request: { token: number; ttlMs: number; now: number }) {
    return this.#writeExisting(key, (session, { sql }) => sql.fold.renewLease(session, request))
  }

  releaseLease(key: SessionKey, token: number) {
    return this.#writeExisting(key, (session, { sql }) => sql.fold.releaseLease(session, token))
  }

  commitFold(commit: FoldCommit) {
    return this.#writeExisting(commit.key, (session, { sql }) =>
      sql.fold.commitFold(session, commit, this.#rules),
    )
  }

  failFold(key: SessionKey, failure: Parameters<Store['failFold']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.fold.failFold(session, failure))
  }

  readSnapshot(key: SessionKey, request: Parameters<Store['readSnapshot']>[1]) {
    const warn = this.#warn
    return this.#readOr(key, null, function* (session, { sql }) {
      return (yield* sql.judgeNow(session, request, warn)).snapshot
    })
  }

  judge(key: SessionKey, request: Parameters<Store['judge']>[1]) {
    return this.#writeOr(key, null, (session, { sql }) => sql.judgeAgain(session, request, this.#warn))
  }

  setPending(key: SessionKey, decision: Parameters<Store['setPending']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.fold.setPending(session, decision))
  }

  enqueueDue(request: Parameters<Store['enqueueDue']>[0]) {
    const { queuesFolds = false } = this.#driver
    return this.#write(({ sql }) =>
      sql.queuedFolds.enqueueDue(queuesFolds ? request : { ...request, limit: 0 }),
    )
  }

  enqueuePending(page: Parameters<Store['enqueuePending']>[0]) {
    const { queuesFolds = false } = this.#driver
    return this.#write(({ sql }) =>
      sql.queuedFolds.enqueuePending(queuesFolds ? page : { ...page, limit: 0 }),
    )
  }

  endFoldJob(key: SessionKey, request: Parameters<Store['endFoldJob']>[1]) {
    return this.#writeOr(key, true, (session, { sql }) =>
      sql.queuedFolds.endFoldJob(session, request, this.#warn),
    )
  }

  listPending(namespace: string, page: { after?: string; limit: number }) {
    return this.#read(({ sql }) => sql.fold.listPending(namespace, page))
  }

  nextDueAt(namespace: string) {
    return this.#read(({ sql }) => sql.nextDueAt(namespace, 'due_at'))
  }

  listDue(namespace: string, page: { now: number; limit: number }) {
    return this.#read(({ sql }) => sql.listDue(namespace, 'due_at', page))
  }

  readDocument(key: DocumentKey) {
    return this.#read(({ sql }) => sql.documents.readDocument(key))
  }

  listDocuments(namespace: string, page: Parameters<Store['listDocuments']>[1]) {
    return this.#read(({ sql }) => sql.documents.listDocuments(namespace, page))
  }

  changeDocuments(writes: readonly DocumentWrite[]) {
    return this.#write(({ sql }) => sql.documents.changeDocuments(writes, this.#driver.dialect))
  }

  readDocumentVersions(key: DocumentKey, page: { before?: number; limit: number }) {
    return this.#read(({ sql }) => sql.documents.readDocumentVersions(key, page))
  }

  readFacts(key: DocumentKey, which: 'current' | 'all') {
    return this.#read(({ sql }) => sql.documents.readDocumentFacts(key, which))
  }

  freezeLayers(key: SessionKey, request: FreezeRequest) {
    return this.#writeExisting(key, (session, { sql }) => sql.freezeLayers(session, request))
  }

  readLayerTexts(key: SessionKey, wanted: readonly LayerVersion[]) {
    return this.#readOr(key, [], (session, { sql }) => sql.readLayerTexts(session, wanted))
  }

  readCondensedLines(key: SessionKey, document: Parameters<Store['readCondensedLines']>[1]) {
    return this.#readOr(key, [], (session, { sql }) => sql.readCondensedLines(session, document))
  }

  commitExtraction(commit: ExtractionCommit) {
    const { dialect } = this.#driver
    return this.#writeExisting(commit.key, (session, { sql }) =>
      sql.extraction.commitExtraction(session, commit, dialect),
    )
  }

  judgeExtraction(key: SessionKey, request: Parameters<Store['judgeExtraction']>[1]) {
    return this.#writeExisting(key, (session, { sql }) => sql.extraction.judgeExtraction(session, request))
  }

  failExtraction(key: SessionKey, failure: { retryAt: number | null }) {
    return this.#writeExisting(key, (session, { sql }) => sql.extraction.failExtraction(session, failure))
  }

  listExtractionDue(namespace: string, page: { now: number; limit: number }) {
    return this.#read(({ sql }) => sql.listDue(namespace, 'extract_at', page))
  }

  nextExtractionAt(namespace: string) {
    return this.#read(({ sql }) => sql.nextDueAt(namespace, 'extract_at'))
  }

  takeLease(namespace: string, request: LeaseRequest) {
    return this.#write(({ sql }) => sql.takeLease(namespace, request))
  }

  dropLease(namespace: string, request: { name: string; token: number }) {
    return this.#write(({ sql }) => sql.dropLease(namespace, request))
  }

  findSpendLimit(key: SessionKey, request: SpendRequest) {
    return this.#read(({ sql }) => sql.spending.findSpendLimit(key, request))
  }

  readSpending(namespace: string, request: { now: number }) {
    return this.#read(({ sql }) => sql.spending.readSpending(namespace, request))
  }

  reserveCall(key: SessionKey, request: SpendRequest & { readonly tokens: number }) {
    const { dialect } = this.#driver
    return this.#write(({ sql }) => sql.spending.reserveCall(key, request, dialect))
  }

  settleCall(namespace: string, reserved: CallReservation, took: Parameters<Store['settleCall']>[2]) {
    return this.#write(({ sql }) => sql.spending.settleCall(namespace, reserved, took))
  }

  listUnmirrored(namespace: string, page: { limit: number }) {
    return this.#read(({ sql }) => sql.mirror.listUnmirrored(namespace, page))
  }

  readMirrorStates(namespace: string, wanted: Parameters<Store['readMirrorStates']>[1]) {
    return this.#read(({ sql }) => sql.mirror.readMirrorStates(namespace, wanted))
  }

  readDay(namespace: string, day: string) {
    return this.#read(({ sql }) => sql.mirror.readDay(namespace, day))
  }

  noteMirrored(namespace: string, states: Parameters<Store['noteMirrored']>[1]) {
    return this.#write(({ sql }) => sql.mirror.noteMirrored(namespace, states))
  }

  setMirrorFolder(namespace: string, folder: string) {
    return this.#write(({ sql }) => sql.mirror.setMirrorFolder(namespace, folder))
  }

  readMirrorFolder(namespace: string) {
    return this.#read(({ sql }) => sql.mirror.readMirrorFolder(namespace))
  }

  readSearch(namespace: string, request: SearchRequest) {
    return this.#read(({ sql, columns }) => sql.search.readSearch(namespace, request, columns))
  }

  readMessagesAt(key: SessionKey, seqs: readonly number[], { answered = false } = {}) {
    return this.#readOr(key, [], (session, { sql }) =>
      answered ? sql.readAnsweringAt(session, seqs) : sql.search.readMessagesAt(session, seqs),
    )
  }

  readIndexWork(key: SessionKey, request: IndexRequest) {
    return this.#readOr(key, null, (session, { sql }) => sql.indexing.readIndexWork(session, request))
  }

  writeIndex(key: SessionKey, write: IndexWrite) {
    return this.#writeOr(key, false, (session, { sql }) => sql.indexing.writeIndex(session, write))
  }

  listUnindexed(namespace: string, page: { after?: string; limit: number }) {
    return this.#read(({ sql }) => sql.indexing.listUnindexed(namespace, page))
  }

  async beginErasure(namespace: string, request: Parameters<Store['beginErasure']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.beginErasure(namespace, request))
  }

  async repeatErasure(request: Parameters<Store['repeatErasure']>[0]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.repeatErasure(request))
  }

  async nameErasure(namespace: string, request: Parameters<Store['nameErasure']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.nameErasure(namespace, request))
  }

  readErasureListIds() {
    return this.#read(({ sql }) => sql.readErasureListIds())
  }

  async readFamily(namespace: string, messages: Parameters<Store['readFamily']>[1]) {
    const erasure = await loadErasure()
    return this.#read(() => erasure.readFamily(namespace, messages))
  }

  async listErasable(from: ErasablePlace) {
    const erasure = await loadErasure()
    return this.#read(() => erasure.listErasable(from))
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
    return this.#read(({ sql }) => sql.readErasure(namespace, id))
  }

  listOpenErasures(namespace: string) {
    return this.#read(({ sql }) => sql.listOpenErasures(namespace))
  }

  listWithheld(namespace: string, page: Parameters<Store['listWithheld']>[1]) {
    return this.#read(({ sql }) => sql.listWithheld(namespace, page))
  }

  commitRebuilt(key: SessionKey, rebuilt: RebuiltSegment) {
    const { dialect } = this.#driver
    return this.#writeOr(key, false, (session, { sql }) => sql.commitRebuilt(session, rebuilt, dialect))
  }

  readOutdated(key: SessionKey) {
    return this.#readOr(key, null, (session, { sql }) => sql.readOutdated(session))
  }

  endCorrections(key: SessionKey, request: { leaseToken: number }) {
    return this.#writeExisting(key, (session, { sql }) => sql.endCorrections(session, request))
  }

  failRebuild(key: SessionKey, failure: { leaseToken: number; retryAt: number }) {
    return this.#writeExisting(key, (session, { sql }) => sql.failRebuild(session, failure))
  }

  listRebuildDue(namespace: string, page: { now: number; limit: number }) {
    return this.#read(({ sql }) => sql.listDue(namespace, 'rebuild_at', page))
  }

  nextRebuildAt(namespace: string) {
    return this.#read(({ sql }) => sql.nextDueAt(namespace, 'rebuild_at'))
  }

  async listErasedDocuments(namespace: string) {
    const erasure = await loadErasure()
    return this.#read(() => erasure.listErasedDocuments(namespace))
  }

  async forgetErasedDocuments(namespace: string, gone: Parameters<Store['forgetErasedDocuments']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.forgetErasedDocuments(namespace, gone))
  }

  async noteErasedDocuments(namespace: string, gone: Parameters<Store['noteErasedDocuments']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.noteErasedDocuments(namespace, gone))
  }

  async trustFiles(namespace: string, documents: Parameters<Store['trustFiles']>[1]) {
    const erasure = await loadErasure()
    return this.#write(() => erasure.trustFiles(namespace, documents))
  }

  scrub(onScrub?: OnScrub) {
    return this.#while(() => this.#driver.scrub(onScrub))
  }

  readScrub(namespace: string, id: number) {
    return this.#while(async () => (await this.#driver.readScrub?.({ namespace, id })) ?? { isGone: false })
  }

  async checkUp(request: CheckUpRequest) {
    const { checkUp } = await loadCheckUp()
    return this.#while(() => checkUp(this.#driver, request))
  }

  readEvents(page: { after: string | null; limit: number }) {
    return this.#read(({ sql }) => sql.readEvents(page, this.#driver.dialect))
  }

  readLastPosition() {
    return this.#read(({ sql }) => sql.readLastPosition(this.#driver.dialect))
  }

  readFirstPosition() {
    return this.#read(({ sql }) => sql.readFirstPosition())
  }

  noteConsumer(namespace: string, note: Parameters<Store['noteConsumer']>[1]) {
    return this.#write(({ sql }) => sql.noteConsumer(namespace, note, this.#driver.dialect))
  }

  forgetConsumer(namespace: string, name: string) {
    return this.#write(({ sql }) => sql.forgetConsumer(namespace, name))
  }

  trimEvents(request: TrimRequest) {
    return this.#write(({ sql }) => sql.trimEvents(request, this.#driver.dialect))
  }

  get #rules() {
    return { dialect: this.#driver.dialect, warn: this.#warn }
  }

  #checkOpen(): void {
    if (this.#closing !== null) throw new ClosedError('store')
  }

  /** Closing waits for every call that was let in. */
  async #while<Result>(call: (opened: Opened) => Promise<Result>): Promise<Result> {
    this.#checkOpen()
    if (this.#opened === null) throw new ClosedError('store')
    const running = call(this.#opened)
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }

  #read<Result>(steps: (opened: Opened) => Steps<Result>): Promise<Result> {
    return this.#while(opened => this.#driver.read(() => steps(opened)))
  }

  #readOr<Result, Missing>(
    key: SessionKey,
    missing: Missing,
    steps: (session: SessionRow, opened: Opened) => Steps<Result>,
  ): Promise<Result | Missing> {
    return this.#read(function* (opened) {
      const session = yield* opened.sql.findSession(key)
      return session ? yield* steps(session, opened) : missing
    })
  }

  #write<Result>(steps: (opened: Opened) => Steps<Result>): Promise<Result> {
    return this.#while(opened => this.#driver.write(() => steps(opened)))
  }

  #writeOr<Result, Missing>(
    key: SessionKey,
    missing: Missing,
    steps: (session: SessionRow, opened: Opened) => Steps<Result>,
  ): Promise<Result | Missing> {
    const { dialect } = this.#driver
    return this.#write(function* (opened) {
      const session = yield* opened.sql.lockSession(key, dialect)
      return session ? yield* steps(session, opened) : missing
    })
  }

  #writeExisting<Result>(
    key: SessionKey,
    steps: (session: SessionRow, opened: Opened) => Steps<Result>,
  ): Promise<Result> {
    const { dialect } = this.#driver
    return this.#write(function* (opened) {
      return yield* steps(yield* opened.sql.lockExistingSession(key, dialect), opened)
    })
  }
}

/** What there is once it is open. */
interface Opened {
  readonly sql: Operations
  readonly appends: AppendQueues
  readonly columns: KeptColumns
}
