import { PalimpsestError } from 'palimpsest/internals/errors'
import {
  CopyHash,
  type CopyPage,
  type CopyState,
  type CopyStore,
  type SessionKey,
  type Store,
} from 'palimpsest/internals/store/index'

/**
 * - `conflict`: the target holds another session or document under this name.
 * - `missing`, `different`: the comparison found it.
 * - `rewritten`: a fold or an edit came between during every attempt.
 * - `erasing`: an erasure is under way, and what it erases must not be copied.
 * - `unusable`: it holds a number that no number can follow.
 */
export type DifferenceReason = 'conflict' | 'missing' | 'different' | 'rewritten' | 'erasing' | 'unusable'

export interface Difference {
  readonly kind: 'session' | 'document' | 'setting' | 'key' | 'namespace'
  readonly namespace: string
  readonly name: string
  readonly reason: DifferenceReason
}

export interface Stores {
  readonly from: Store
  readonly to: Store
  /** Called with each page that was read from the original. It throws to end the work. */
  readonly onPage: (page: CopyPage) => void
  readonly now: () => number
}

export interface CopiedSession {
  readonly outcome: 'copied' | 'updated' | 'unchanged' | Exclude<DifferenceReason, 'erasing'>
  readonly written: number
  /** The number of messages that this run compared. */
  readonly verified: number
}

/**
 * How often a session is read page by page, and after that in one piece. While a backlog folds, the epoch
 * changes between any two pages.
 */
const TRIES = 5
const TRIES_IN_ONE = 5
/**
 * More messages in one piece would need too much memory on a small machine, and would hold up writers for too
 * long.
 */
const MAX_MESSAGES_IN_ONE = 50_000
/**
 * Up to this many missing messages are added in one transaction. With more, the copy is written anew and
 * takes the place of the old one.
 */
const MAX_ADDED = 2_000

/**
 * Copies one session. The marks of both stores decide what has to be done; the messages are not read for
 * that.
 */
export async function copySession(key: SessionKey, stores: Stores): Promise<CopiedSession> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToCopy(key, stores, attempt)
    } catch (error) {
      if (!PalimpsestError.isInstance(error)) throw error
      // Another process wrote into the target in the meantime.
      if (error.code === 'session_exists') return { outcome: 'conflict', written: 0, verified: 0 }
      if (error.code === 'invalid_export') return { outcome: 'unusable', written: 0, verified: 0 }
      if (error.code === 'lease_lost') throw overtaken(error)
      if (error.code !== 'epoch_conflict') throw error
      if (attempt === TRIES + TRIES_IN_ONE) return { outcome: 'rewritten', written: 0, verified: 0 }
    }
  }
}

function overtaken(cause: PalimpsestError): PalimpsestError {
  const message = 'Another copy into the same database began meanwhile, and goes on with what this one wrote.'
  return new PalimpsestError('lease_lost', message, cause.details, { cause })
}

async function tryToCopy(key: SessionKey, stores: Stores, attempt: number): Promise<CopiedSession> {
  const { from, to } = stores
  const [original, copy] = await Promise.all([from.copies.readCopyState(key), to.copies.readCopyState(key)])
  // The session was erased after it was listed.
  if (original === null) return { outcome: 'unchanged', written: 0, verified: 0 }
  const record = copy?.copied
  const inOne = isInOne(original, attempt)
  if (copy !== null && record?.copy !== copy.contentMark) return compare(key, stores, inOne)
  if (record?.original === original.mark)
    return record.verified
      ? { outcome: 'unchanged', written: 0, verified: 0 }
      : verify(key, record.hash, stores)
  const receipt = await to.copies.importCopy(key, {
    pages: pagesOf(from, { key, epoch: original.epoch, onPage: stores.onPage, inOne }),
    original: { ...original, store: from.name },
    ...(copy && { replaces: { contentMark: copy.contentMark, after: addedAfter(original, copy) } }),
    now: stores.now(),
  })
  const { hash, written, messages } = receipt
  const done = copy ? 'updated' : 'copied'
  if (receipt.verified) return { outcome: done, written, verified: messages }
  const { outcome, verified } = await verify(key, hash, stores)
  return { outcome: outcome === 'unchanged' ? done : outcome, written, verified }
}

function isInOne({ lastSeq }: Pick<CopyState, 'lastSeq'>, attempt: number): boolean {
  return attempt > TRIES && lastSeq <= MAX_MESSAGES_IN_ONE
}

/**
 * The seq after which messages are added. 0: everything is written anew, since the original was rewritten or
 * has much that is new.
 */
function addedAfter(original: CopyState, copy: CopyState): number {
  const isLittle = original.lastSeq - copy.lastSeq <= MAX_ADDED
  return copy.copied?.epoch === original.epoch && isLittle ? copy.lastSeq : 0
}

/** Reads the copy again: only what is stored counts, not what was sent. */
async function verify(key: SessionKey, hash: string, { to, onPage }: Stores): Promise<CopiedSession> {
  const read = await hashOf(to, key, page => onPage({ ...page, rows: [] }))
  if (read.hash !== hash) return { outcome: 'different', written: 0, verified: read.messages }
  await to.copies.noteVerified(key, hash)
  return { outcome: 'unchanged', written: 0, verified: read.messages }
}

/** Compares a session that was not copied from here, or that was written to since. */
async function compare(
  key: SessionKey,
  { from, to, onPage }: Stores,
  inOne: boolean,
): Promise<CopiedSession> {
  const [original, copy] = [await hashOf(from, key, onPage, inOne), await hashOf(to, key, onPage)]
  const outcome = original.hash === copy.hash ? 'unchanged' : 'conflict'
  return { outcome, written: 0, verified: original.messages }
}

/** Compares and writes nothing, not even a note that both are the same. */
export async function compareSession(key: SessionKey, stores: Stores): Promise<CopiedSession> {
  const there = await stores.to.copies.readCopyState(key)
  if (there === null) return { outcome: 'missing', written: 0, verified: 0 }
  for (let attempt = 1; ; attempt++) {
    try {
      const { outcome, ...figures } = await compare(key, stores, isInOne(there, attempt))
      return { outcome: outcome === 'conflict' ? 'different' : outcome, ...figures }
    } catch (error) {
      if (!PalimpsestError.isInstance(error) || error.code !== 'epoch_conflict') throw error
      if (attempt === TRIES + TRIES_IN_ONE) return { outcome: 'rewritten', written: 0, verified: 0 }
    }
  }
}

async function hashOf(store: Store, key: SessionKey, onPage: (page: CopyPage) => void, inOne = false) {
  const hash = new CopyHash()
  const epoch = inOne ? (await store.copies.readCopyState(key))?.epoch : undefined
  for await (const page of pagesOf(store, { key, onPage, inOne, ...(epoch !== undefined && { epoch }) }))
    hash.add(page.rows)
  return { hash: hash.digest(), messages: hash.messages }
}

async function* pagesOf(
  store: Store,
  {
    key,
    epoch,
    onPage,
    inOne,
  }: { key: SessionKey; epoch?: number; onPage: (page: CopyPage) => void; inOne: boolean },
): AsyncGenerator<CopyPage> {
  let place: Parameters<CopyStore['readCopyPage']>[1] =
    epoch === undefined
      ? null
      : { epoch, part: 'segments', after: 0, limit: inOne ? Number.MAX_SAFE_INTEGER : 200 }
  do {
    const page: CopyPage = await store.copies.readCopyPage(key, place)
    onPage(page)
    yield page
    place = page.next
  } while (place !== null)
}
