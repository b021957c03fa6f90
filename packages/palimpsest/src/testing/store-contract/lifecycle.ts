import assert from 'node:assert/strict'
import type { Ports } from '../../store/index.ts'
import { Chat, FORCE, message, POLICY } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { apiKey } from './serving.ts'

const GLOBAL = { namespace: 'test', layer: 'global', key: '' } as const

/** A call of each method of each port. */
type Calls = Readonly<
  Record<{ [Port in keyof Ports]: keyof Ports[Port] }[keyof Ports] | 'open', () => Promise<unknown>>
>

export const lifecycle = contractCases('a store', {
  'has a name': async store => {
    assert.ok(store.name.length > 0)
  },

  'opens twice, also at once': async store => {
    await Promise.all([store.open(), store.open()])
    await store.open()
    assert.deepEqual(await new Chat(store).say(1), [1])
  },

  'refuses every call once it is closed, and closes twice': async store => {
    const chat = new Chat(store)
    await chat.say(2)
    const commit = await chat.prepareFold(1)
    const file = await chat.file()
    await Promise.all([store.close(), store.close()])
    await store.close()
    const { key } = chat
    const now = 0
    const limits = { calls: 1, tokens: null, sessionCalls: null, sessionTokens: null }
    const spending = { model: 'm', limits, now }
    const calls: Calls = {
      open: () => store.open(),
      append: () => chat.append(message('late')),
      replaceTail: () => chat.replaceTail([], [message('late')]),
      readWaiting: () => store.inbox.readWaiting('test', { limit: 1 }),
      assignTraits: () => store.sessions.assignTraits(key, { user: 'ann', scope: null, now }),
      awaitAnswer: () => store.inbox.awaitAnswer(key, { seq: 1, awaits: { burst: '', address: {} }, now: 0 }),
      noteWaiting: () => store.inbox.noteWaiting(key, { seq: 1, attempts: 1 }),
      settleWaiting: () => store.inbox.settleWaiting(key, [1]),
      readAlias: () => store.inbox.readAlias(key),
      addAlias: () => store.inbox.addAlias(key, 'other'),
      countAllowance: () => store.inbox.countAllowance(key, { kind: 'any', within: 1, now: 0 }),
      takeAllowance: () => store.inbox.takeAllowance(key, { kind: 'any', limit: 1, within: 1, now: 0 }),
      readSession: () => store.sessions.readSession(key),
      readSeen: () => store.sessions.readSeen(key),
      checkSeen: () => store.sessions.checkSeen(key),
      listSessions: () => store.sessions.listSessions('test', { limit: 1 }),
      listRecentSessions: () => store.sessions.listRecentSessions('test', { limit: 1 }),
      readMessages: () => store.log.readMessages(key, { limit: 1, from: 'oldest' }),
      knowsExternalId: () => store.log.knowsExternalId(key, 'any'),
      readVersions: () => store.log.readVersions(key, 1),
      readSegments: () => store.folds.readSegments(key, 'all'),
      readSegment: () => store.folds.readSegment(key, 1),
      beginAnew: () => store.beginnings.beginAnew(key, { policy: chat.policy, now }),
      takeBackBeginning: () => store.beginnings.takeBackBeginning(key, { policy: chat.policy, now }),
      readBeginnings: () => store.beginnings.readBeginnings(key),
      readFolds: () => store.folds.readFolds(key, { limit: 1 }),
      readGrowth: () => store.sessions.readGrowth(key, 2),
      readSearch: () => store.search.readSearch('test', { terms: [], page: { limit: 1 } }),
      readIndexWork: () => store.search.readIndexWork(key, { messages: 1, characters: 1 }),
      writeIndex: () =>
        store.search.writeIndex(key, { work: { epoch: 0, indexedThrough: 0, through: 1 }, terms: new Map() }),
      listUnindexed: () => store.search.listUnindexed('test', { limit: 1 }),
      beginErasure: () => store.erasure.beginErasure('test', { target: { kind: 'namespace' }, now }),
      repeatErasure: () =>
        store.erasureList.repeatErasure({ found: null, listId: 'a', requestedAt: new Date(now) }),
      nameErasure: () => store.erasureList.nameErasure('test', { id: 1, listId: 'a' }),
      readErasureListIds: () => store.erasureList.readErasureListIds(),
      readFamily: () => store.erasureList.readFamily('test', { sessionId: key.id, seqs: [1] }),
      listErasable: () => store.erasureList.listErasable({ part: 0, after: 0 }),
      continueErasure: () => store.erasure.continueErasure('test', { id: 1, now }),
      advanceErasure: () => store.erasure.advanceErasure('test', { id: 1, from: 'rebuilding' }),
      readErasure: () => store.erasure.readErasure('test', 1),
      listOpenErasures: () => store.erasure.listOpenErasures('test'),
      listWithheld: () => store.rebuilds.listWithheld('test', { left: 'nothing', limit: 1 }),
      commitRebuilt: () =>
        store.rebuilds.commitRebuilt(key, {
          id: 1,
          expectedEpoch: 0,
          summary: '',
          events: [],
          details: [],
          text: '',
          messageCount: 0,
          summarizer: 'test',
          promptVersion: '1',
          tokensBefore: 0,
          tokensAfter: 0,
          isProper: true,
        }),
      readOutdated: () => store.rebuilds.readOutdated(key),
      endCorrections: () => store.rebuilds.endCorrections(key, { leaseToken: 1 }),
      failRebuild: () => store.rebuilds.failRebuild(key, { leaseToken: 1, retryAt: now }),
      listErasedDocuments: () => store.mirror.listErasedDocuments('test'),
      forgetErasedDocuments: () => store.mirror.forgetErasedDocuments('test', []),
      noteErasedDocuments: () => store.erasureList.noteErasedDocuments('test', []),
      trustFiles: () => store.erasureList.trustFiles('test', []),
      scrub: () => store.erasure.scrub(),
      readScrub: () => store.erasure.readScrub('test', 1),
      // A store may leave this method out.
      checkUp: async () =>
        store.database.checkUp
          ? store.database.checkUp({ now: 0, isDeep: true })
          : store.erasure.readScrub('test', 1),
      readContext: () => store.context.readContext(key, { tokens: 1, archivedTokens: 0 }),
      readPins: () => store.pins.readPins(key),
      pin: () => store.pins.pin(key, { seq: 1, note: null, tokens: 1, mostTokens: 1, now }),
      unpin: () => store.pins.unpin(key, 1),
      readPlan: () => store.folds.readPlan(key),
      readSnapshot: () => store.schedule.readSnapshot(key, { policy: POLICY, now }),
      edit: () => store.log.edit(key, { seq: 1, content: 'x', size: { characters: 1, tokens: 1 }, now }),
      rollback: () => store.log.rollback(key, { toSeq: 0, now }),
      fork: () => store.transfer.fork(key, { newId: 'copy', atSeq: 1, now }),
      exportSession: () => store.transfer.exportSession(key),
      importSession: () =>
        store.transfer.importSession({ ...key, id: 'copy' }, file, {
          measure: () => ({ characters: 1, tokens: 1 }),
          groupTurnMessages: 12,
          now,
        }),
      listNamespaces: () => store.copies.listNamespaces({ limit: 1 }),
      readCopyState: () => store.copies.readCopyState(key),
      readCopyPage: () => store.copies.readCopyPage(key, null),
      importCopy: () =>
        store.copies.importCopy(
          { ...key, id: 'copy' },
          { pages: (async function* () {})(), original: { mark: '', epoch: 0, store: '' }, now },
        ),
      noteVerified: () => store.copies.noteVerified(key, ''),
      readDocumentCopy: () => store.copies.readDocumentCopy(GLOBAL),
      importDocumentCopy: () => store.copies.importDocumentCopy(GLOBAL, { rows: [], replaces: null, now }),
      updateSettings: () => store.settings.updateSettings(key, {}),
      readSettings: () => store.settings.readSettings('test'),
      writeSettings: () => store.settings.writeSettings('test', { policy: 'count' }),
      readIdentity: () => store.database.readIdentity(),
      readRevision: () => store.settings.readRevision(),
      addKey: () => store.keys.addKey(apiKey()),
      readKey: () => store.keys.readKey('one'),
      listKeys: () => store.keys.listKeys(),
      removeKey: () => store.keys.removeKey('one'),
      beginRequest: () => store.requests.beginRequest('test', { name: 'a', fingerprint: 'b', now, until: 1 }),
      finishRequest: () =>
        store.requests.finishRequest('test', { name: 'a', begunUntil: 1, answer: {}, until: 1 }),
      dropRequest: () => store.requests.dropRequest('test', { name: 'a', begunUntil: 1 }),
      readOwnSettings: () => store.settings.readOwnSettings(key),
      recordMeasures: () => store.sessions.recordMeasures(key, { overheadTokens: 1 }),
      acquireLease: () => store.folds.acquireLease(key, { owner: 'test', ttlMs: 1, now }),
      renewLease: () => store.folds.renewLease(key, { token: 1, ttlMs: 1, now }),
      releaseLease: () => store.folds.releaseLease(key, 1),
      commitFold: () => store.folds.commitFold(commit),
      failFold: () => store.folds.failFold(key, { leaseToken: 1, backoffUntil: 1, outcome: {}, now }),
      judge: () => store.schedule.judge(key, { policy: POLICY, now }),
      setPending: () => store.schedule.setPending(key, FORCE),
      enqueueDue: () => store.jobs.enqueueDue({ now, limit: 1 }),
      enqueuePending: () => store.jobs.enqueuePending({ after: null, limit: 1 }),
      endFoldJob: () => store.jobs.endFoldJob(key, { policy: POLICY, now, claim: { id: '', retryCount: 0 } }),
      listPending: () => store.schedule.listPending('test', { limit: 1 }),
      listDue: () => store.schedule.listDue('test', { kind: 'judging', now: 1, limit: 1 }),
      nextDueAt: () => store.schedule.nextDueAt('test', 'judging'),
      readDocument: () => store.documents.readDocument(GLOBAL),
      listDocuments: () => store.documents.listDocuments('test', { limit: 1 }),
      changeDocuments: () => store.documents.changeDocuments([]),
      readDocumentVersions: () => store.documents.readDocumentVersions(GLOBAL, { limit: 1 }),
      readFacts: () => store.documents.readFacts(GLOBAL, 'all'),
      freezeLayers: () =>
        store.context.freezeLayers(key, { expectedEpoch: 0, days: [], language: 'en', refresh: false }),
      readLayerTexts: () => store.context.readLayerTexts(key, []),
      readCondensedLines: () => store.context.readCondensedLines(key, { layer: 'global', key: '', limit: 1 }),
      commitExtraction: () =>
        store.extraction.commitExtraction({
          key,
          leaseToken: 1,
          after: 0,
          through: 1,
          read: { messages: 1, versions: 1 },
          documents: [],
          rules: { when: 'batch', batchMessages: 1, idleMs: 1 },
          now,
        }),
      judgeExtraction: () =>
        store.extraction.judgeExtraction(key, { rules: { when: 'off', batchMessages: 1, idleMs: 1 }, now }),
      failExtraction: () => store.extraction.failExtraction(key, { retryAt: 1 }),
      findSpendLimit: () => store.spending.findSpendLimit(key, spending),
      readSpending: () => store.spending.readSpending('test', { now }),
      reserveCall: () => store.spending.reserveCall(key, { ...spending, tokens: 1 }),
      settleCall: () =>
        store.spending.settleCall(
          'test',
          { model: 'm', tokens: 1, windowStart: 0, session: null },
          { calls: 1, tokens: 2 },
        ),
      takeLease: () => store.leases.takeLease('test', { name: 'x', owner: 'test', ttlMs: 1, now }),
      dropLease: () => store.leases.dropLease('test', { name: 'x', token: 1 }),
      listUnmirrored: () => store.mirror.listUnmirrored('test', { limit: 1 }),
      readMirrorStates: () => store.mirror.readMirrorStates('test', []),
      readDay: () => store.mirror.readDay('test', '2026-01-15'),
      noteMirrored: () => store.mirror.noteMirrored('test', []),
      setMirrorFolder: () => store.mirror.setMirrorFolder('test', '/nowhere'),
      readMirrorFolder: () => store.mirror.readMirrorFolder('test'),
      readEvents: () => store.events.readEvents({ after: null, limit: 1 }),
      readLastPosition: () => store.events.readLastPosition(),
      readFirstPosition: () => store.events.readFirstPosition(),
      noteConsumer: () => store.events.noteConsumer('test', { name: 'x', after: null, now }),
      forgetConsumer: () => store.events.forgetConsumer('test', 'x'),
      trimEvents: () => store.events.trimEvents({ now, retentionMs: 1 }),
    }
    for (const call of Object.values(calls)) await refuses(call(), 'closed')
  },

  'finishes what is under way before it closes': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(1000)
    const file = await chat.file()
    const options = { measure: () => ({ characters: 1, tokens: 1 }), groupTurnMessages: 12, now: chat.now }
    const underWay = Promise.all([
      chat.fork('fork', 900),
      store.transfer.importSession(chat.beside('copy').key, file, options),
      store.settings.updateSettings(chat.key, { last: 'words' }),
      ...Array.from({ length: 50 }, () => chat.append(message('last words'))),
      chat.record(),
    ])
    await Promise.all([store.close(), underWay])
    const again = await open()
    assert.equal((await new Chat(again).messages()).length, 1050)
    assert.equal((await new Chat(again, 'fork').messages()).length, 900)
    assert.equal((await new Chat(again, 'copy').messages()).length, 1000)
  },
})
