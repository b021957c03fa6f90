import type { Store } from '../store/index.ts'
import { appendRedacted } from './append-redacted.ts'
import { type Redact, redactorFor } from './redact.ts'
import { redactJson } from './redact-json.ts'
import {
  type Measures,
  type Redaction,
  redactContent,
  redactFile,
  redactMemo,
  redactNote,
  redactSegment,
  redactWrite,
  resize,
} from './redact-records.ts'
import { replaceTailRedacted } from './replace-tail-redacted.ts'

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
  open: 'opens and closes',
  close: 'opens and closes',

  append: (store, redaction) => request => appendRedacted(store, request, redaction),
  replaceTail: (store, redaction) => request => replaceTailRedacted(store, request, redaction),
  edit: (store, redaction) => async (key, change) => {
    const content = redactContent(change.content, redaction.redact)
    if (content === change.content) return store.edit(key, change)
    // Whoever sent it weighs the same before and after.
    const size = resize(change.size, redaction.measures, [
      { ...change, sender: null },
      { content, sender: null },
    ])
    return store.edit(key, { ...change, content, size })
  },
  importSession: (store, redaction) => async (key, file, options) =>
    store.importSession(key, redactFile(file, redaction), options),
  pin: (store, redaction) => async (key, pin) => store.pin(key, redactNote(pin, redaction)),
  commitFold: (store, redaction) => async commit =>
    store.commitFold({
      ...commit,
      segments: commit.segments.map(segment => redactSegment(segment, redaction)),
      memo: commit.memo && redactMemo(commit.memo, redaction.redact),
      ...(commit.documents && { documents: commit.documents.map(write => redactWrite(write, redaction)) }),
      outcome: redactJson(commit.outcome, redactorFor(redaction.redact, 'outcome')),
    }),
  // What a provider says of a failure may quote a key or a message.
  failFold: (store, redaction) => async (key, failure) =>
    store.failFold(key, {
      ...failure,
      outcome: redactJson(failure.outcome, redactorFor(redaction.redact, 'outcome')),
    }),
  commitExtraction: (store, redaction) => async commit =>
    store.commitExtraction({
      ...commit,
      documents: commit.documents.map(write => redactWrite(write, redaction)),
    }),
  commitRebuilt: (store, redaction) => async (key, rebuilt) =>
    store.commitRebuilt(key, {
      ...redactSegment(rebuilt, redaction),
      ...(rebuilt.documents && { documents: rebuilt.documents.map(write => redactWrite(write, redaction)) }),
    }),
  changeDocuments: (store, redaction) => async writes =>
    store.changeDocuments(writes.map(write => redactWrite(write, redaction))),
  // A policy of the caller's own may put anything there.
  setPending: (store, redaction) => async (key, decision) =>
    store.setPending(key, {
      ...decision,
      meta: redactJson(decision.meta, redactorFor(redaction.redact, 'decision')),
    }),

  rollback: 'copies or hides what is stored',
  fork: 'copies or hides what is stored',
  beginErasure: 'copies or hides what is stored',
  continueErasure: 'copies or hides what is stored',
  advanceErasure: 'copies or hides what is stored',
  forgetErasedDocuments: 'copies or hides what is stored',
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
  beginRequest: 'keys and numbers',
  finishRequest: 'keys and numbers',
  dropRequest: 'keys and numbers',
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

  readWaiting: 'reads',
  readSession: 'reads',
  readSeen: 'reads',
  checkSeen: 'reads',
  listSessions: 'reads',
  listRecentSessions: 'reads',
  readMessages: 'reads',
  readMessagesAt: 'reads',
  readVersions: 'reads',
  readSegment: 'reads',
  readSegments: 'reads',
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
  listWithheld: 'reads',
  listErasedDocuments: 'reads',
  readEvents: 'reads',
  readLastPosition: 'reads',
}
