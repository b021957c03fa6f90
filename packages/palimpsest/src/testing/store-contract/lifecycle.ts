import assert from 'node:assert/strict'
import type { Store } from '../../store/index.ts'
import { Chat, FORCE, message, POLICY } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { apiKey } from './serving.ts'

const GLOBAL = { namespace: 'test', layer: 'global', key: '' } as const

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
    const calls: Record<Exclude<keyof Store, 'name' | 'erasedList' | 'close'>, () => Promise<unknown>> = {
      open: () => store.open(),
      append: () => chat.append(message('late')),
      replaceTail: () => chat.replaceTail([], [message('late')]),
      readWaiting: () => store.readWaiting('test', { limit: 1 }),
      assignTraits: () => store.assignTraits(key, { user: 'ann', scope: null, now }),
      awaitAnswer: () => store.awaitAnswer(key, { seq: 1, awaits: { burst: '', address: {} }, now: 0 }),
      noteWaiting: () => store.noteWaiting(key, { seq: 1, attempts: 1 }),
      settleWaiting: () => store.settleWaiting(key, [1]),
      readAlias: () => store.readAlias(key),
      addAlias: () => store.addAlias(key, 'other'),
      countAllowance: () => store.countAllowance(key, { kind: 'any', within: 1, now: 0 }),
      takeAllowance: () => store.takeAllowance(key, { kind: 'any', limit: 1, within: 1, now: 0 }),
      readSession: () => store.readSession(key),
      readSeen: () => store.readSeen(key),
      checkSeen: () => store.checkSeen(key),
      listSessions: () => store.listSessions('test', { limit: 1 }),
      listRecentSessions: () => store.listRecentSessions('test', { limit: 1 }),
      readMessages: () => store.readMessages(key, { limit: 1, from: 'oldest' }),
      knowsExternalId: () => store.knowsExternalId(key, 'any'),
      readVersions: () => store.readVersions(key, 1),
      readSegments: () => store.readSegments(key, 'all'),
      readSegment: () => store.readSegment(key, 1),
      beginAnew: () => store.beginAnew(key, { policy: chat.policy, now }),
      takeBackBeginning: () => store.takeBackBeginning(key, { policy: chat.policy, now }),
      readBeginnings: () => store.readBeginnings(key),
      readFolds: () => store.readFolds(key, { limit: 1 }),
      readGrowth: () => store.readGrowth(key, 2),
      readSearch: () => store.readSearch('test', { terms: [], page: { limit: 1 } }),
      readMessagesAt: () => store.readMessagesAt(key, [1]),
      readIndexWork: () => store.readIndexWork(key, { messages: 1, characters: 1 }),
      writeIndex: () =>
        store.writeIndex(key, { work: { epoch: 0, indexedThrough: 0, through: 1 }, terms: new Map() }),
      listUnindexed: () => store.listUnindexed('test', { limit: 1 }),
      beginErasure: () => store.beginErasure('test', { target: { kind: 'namespace' }, now }),
      repeatErasure: () => store.repeatErasure({ found: null, listId: 'a', requestedAt: new Date(now) }),
      nameErasure: () => store.nameErasure('test', { id: 1, listId: 'a' }),
      readErasureListIds: () => store.readErasureListIds(),
      readFamily: () => store.readFamily('test', { sessionId: key.id, seqs: [1] }),
      listErasable: () => store.listErasable({ part: 0, after: 0 }),
      continueErasure: () => store.continueErasure('test', { id: 1, now }),
      advanceErasure: () => store.advanceErasure('test', { id: 1, from: 'rebuilding' }),
      readErasure: () => store.readErasure('test', 1),
      listOpenErasures: () => store.listOpenErasures('test'),
      listWithheld: () => store.listWithheld('test', { left: 'nothing', limit: 1 }),
      commitRebuilt: () =>
        store.commitRebuilt(key, {
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
      readOutdated: () => store.readOutdated(key),
      endCorrections: () => store.endCorrections(key, { leaseToken: 1 }),
      failRebuild: () => store.failRebuild(key, { leaseToken: 1, retryAt: now }),
      listRebuildDue: () => store.listRebuildDue('test', { now, limit: 1 }),
      nextRebuildAt: () => store.nextRebuildAt('test'),
      listErasedDocuments: () => store.listErasedDocuments('test'),
      forgetErasedDocuments: () => store.forgetErasedDocuments('test', []),
      noteErasedDocuments: () => store.noteErasedDocuments('test', []),
      trustFiles: () => store.trustFiles('test', []),
      scrub: () => store.scrub(),
      readScrub: () => store.readScrub('test', 1),
      // A store need not have it.
      checkUp: async () =>
        store.checkUp ? store.checkUp({ now: 0, isDeep: true }) : store.readScrub('test', 1),
      readContext: () => store.readContext(key, { tokens: 1, archivedTokens: 0 }),
      readPins: () => store.readPins(key),
      pin: () => store.pin(key, { seq: 1, note: null, tokens: 1, mostTokens: 1, now }),
      unpin: () => store.unpin(key, 1),
      recordCalibrations: () => store.recordCalibrations(key, {}),
      readPlan: () => store.readPlan(key),
      readSnapshot: () => store.readSnapshot(key, { policy: POLICY, now }),
      edit: () => store.edit(key, { seq: 1, content: 'x', size: { characters: 1, tokens: 1 }, now }),
      rollback: () => store.rollback(key, { toSeq: 0, now }),
      fork: () => store.fork(key, { newId: 'copy', atSeq: 1, now }),
      exportSession: () => store.exportSession(key),
      importSession: () =>
        store.importSession({ ...key, id: 'copy' }, file, {
          measure: () => ({ characters: 1, tokens: 1 }),
          groupTurnMessages: 12,
          now,
        }),
      listNamespaces: () => store.listNamespaces({ limit: 1 }),
      readCopyState: () => store.readCopyState(key),
      readCopyPage: () => store.readCopyPage(key, null),
      importCopy: () =>
        store.importCopy(
          { ...key, id: 'copy' },
          { pages: (async function* () {})(), original: { mark: '', epoch: 0, store: '' }, now },
        ),
      noteVerified: () => store.noteVerified(key, ''),
      readDocumentCopy: () => store.readDocumentCopy(GLOBAL),
      importDocumentCopy: () => store.importDocumentCopy(GLOBAL, { rows: [], replaces: null, now }),
      updateSettings: () => store.updateSettings(key, {}),
      readSettings: () => store.readSettings('test'),
      writeSettings: () => store.writeSettings('test', { policy: 'count' }),
      readIdentity: () => store.readIdentity(),
      readRevision: () => store.readRevision(),
      addKey: () => store.addKey(apiKey()),
      readKey: () => store.readKey('one'),
      listKeys: () => store.listKeys(),
      removeKey: () => store.removeKey('one'),
      beginRequest: () => store.beginRequest('test', { name: 'a', fingerprint: 'b', now, until: 1 }),
      finishRequest: () => store.finishRequest('test', { name: 'a', begunUntil: 1, answer: {}, until: 1 }),
      dropRequest: () => store.dropRequest('test', { name: 'a', begunUntil: 1 }),
      readOwnSettings: () => store.readOwnSettings(key),
      recordOverhead: () => store.recordOverhead(key, 1),
      acquireLease: () => store.acquireLease(key, { owner: 'test', ttlMs: 1, now }),
      renewLease: () => store.renewLease(key, { token: 1, ttlMs: 1, now }),
      releaseLease: () => store.releaseLease(key, 1),
      commitFold: () => store.commitFold(commit),
      failFold: () => store.failFold(key, { leaseToken: 1, backoffUntil: 1, outcome: {}, now }),
      judge: () => store.judge(key, { policy: POLICY, now }),
      setPending: () => store.setPending(key, FORCE),
      enqueueDue: () => store.enqueueDue({ now, limit: 1 }),
      enqueuePending: () => store.enqueuePending({ after: null, limit: 1 }),
      endFoldJob: () => store.endFoldJob(key, { policy: POLICY, now, claim: { id: '', retryCount: 0 } }),
      listPending: () => store.listPending('test', { limit: 1 }),
      listDue: () => store.listDue('test', { now: 1, limit: 1 }),
      nextDueAt: () => store.nextDueAt('test'),
      readDocument: () => store.readDocument(GLOBAL),
      listDocuments: () => store.listDocuments('test', { limit: 1 }),
      changeDocuments: () => store.changeDocuments([]),
      readDocumentVersions: () => store.readDocumentVersions(GLOBAL, { limit: 1 }),
      readFacts: () => store.readFacts(GLOBAL, 'all'),
      freezeLayers: () =>
        store.freezeLayers(key, { expectedEpoch: 0, days: [], language: 'en', refresh: false }),
      readLayerTexts: () => store.readLayerTexts(key, []),
      readCondensedLines: () => store.readCondensedLines(key, { layer: 'global', key: '', limit: 1 }),
      commitExtraction: () =>
        store.commitExtraction({
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
        store.judgeExtraction(key, { rules: { when: 'off', batchMessages: 1, idleMs: 1 }, now }),
      failExtraction: () => store.failExtraction(key, { retryAt: 1 }),
      listExtractionDue: () => store.listExtractionDue('test', { now: 1, limit: 1 }),
      nextExtractionAt: () => store.nextExtractionAt('test'),
      findSpendLimit: () => store.findSpendLimit(key, spending),
      readSpending: () => store.readSpending('test', { now }),
      reserveCall: () => store.reserveCall(key, { ...spending, tokens: 1 }),
      settleCall: () =>
        store.settleCall(
          'test',
          { model: 'm', tokens: 1, windowStart: 0, session: null },
          { calls: 1, tokens: 2 },
        ),
      takeLease: () => store.takeLease('test', { name: 'x', owner: 'test', ttlMs: 1, now }),
      dropLease: () => store.dropLease('test', { name: 'x', token: 1 }),
      listUnmirrored: () => store.listUnmirrored('test', { limit: 1 }),
      readMirrorStates: () => store.readMirrorStates('test', []),
      readDay: () => store.readDay('test', '2026-01-15'),
      noteMirrored: () => store.noteMirrored('test', []),
      setMirrorFolder: () => store.setMirrorFolder('test', '/nowhere'),
      readMirrorFolder: () => store.readMirrorFolder('test'),
      readEvents: () => store.readEvents({ after: null, limit: 1 }),
      readLastPosition: () => store.readLastPosition(),
      readFirstPosition: () => store.readFirstPosition(),
      noteConsumer: () => store.noteConsumer('test', { name: 'x', after: null, now }),
      forgetConsumer: () => store.forgetConsumer('test', 'x'),
      trimEvents: () => store.trimEvents({ now, retentionMs: 1 }),
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
      store.importSession(chat.beside('copy').key, file, options),
      store.updateSettings(chat.key, { last: 'words' }),
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
