import { expect, test } from 'vitest'
import { StoreError } from '../packages/palimpsest/src/errors.ts'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Session,
} from '../packages/palimpsest/src/index.ts'
import { compose, count, custom, type Policy, window } from '../packages/palimpsest/src/policy/index.ts'
import type { FoldStore, Store } from '../packages/palimpsest/src/store/index.ts'
import { messages, scripted } from './folding-kit.ts'
import { intercepted, type StoreCall } from './intercepted.ts'
import { sqlitePlace } from './stores.ts'

/** What a fold asks of the store, and what it goes by in the end: decision 24. */

const TEN = count({ threshold: 10, keepLast: 2 })

/** An hour after a fold, whatever can be moved is; before, only what is much. */
const HOURLY = window({
  contextSize: 100,
  tailKeepSize: 2,
  compressionWindowSize: 40,
  compressionHardLimit: 50,
  compressionCooldownSec: 3_600,
})

type CommitFold = FoldStore['commitFold']

interface Watched {
  readonly chat: Session
  readonly palimpsest: Palimpsest
  readonly store: Store
  /** How often each method of the store was called. */
  readonly calls: Readonly<Record<string, number>>
}

async function withWatched(
  options: Omit<PalimpsestOptions, 'store'> & {
    readonly commitFold?: (commit: CommitFold) => CommitFold
  },
  use: (watched: Watched) => Promise<void>,
): Promise<void> {
  const { commitFold = commit => commit, ...rest } = options
  const place = sqlitePlace()
  const calls: Record<string, number> = {}
  const store = intercepted(await place.open(), (name, call) => {
    const called = name === 'commitFold' ? (commitFold(call as CommitFold) as StoreCall) : call
    return (...given) => {
      calls[name] = (calls[name] ?? 0) + 1
      return called(...given)
    }
  })
  const palimpsest = await createPalimpsest({ store, indexing: 'off', ...rest })
  try {
    await use({ chat: palimpsest.session('s'), palimpsest, store, calls })
  } finally {
    await palimpsest.close()
    await place.remove()
  }
}

/** A summariser that waits in its first call until it is let go on. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { summarizer } = scripted({
    summarize: async () => {
      asked.resolve()
      await promise
      return {}
    },
  })
  return { summarizer, asked: asked.promise, goOn: resolve }
}

const reasons = async (chat: Session) => (await chat.folds()).map(({ reason }) => reason)

test('a fold that leaves nothing to do is a lease and a commit, and nothing is looked at twice', async () => {
  await withWatched({ policy: TEN, summarizer: scripted().summarizer }, async watched => {
    await watched.chat.append(messages(1, 12))
    await watched.palimpsest.settled()
    const { acquireLease, commitFold, readPlan, readMessages } = watched.calls
    expect({ acquireLease, commitFold, readPlan, readMessages }).toEqual({
      acquireLease: 1,
      commitFold: 1,
      readPlan: 1,
      readMessages: 1,
    })
    for (const never of ['releaseLease', 'judge', 'readSession', 'readOwnSettings'])
      expect(watched.calls[never], never).toBeUndefined()
    expect(await watched.chat.segments()).toHaveLength(1)
  })
})

test('a commit whose answer was lost is looked at again, and is one fold', async () => {
  let isLost = false
  const options = {
    policy: TEN,
    summarizer: scripted().summarizer,
    commitFold:
      (commit: CommitFold): CommitFold =>
      async given => {
        const receipt = await commit(given)
        if (isLost) return receipt
        isLost = true
        throw new StoreError('store_unavailable', 'PostgreSQL', 'the connection was lost')
      },
  }
  await withWatched(options, async ({ chat, palimpsest, calls }) => {
    await chat.append(messages(1, 12))
    await palimpsest.settled()
    expect([calls['commitFold'], calls['acquireLease']]).toEqual([2, 2])
    expect(await chat.segments()).toHaveLength(1)
    expect(await chat.judge()).toBeNull()
  })
})

const MINE = custom(
  ({ raw }) => (raw.messages > 4 ? { type: 'lite', reason: 'mine', severity: 9, meta: {} } : null),
  { tail: { messages: 2, atLeast: 'message' } },
)

test.each([
  ['of all sessions', MINE],
  ['of one', { ...count({ threshold: 1_000, keepLast: 2 }), forSession: () => MINE }],
])('a policy of the caller, %s, is asked after every fold', async (_, policy) => {
  const { summarizer, asked, goOn } = held()
  await withWatched({ policy, summarizer, folding: 'worker' }, async ({ chat, palimpsest, calls }) => {
    await chat.append([])
    await chat.configure({ mine: 1 })
    await chat.append(messages(1, 12))
    const folding = palimpsest.foldThrough('s', { signal: new AbortController().signal })
    await asked
    await chat.append(messages(13, 20))
    goOn()
    await folding
    expect(await reasons(chat)).toEqual(['mine', 'mine'])
    expect(calls['acquireLease']).toBe(3)
  })
})

test('after a policy for one request the configured one goes on, with what came meanwhile', async () => {
  const { summarizer, asked, goOn } = held()
  const policy = count({ threshold: 20, keepLast: 2 })
  await withWatched({ policy, summarizer }, async ({ chat, palimpsest, calls }) => {
    await chat.append(messages(1, 12), { policy: count({ threshold: 8, keepLast: 3 }) })
    await asked
    await chat.append(messages(13, 40))
    goOn()
    await palimpsest.settled()
    expect((await chat.segments()).map(({ toSeq }) => toSeq)).toEqual([9, 38])
    expect([calls['acquireLease'], calls['commitFold']]).toEqual([2, 2])
  })
})

/** In how many seconds it is due after a fold by a worker that three messages came during, which may wait. */
async function dueAfterFold(
  options: { readonly policy: Policy; readonly own?: Readonly<Record<string, unknown>> },
  meanwhile: (watched: Watched) => Promise<void> | void,
): Promise<number | null> {
  const { summarizer, asked, goOn } = held()
  let seconds: number | null = null
  const clock = () => Date.UTC(2026, 2, 2)
  await withWatched({ policy: options.policy, summarizer, folding: 'worker', clock }, async watched => {
    const { chat, palimpsest, store } = watched
    await chat.append([])
    await chat.configure(options.own ?? {})
    await chat.append(messages(1, 12))
    const folding = palimpsest.foldThrough('s', { signal: new AbortController().signal })
    await asked
    await chat.append(messages(13, 15))
    await meanwhile(watched)
    goOn()
    expect(await folding).toMatchObject({ outcome: 'applied', toSeq: 10 })
    const due = await store.schedule.nextDueAt('default', 'judging')
    seconds = due && (due - clock()) / 1000
  })
  return seconds
}

test('a commit sets when the session is due again', async () => {
  expect(await dueAfterFold({ policy: compose(TEN, HOURLY) }, () => {})).toBe(3_600)
  expect(await dueAfterFold({ policy: TEN }, () => {})).toBeNull()
})

test("it goes by the session's settings as they are then", async () => {
  const policy = { ...TEN, forSession: (own: object) => ('hourly' in own ? HOURLY : TEN) }
  const change = ({ chat }: Watched) => chat.configure({ hourly: 1 })
  expect(await dueAfterFold({ policy, own: { other: 1 } }, change)).toBe(3_600)
})

test('and by the policy as it is configured then', async () => {
  const change = ({ palimpsest }: Watched) => palimpsest.configure({ policy: HOURLY })
  expect(await dueAfterFold({ policy: TEN }, change)).toBe(3_600)
})

test('a policy that throws for a session leaves its lease to the next', async () => {
  let isBroken = false
  const policy: Policy = {
    ...TEN,
    forSession: () => {
      if (isBroken) throw new Error('broken')
      return TEN
    },
  }
  await withWatched({ policy, folding: 'manual', summarizerTimeoutMs: 2_000 }, async ({ chat }) => {
    await chat.append(messages(1, 12))
    await chat.configure({ mine: 1 })
    isBroken = true
    await expect(chat.compact({ force: true })).rejects.toThrow('broken')
    isBroken = false
    expect(await chat.compact({ force: true })).toMatchObject({ outcome: 'applied' })
  })
})
