import { InTurn } from '../in-turn.ts'
import type { Content, Size } from '../log/index.ts'
import { type FoldCommit, keyName, type Ports, type Store } from '../store/index.ts'
import { appendRedacted } from './append-redacted.ts'
import { type Redact, redactorFor } from './redact.ts'
import { redactJson } from './redact-json.ts'
import {
  type Measures,
  mapInSteps,
  type Redaction,
  redactContent,
  redactFile,
  redactMemo,
  redactNote,
  redactSegment,
  redactWrites,
  resize,
} from './redact-records.ts'
import { replaceTailRedacted } from './replace-tail-redacted.ts'
import { runInSlices, type Steps } from './steps.ts'

/**
 * The same store, but every text goes through the hook before a durable write. A writer has no other way, so
 * no text can miss the hook. A new method of a store has to be entered below. If `redact` is an object, each
 * write uses the hook that the object holds at that time.
 */
export function redactingStore(
  store: Store,
  redact: Redact | { readonly hook: Redact },
  measures: Measures,
): Store {
  const redaction: Redaction = {
    measures,
    turns: new InTurn(),
    get redact() {
      return typeof redact === 'function' ? redact : redact.hook
    },
  }
  const ports = Object.entries(PORT_METHODS).map(([name, treatments]) => [
    name,
    redactingPort(store, name as keyof Ports, { treatments, redaction }),
  ])
  return {
    ...(Object.fromEntries(ports) as Ports),
    name: store.name,
    get erasedList() {
      return store.erasedList ?? null
    },
    open: () => store.open(),
    close: () => redaction.turns.after(() => store.close()),
  }
}

type Method = (...args: unknown[]) => unknown

function redactingPort(
  store: Store,
  name: keyof Ports,
  { treatments, redaction }: { readonly treatments: Methods[keyof Ports]; readonly redaction: Redaction },
): object {
  const port = store[name] as unknown as Readonly<Record<string, Method>>
  const methods = Object.entries<Untouched | ((store: Store, redaction: Redaction) => unknown)>(treatments)
    .filter(([method]) => method in port)
    .map(([method, treatment]) => [
      method,
      // Looked up at each call: the store may be wrapped itself.
      typeof treatment === 'function'
        ? treatment(store, redaction)
        : (...args: unknown[]) => port[method]!(...args),
    ])
  return Object.fromEntries(methods)
}

function* redactCommit(commit: FoldCommit, redaction: Redaction): Steps<FoldCommit> {
  const { redact } = redaction
  return {
    ...commit,
    segments: yield* mapInSteps(commit.segments, segment => redactSegment(segment, redaction)),
    memo: commit.memo && (yield* redactMemo(commit.memo, redact)),
    outcome: yield* redactJson(commit.outcome, redactorFor(redact, 'outcome')),
  }
}

function* redactChange<Change extends { readonly content: Content; readonly size: Size }>(
  change: Change,
  { redact, measures }: Redaction,
): Steps<Change> {
  const content = yield* redactContent(change.content, redact)
  if (content === change.content) return change
  // The sender adds the same size before and after.
  const versions = [
    { content: change.content, sender: null },
    { content, sender: null },
  ] as const
  return { ...change, content, size: yield* resize(change.size, measures, versions) }
}

async function redactFold(commit: FoldCommit, store: Store, redaction: Redaction): Promise<FoldCommit> {
  const redacted = await runInSlices(redactCommit(commit, redaction))
  if (!commit.documents) return redacted
  return { ...redacted, documents: await redactWrites(commit.documents, store.documents, redaction) }
}

/** Why a method needs no hook. */
type Untouched =
  | 'reads'
  | 'keys and numbers'
  | 'copies or hides what is stored'
  | 'made of what is stored'
  | 'the settings of the operator'

type Methods = {
  readonly [Port in keyof Ports]: {
    readonly [Name in keyof Ports[Port]]-?:
      | Untouched
      | ((store: Store, redaction: Redaction) => Ports[Port][Name])
  }
}

/**
 * Every method of a store: what goes through the hook, or why nothing has to. A method that hides or copies
 * earlier messages waits for them, even while a long one of them is still being redacted.
 */
export const PORT_METHODS: Methods = {
  log: {
    append: (store, redaction) => request => appendRedacted(store, request, redaction),
    replaceTail: (store, redaction) => request => replaceTailRedacted(store, request, redaction),
    edit: (store, redaction) => (key, change) =>
      redaction.turns.run(
        keyName(key),
        () => runInSlices(redactChange(change, redaction)),
        redacted => store.log.edit(key, redacted),
      ),
    rollback:
      (store, { turns }) =>
      (key, ...rest) =>
        turns.after(() => store.log.rollback(key, ...rest), keyName(key)),
    readMessages: 'reads',
    knowsExternalId: 'reads',
    readVersions: 'reads',
  },
  pins: {
    readPins: 'reads',
    pin: (store, redaction) => (key, pin) =>
      redaction.turns.run(
        keyName(key),
        () => runInSlices(redactNote(pin, redaction)),
        redacted => store.pins.pin(key, redacted),
      ),
    unpin: 'keys and numbers',
  },
  beginnings: {
    beginAnew:
      (store, { turns }) =>
      (key, ...rest) =>
        turns.after(() => store.beginnings.beginAnew(key, ...rest), keyName(key)),
    takeBackBeginning:
      (store, { turns }) =>
      (key, ...rest) =>
        turns.after(() => store.beginnings.takeBackBeginning(key, ...rest), keyName(key)),
    readBeginnings: 'reads',
  },
  sessions: {
    readSession: 'reads',
    listSessions: 'reads',
    listRecentSessions: 'reads',
    readGrowth: 'reads',
    recordMeasures: 'keys and numbers',
    assignTraits: 'keys and numbers',
    readSeen: 'reads',
    checkSeen: 'reads',
  },
  folds: {
    readPlan: 'reads',
    readSegments: 'reads',
    readSegment: 'reads',
    readFolds: 'reads',
    acquireLease: 'made of what is stored',
    renewLease: 'keys and numbers',
    releaseLease: 'keys and numbers',
    commitFold: (store, redaction) => commit =>
      redaction.turns.run(
        keyName(commit.key),
        () => redactFold(commit, store, redaction),
        redacted => store.folds.commitFold(redacted),
      ),
    // A provider's error text may quote a key or a message.
    failFold: (store, redaction) => (key, failure) =>
      redaction.turns.run(
        keyName(key),
        () => runInSlices(redactJson(failure.outcome, redactorFor(redaction.redact, 'outcome'))),
        outcome => store.folds.failFold(key, { ...failure, outcome }),
      ),
  },
  schedule: {
    readSnapshot: 'reads',
    judge: 'made of what is stored',
    // The caller's own policy may put anything there.
    setPending: (store, redaction) => (key, decision) =>
      redaction.turns.run(
        keyName(key),
        () => runInSlices(redactJson(decision.meta, redactorFor(redaction.redact, 'decision'))),
        meta => store.schedule.setPending(key, { ...decision, meta }),
      ),
    listPending: 'reads',
    listDue: 'reads',
    nextDueAt: 'reads',
  },
  jobs: {
    enqueueDue: 'keys and numbers',
    enqueuePending: 'keys and numbers',
    endFoldJob: 'made of what is stored',
  },
  inbox: {
    readWaiting: 'reads',
    // Only the ids of what an answer is sent to, and of what it was sent as.
    awaitAnswer: 'keys and numbers',
    noteWaiting: 'keys and numbers',
    settleWaiting: 'keys and numbers',
    countAllowance: 'reads',
    takeAllowance: 'keys and numbers',
    readAlias: 'reads',
    addAlias: 'keys and numbers',
  },
  context: {
    readContext: 'reads',
    freezeLayers: 'made of what is stored',
    readLayerTexts: 'reads',
    readCondensedLines: 'reads',
  },
  documents: {
    readDocument: 'reads',
    listDocuments: 'reads',
    changeDocuments: (store, redaction) => async writes =>
      store.documents.changeDocuments(await redactWrites(writes, store.documents, redaction)),
    readDocumentVersions: 'reads',
    readFacts: 'reads',
  },
  extraction: {
    commitExtraction: (store, redaction) => async commit =>
      store.extraction.commitExtraction({
        ...commit,
        documents: await redactWrites(commit.documents, store.documents, redaction),
      }),
    judgeExtraction: 'made of what is stored',
    failExtraction: 'keys and numbers',
  },
  rebuilds: {
    listWithheld: 'reads',
    commitRebuilt: (store, redaction) => (key, rebuilt) =>
      redaction.turns.run(
        keyName(key),
        () => runInSlices(redactSegment(rebuilt, redaction)),
        async redacted => {
          const documents =
            rebuilt.documents && (await redactWrites(rebuilt.documents, store.documents, redaction))
          return store.rebuilds.commitRebuilt(key, { ...redacted, ...(documents && { documents }) })
        },
      ),
    readOutdated: 'reads',
    endCorrections: 'keys and numbers',
    failRebuild: 'keys and numbers',
  },
  mirror: {
    listUnmirrored: 'reads',
    readMirrorStates: 'reads',
    readDay: 'reads',
    noteMirrored: 'made of what is stored',
    setMirrorFolder: 'keys and numbers',
    readMirrorFolder: 'reads',
    listErasedDocuments: 'reads',
    forgetErasedDocuments: 'copies or hides what is stored',
  },
  search: {
    readSearch: 'reads',
    readIndexWork: 'reads',
    writeIndex: 'made of what is stored',
    listUnindexed: 'reads',
  },
  erasure: {
    beginErasure:
      (store, { turns }) =>
      (...args) =>
        turns.after(() => store.erasure.beginErasure(...args)),
    continueErasure: 'copies or hides what is stored',
    advanceErasure: 'copies or hides what is stored',
    readErasure: 'reads',
    listOpenErasures: 'reads',
    scrub: 'copies or hides what is stored',
    readScrub: 'reads',
  },
  erasureList: {
    nameErasure: 'keys and numbers',
    readErasureListIds: 'reads',
    readFamily: 'reads',
    listErasable: 'reads',
    repeatErasure: 'copies or hides what is stored',
    trustFiles: 'keys and numbers',
    noteErasedDocuments: 'copies or hides what is stored',
  },
  transfer: {
    fork:
      (store, { turns }) =>
      (key, ...rest) =>
        turns.after(() => store.transfer.fork(key, ...rest), keyName(key)),
    exportSession: 'reads',
    importSession: (store, redaction) => (key, file, options) =>
      redaction.turns.run(
        keyName(key),
        () => runInSlices(redactFile(file, redaction)),
        redacted => store.transfer.importSession(key, redacted, options),
      ),
  },
  copies: {
    listNamespaces: 'reads',
    readCopyState: 'reads',
    readCopyPage: 'reads',
    importCopy: 'copies or hides what is stored',
    noteVerified: 'keys and numbers',
    readDocumentCopy: 'reads',
    importDocumentCopy: 'copies or hides what is stored',
  },
  settings: {
    updateSettings: 'the settings of the operator',
    readOwnSettings: 'reads',
    readSettings: 'reads',
    writeSettings: 'the settings of the operator',
    readRevision: 'reads',
  },
  keys: {
    addKey: 'the settings of the operator',
    readKey: 'reads',
    listKeys: 'reads',
    removeKey: 'the settings of the operator',
  },
  requests: {
    beginRequest: 'keys and numbers',
    finishRequest: 'keys and numbers',
    dropRequest: 'keys and numbers',
  },
  spending: {
    findSpendLimit: 'reads',
    readSpending: 'reads',
    reserveCall: 'keys and numbers',
    settleCall: 'keys and numbers',
  },
  events: {
    readEvents: 'reads',
    readLastPosition: 'reads',
    readFirstPosition: 'reads',
    noteConsumer: 'keys and numbers',
    forgetConsumer: 'keys and numbers',
    trimEvents: 'keys and numbers',
  },
  leases: {
    takeLease: 'keys and numbers',
    dropLease: 'keys and numbers',
  },
  database: {
    readIdentity: 'reads',
    checkUp: 'reads',
  },
}
