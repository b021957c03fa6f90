import { InTurn } from '../in-turn.ts'
import type { Content, Size } from '../log/index.ts'
import { type FoldCommit, keyName, type Store } from '../store/index.ts'
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
 * The same store, with every text going through the hook before it reaches a durable write. Inside of it nothing
 * can be forgotten: whoever writes has no other way, and a method that a store gains has to be entered below.
 * Given an object, each write takes the hook that is in it then.
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
  const methods = Object.entries(STORE_METHODS)
    .filter(([name]) => name in store)
    .map(([name, treatment]) => [
      name,
      typeof treatment === 'function' ? treatment(store, redaction) : passOn(store, name as keyof Store),
    ])
  return Object.fromEntries(methods) as Store
}

/** The method as the store has it when it is called: the store may be wrapped itself. */
function passOn(store: Store, name: keyof Store): unknown {
  if (typeof store[name] !== 'function') return store[name]
  return (...args: unknown[]) => (store[name] as (...args: unknown[]) => unknown).apply(store, args)
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
  // The sender weighs the same before and after.
  const versions = [
    { content: change.content, sender: null },
    { content, sender: null },
  ] as const
  return { ...change, content, size: yield* resize(change.size, measures, versions) }
}

async function redactFold(commit: FoldCommit, store: Store, redaction: Redaction): Promise<FoldCommit> {
  const redacted = await runInSlices(redactCommit(commit, redaction))
  if (!commit.documents) return redacted
  return { ...redacted, documents: await redactWrites(commit.documents, store, redaction) }
}

/** Why a method needs no hook. */
type Untouched =
  | 'opens and closes'
  | 'reads'
  | 'keys and numbers'
  | 'copies or hides what is stored'
  | 'made of what is stored'
  | 'the settings of the operator'

type Methods = {
  readonly [Name in keyof Store]-?: Untouched | ((store: Store, redaction: Redaction) => Store[Name])
}

/** Every method of a store: what goes through the hook, or why nothing has to. */
export const STORE_METHODS: Methods = {
  name: 'opens and closes',
  erasedList: 'opens and closes',
  open: 'opens and closes',
  close:
    (store, { turns }) =>
    () =>
      turns.after(() => store.close()),

  append: (store, redaction) => request => appendRedacted(store, request, redaction),
  replaceTail: (store, redaction) => request => replaceTailRedacted(store, request, redaction),
  edit: (store, redaction) => (key, change) =>
    redaction.turns.run(
      keyName(key),
      () => runInSlices(redactChange(change, redaction)),
      redacted => store.edit(key, redacted),
    ),
  importSession: (store, redaction) => (key, file, options) =>
    redaction.turns.run(
      keyName(key),
      () => runInSlices(redactFile(file, redaction)),
      redacted => store.importSession(key, redacted, options),
    ),
  pin: (store, redaction) => (key, pin) =>
    redaction.turns.run(
      keyName(key),
      () => runInSlices(redactNote(pin, redaction)),
      redacted => store.pin(key, redacted),
    ),
  commitFold: (store, redaction) => commit =>
    redaction.turns.run(
      keyName(commit.key),
      () => redactFold(commit, store, redaction),
      redacted => store.commitFold(redacted),
    ),
  // What a provider says of a failure may quote a key or a message.
  failFold: (store, redaction) => (key, failure) =>
    redaction.turns.run(
      keyName(key),
      () => runInSlices(redactJson(failure.outcome, redactorFor(redaction.redact, 'outcome'))),
      outcome => store.failFold(key, { ...failure, outcome }),
    ),
  commitExtraction: (store, redaction) => async commit =>
    store.commitExtraction({
      ...commit,
      documents: await redactWrites(commit.documents, store, redaction),
    }),
  commitRebuilt: (store, redaction) => (key, rebuilt) =>
    redaction.turns.run(
      keyName(key),
      () => runInSlices(redactSegment(rebuilt, redaction)),
      async redacted => {
        const documents = rebuilt.documents && (await redactWrites(rebuilt.documents, store, redaction))
        return store.commitRebuilt(key, { ...redacted, ...(documents && { documents }) })
      },
    ),
  changeDocuments: (store, redaction) => async writes =>
    store.changeDocuments(await redactWrites(writes, store, redaction)),
  // A policy of the caller's own may put anything there.
  setPending: (store, redaction) => (key, decision) =>
    redaction.turns.run(
      keyName(key),
      () => runInSlices(redactJson(decision.meta, redactorFor(redaction.redact, 'decision'))),
      meta => store.setPending(key, { ...decision, meta }),
    ),

  // They hold for what was appended before, also where a long text of it is still looked at.
  rollback:
    (store, { turns }) =>
    (key, ...rest) =>
      turns.after(() => store.rollback(key, ...rest), keyName(key)),
  beginAnew:
    (store, { turns }) =>
    (key, ...rest) =>
      turns.after(() => store.beginAnew(key, ...rest), keyName(key)),
  takeBackBeginning:
    (store, { turns }) =>
    (key, ...rest) =>
      turns.after(() => store.takeBackBeginning(key, ...rest), keyName(key)),
  fork:
    (store, { turns }) =>
    (key, ...rest) =>
      turns.after(() => store.fork(key, ...rest), keyName(key)),
  beginErasure:
    (store, { turns }) =>
    (...args) =>
      turns.after(() => store.beginErasure(...args)),
  repeatErasure: 'copies or hides what is stored',
  nameErasure: 'keys and numbers',
  continueErasure: 'copies or hides what is stored',
  advanceErasure: 'copies or hides what is stored',
  forgetErasedDocuments: 'copies or hides what is stored',
  noteErasedDocuments: 'copies or hides what is stored',
  trustFiles: 'keys and numbers',
  scrub: 'copies or hides what is stored',
  importCopy: 'copies or hides what is stored',
  importDocumentCopy: 'copies or hides what is stored',

  writeIndex: 'made of what is stored',
  freezeLayers: 'made of what is stored',
  noteMirrored: 'made of what is stored',
  judge: 'made of what is stored',
  judgeExtraction: 'made of what is stored',

  updateSettings: 'the settings of the operator',
  writeSettings: 'the settings of the operator',
  addKey: 'the settings of the operator',
  removeKey: 'the settings of the operator',

  assignTraits: 'keys and numbers',
  // Of what an answer is sent to or was sent as, its ids.
  awaitAnswer: 'keys and numbers',
  noteWaiting: 'keys and numbers',
  settleWaiting: 'keys and numbers',
  addAlias: 'keys and numbers',
  takeAllowance: 'keys and numbers',
  beginRequest: 'keys and numbers',
  finishRequest: 'keys and numbers',
  dropRequest: 'keys and numbers',
  noteConsumer: 'keys and numbers',
  forgetConsumer: 'keys and numbers',
  trimEvents: 'keys and numbers',
  unpin: 'keys and numbers',
  recordOverhead: 'keys and numbers',
  recordCalibrations: 'keys and numbers',
  acquireLease: 'made of what is stored',
  renewLease: 'keys and numbers',
  releaseLease: 'keys and numbers',
  findSpendLimit: 'reads',
  readSpending: 'reads',
  reserveCall: 'keys and numbers',
  settleCall: 'keys and numbers',
  takeLease: 'keys and numbers',
  dropLease: 'keys and numbers',
  failExtraction: 'keys and numbers',
  setMirrorFolder: 'keys and numbers',
  noteVerified: 'keys and numbers',

  readScrub: 'reads',
  checkUp: 'reads',
  readWaiting: 'reads',
  readAlias: 'reads',
  countAllowance: 'reads',
  readSession: 'reads',
  readSeen: 'reads',
  checkSeen: 'reads',
  listSessions: 'reads',
  listRecentSessions: 'reads',
  readMessages: 'reads',
  knowsExternalId: 'reads',
  readMessagesAt: 'reads',
  readVersions: 'reads',
  readSegment: 'reads',
  readSegments: 'reads',
  readBeginnings: 'reads',
  readFolds: 'reads',
  readGrowth: 'reads',
  readContext: 'reads',
  readPlan: 'reads',
  exportSession: 'reads',
  listNamespaces: 'reads',
  readCopyState: 'reads',
  readCopyPage: 'reads',
  readDocumentCopy: 'reads',
  readPins: 'reads',
  readSettings: 'reads',
  readOwnSettings: 'reads',
  readIdentity: 'reads',
  readRevision: 'reads',
  readKey: 'reads',
  listKeys: 'reads',
  readSnapshot: 'reads',
  enqueueDue: 'keys and numbers',
  enqueuePending: 'keys and numbers',
  endFoldJob: 'made of what is stored',
  listPending: 'reads',
  listDue: 'reads',
  nextDueAt: 'reads',
  readDocument: 'reads',
  listDocuments: 'reads',
  readDocumentVersions: 'reads',
  readFacts: 'reads',
  readLayerTexts: 'reads',
  readCondensedLines: 'reads',
  listExtractionDue: 'reads',
  nextExtractionAt: 'reads',
  listUnmirrored: 'reads',
  readMirrorStates: 'reads',
  readMirrorFolder: 'reads',
  readDay: 'reads',
  readSearch: 'reads',
  readIndexWork: 'reads',
  listUnindexed: 'reads',
  readErasure: 'reads',
  listOpenErasures: 'reads',
  readErasureListIds: 'reads',
  readFamily: 'reads',
  listErasable: 'reads',
  listWithheld: 'reads',
  readOutdated: 'reads',
  endCorrections: 'keys and numbers',
  failRebuild: 'keys and numbers',
  listRebuildDue: 'reads',
  nextRebuildAt: 'reads',
  listErasedDocuments: 'reads',
  readEvents: 'reads',
  readFirstPosition: 'reads',
  readLastPosition: 'reads',
}
