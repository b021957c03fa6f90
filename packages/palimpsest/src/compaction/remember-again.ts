import { type Message, mergePeople, type Person, withoutRecalled } from '../log/index.ts'
import type { DocumentWrite, SessionKey, SessionRecord, Store, WithheldSegment } from '../store/index.ts'
import type { Summarizer } from '../summarizer/index.ts'
import type { FoldEngine } from './fold-session.ts'
import { peopleOf, peopleOfSegments } from './people.ts'
import { readMessages } from './read-messages.ts'
import type { Learned } from './rebuild-segment.ts'
import { MAX_SOURCE_TOKENS } from './source.ts'

export interface RememberEngine {
  readonly store: Pick<Store, 'sessions' | 'documents' | 'log' | 'folds'>
  readonly zone: string
  readonly rememberFold?: FoldEngine['rememberFold']
}

/**
 * The origin of a fold's lines is the whole fold, so the erasure of one message removed all of them. New
 * lines are made from the messages that are left. If any line of this range is still there, none was removed.
 */
export async function rememberAgain(
  engine: RememberEngine,
  { key, segment, lower }: WithheldSegment,
  by: { readonly summarizer: Summarizer; readonly signal: AbortSignal },
): Promise<readonly DocumentWrite[]> {
  const { store, rememberFold } = engine
  if (!rememberFold || segment.level !== 1) return []
  // A segment made from a window covers other segments too. Their folds had their own lines.
  const fromSeq = (lower.at(-1)?.toSeq ?? segment.fromSeq - 1) + 1
  const session = await store.sessions.readSession(key)
  const facts = await store.documents.readFacts(
    { namespace: key.namespace, layer: 'chat', key: key.id },
    'current',
  )
  const isTold = facts.some(
    ({ from, origin }) =>
      from === 'fold' &&
      origin.sessionId === key.id &&
      origin.fromSeq <= segment.toSeq &&
      origin.toSeq >= fromSeq,
  )
  if (session === null || isTold) return []
  const { messages } = await readMessages(store.log, key, {
    fromSeq,
    toSeq: segment.toSeq,
    mostTokens: MAX_SOURCE_TOKENS,
  })
  if (messages.length === 0) return []
  const people = await peopleWith(engine, session, { key, messages })
  return rememberFold({ key, session, messages, extracts: null, people, superseded: [], ...by })
}

async function peopleWith(
  { store, zone }: RememberEngine,
  session: SessionRecord,
  { key, messages }: { key: SessionKey; messages: readonly Message[] },
): Promise<readonly Person[]> {
  const segments = await store.folds.readSegments(key, 'shown')
  return mergePeople(peopleOfSegments(segments), peopleOf(messages, session.zone ?? zone))
}

/**
 * For a segment that was rebuilt after an edit. Its lines replace all lines that folds took from these
 * messages. A segment that another one has replaced no longer has lines of its own.
 */
export async function rememberEdited(
  engine: RememberEngine & Pick<FoldEngine, 'summarizer'>,
  { key, segment }: WithheldSegment,
  { messages, extracts, ...by }: Learned & { readonly summarizer: Summarizer; readonly signal: AbortSignal },
): Promise<readonly DocumentWrite[]> {
  const { store, rememberFold, summarizer: configured } = engine
  const isReplaced = segment.rolledInto !== null && by.summarizer.name !== configured.name
  if (!rememberFold || messages.length === 0 || isReplaced) return []
  const session = await store.sessions.readSession(key)
  if (session === null) return []
  const instants = new Set(messages.map(({ at }) => at.getTime()))
  return rememberFold({
    key,
    session,
    messages: withoutRecalled(messages),
    extracts,
    people: await peopleWith(engine, session, { key, messages }),
    superseded: [],
    isStale: ({ from, origin, saidAt }) =>
      from === 'fold' &&
      origin.sessionId === key.id &&
      origin.fromSeq <= segment.toSeq &&
      origin.toSeq >= segment.fromSeq &&
      instants.has(saidAt.getTime()),
    ...by,
  })
}
