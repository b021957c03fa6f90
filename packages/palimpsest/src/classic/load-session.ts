import type { Memo, WindowMessage } from '../log/index.ts'
import type { SessionKey, SessionRecord, Store } from '../store/index.ts'
import { asWindow, asWindowMessage } from './current-history.ts'

/** A session as it was when it was last read. */
export interface Loaded {
  /** -1: the session does not exist yet. */
  readonly epoch: number
  readonly current: readonly WindowMessage[]
  readonly memo: Memo | null
  readonly messages: number
  /** What was appended so far (`now`), and up to the last decision that was carried out (`decided`). */
  readonly counts: { readonly now: Counts; readonly decided: Counts }
  /** The newest message that is included. */
  readonly throughSeq: number
}

/** One count for each unit of turns. */
interface Counts {
  readonly message: number
  readonly reply: number
}

const NONE: Counts = { message: 0, reply: 0 }

export const EMPTY: Loaded = {
  epoch: -1,
  current: Object.freeze([]),
  memo: null,
  messages: 0,
  counts: { now: NONE, decided: NONE },
  throughSeq: 0,
}

type Reader = Pick<Store, 'sessions' | 'folds' | 'log'>

/** As long as no new epoch has begun, what was known stays, and only newer messages are read. */
export async function loadSession(store: Reader, key: SessionKey, known: Loaded): Promise<Loaded> {
  for (;;) {
    const record = await store.sessions.readSession(key)
    if (record === null) return EMPTY
    const { epoch } = record
    if (epoch === known.epoch) {
      const added = await readRaw(store, key, { after: known.throughSeq, record })
      return loaded(record, added.length === 0 ? known.current : [...known.current, ...added])
    }
    const { compactedThrough } = record.state
    const segments =
      compactedThrough === 0
        ? []
        : await store.folds.readSegments(key, 'shown', { after: record.beginsAfter })
    const raw = await readRaw(store, key, { after: compactedThrough, record })
    // The session is read in several steps. If an epoch began in between, the parts do not fit together.
    if ((await store.sessions.readSession(key))?.epoch === epoch)
      return loaded(record, [...asWindow(segments), ...raw])
  }
}

function loaded(record: SessionRecord, current: readonly WindowMessage[]): Loaded {
  const { epoch, memo, head, state } = record
  const { messages = 0, replies = 0 } = head?.totals ?? {}
  return {
    epoch,
    memo,
    current: Object.freeze(current),
    messages,
    counts: { now: countsOf({ messages, replies }), decided: countsOf(state.decided) },
    throughSeq: head?.seq ?? 0,
  }
}

function countsOf({ messages, replies }: { messages: number; replies: number }): Counts {
  return { message: messages, reply: replies }
}

const MESSAGES_AT_A_TIME = 1_000

async function readRaw(
  store: Reader,
  key: SessionKey,
  { after: first, record }: { after: number; record: SessionRecord },
): Promise<readonly WindowMessage[]> {
  const before = (record.head?.seq ?? 0) + 1
  const messages: WindowMessage[] = []
  for (let after = first; after < before - 1; ) {
    const page = await store.log.readMessages(key, {
      after,
      before,
      limit: MESSAGES_AT_A_TIME,
      from: 'oldest',
    })
    for (const message of page) messages.push(asWindowMessage(message))
    if (page.length < MESSAGES_AT_A_TIME) break
    after = page.at(-1)!.seq
  }
  return messages
}
