import { InvalidArgumentError } from 'palimpsest/internals/errors'
import type { CopyPage, NamespaceCount, SessionKey, Store } from 'palimpsest/internals/store/index'
import type { CopyFlags } from './copy.ts'
import { copyDocuments, copyKeys, copySettings } from './copy-rest.ts'
import { CopyTally, differencesText, resultText } from './copy-result.ts'
import { compareSession, copySession, type Stores } from './copy-session.ts'
import type { DatabasePlace } from './database-place.ts'
import { openReadOnly, orClose, requireDatabase } from './existing-database.ts'
import { openStore } from './options.ts'
import { ExitCodeError, InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'

export async function runCopy(flags: CopyFlags, terminal: Terminal): Promise<void> {
  const [from, to] = [placeOf('--from', flags.from), placeOf('--to', flags.to)]
  if (flags.from === flags.to)
    throw new InvalidArgumentError('--to', '…', 'another database than that of --from')
  requireDatabase(from)
  if (flags.verify) requireDatabase(to)
  const source = await openReadOnly(from)
  await orClose(source, async () => {
    const target = flags.verify ? await openReadOnly(to) : await openStore(to)
    await orClose(target, () => copyAll({ from: source, to: target, flags, terminal }))
    await target.close()
  })
  await source.close()
}

function placeOf(flag: string, text: string): DatabasePlace {
  const file = /^sqlite:(?<file>.+)$/s.exec(text)?.groups?.['file']
  if (file !== undefined) return { db: file }
  if (/^postgres(ql)?:\/\//.test(text)) return { db: '', store: text }
  // The address is not shown: it may hold a password.
  throw new InvalidArgumentError(flag, '…', 'sqlite:FILE or postgres://user@host/database')
}

interface Copy {
  readonly from: Store
  readonly to: Store
  readonly flags: CopyFlags
  readonly terminal: Terminal
}

async function copyAll({ from, to, flags, terminal }: Copy): Promise<void> {
  const verifyOnly = flags.verify === true
  const namespaces = await namespacesOf(from, flags.namespace)
  const tally = new CopyTally()
  const total = namespaces.reduce((sum, { sessions }) => sum + sessions, 0)
  const progress = new Progress(terminal, verifyOnly ? 'comparing' : 'copying')
  await interruptible(async isInterrupted => {
    const check = () => {
      if (isInterrupted()) throw interrupted(tally, verifyOnly)
    }
    let read = 0
    const onPage = ({ rows }: CopyPage) => {
      check()
      read += rows.filter(({ table }) => table === 'messages').length
      const perSecond = Math.round(read / Math.max(0.001, tally.seconds))
      progress.update(
        tally.sessions / Math.max(1, total),
        `${tally.sessions} of ${total} sessions, ${read} messages, ${perSecond} a second`,
      )
    }
    const now = () => Date.now()
    try {
      for (const { namespace } of namespaces) {
        if (await isErasing(namespace, { from, to })) {
          tally.differ({ kind: 'namespace', namespace, name: namespace, reason: 'erasing' })
          continue
        }
        await copySessions(namespace, { from, to, onPage, now }, { tally, verifyOnly, check })
        const work = { from, to, namespace, verifyOnly, tally, check, now }
        await copyDocuments(work)
        await copySettings(work)
        await copyKeys(work)
      }
    } finally {
      progress.end()
    }
  })
  const result = tally.result({
    from: from.name,
    to: to.name,
    verifyOnly,
    namespaces: namespaces.map(({ namespace }) => namespace),
  })
  terminal.output.write(flags.json ? `${JSON.stringify(result)}\n` : resultText(result))
  if (result.differenceCount > 0) throw new ExitCodeError(1, differencesText(result))
}

function interrupted(tally: CopyTally, verifyOnly: boolean): InterruptedError {
  return new InterruptedError(
    verifyOnly
      ? 'Interrupted: not everything was compared.'
      : `Interrupted: ${tally.sessions} sessions are there so far. Run it again to go on; what is there stays.`,
  )
}

const NAMESPACES_AT_A_TIME = 100

async function namespacesOf(store: Store, wanted?: readonly string[]): Promise<readonly NamespaceCount[]> {
  const found: NamespaceCount[] = []
  for (;;) {
    const after = found.at(-1)?.namespace
    const page = await store.copies.listNamespaces({
      ...(after !== undefined && { after }),
      limit: NAMESPACES_AT_A_TIME,
    })
    found.push(...page)
    if (page.length < NAMESPACES_AT_A_TIME) break
  }
  if (wanted === undefined) return found
  for (const name of wanted)
    if (!found.some(({ namespace }) => namespace === name))
      throw new InvalidArgumentError('--namespace', name, 'a namespace of --from that holds something')
  return found.filter(({ namespace }) => wanted.includes(namespace))
}

/**
 * Messages that are being erased must not be copied, and nothing may be copied into a namespace that is being
 * erased.
 */
async function isErasing(namespace: string, { from, to }: Pick<Copy, 'from' | 'to'>): Promise<boolean> {
  for (const store of [from, to])
    if ((await store.erasure.listOpenErasures(namespace)).some(({ stage }) => stage === 'erasing'))
      return true
  return false
}

/** Each session spends most of its time waiting for a server. */
const SESSIONS_AT_ONCE = 4
const SESSIONS_AT_A_TIME = 200

interface Run {
  readonly tally: CopyTally
  readonly verifyOnly: boolean
  readonly check: () => void
}

async function copySessions(namespace: string, stores: Stores, run: Run): Promise<void> {
  const keys = sessionKeys(stores.from, namespace)
  let failed = false
  const one = async () => {
    try {
      for await (const key of keys) {
        if (failed) return
        run.check()
        await copyOne(key, stores, run)
      }
    } catch (error) {
      failed = true
      throw error
    }
  }
  const results = await Promise.allSettled(Array.from({ length: SESSIONS_AT_ONCE }, one))
  // All workers have ended, so nothing writes any more.
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function copyOne(key: SessionKey, stores: Stores, { tally, verifyOnly }: Run): Promise<void> {
  const work = verifyOnly ? compareSession : copySession
  const { outcome, written, verified } = await work(key, stores)
  tally.written += written
  tally.verified += verified
  if (outcome === 'copied' || outcome === 'updated' || outcome === 'unchanged')
    tally.count('sessions', outcome)
  else tally.differ({ kind: 'session', namespace: key.namespace, name: key.id, reason: outcome })
}

async function* sessionKeys(store: Store, namespace: string): AsyncGenerator<SessionKey> {
  let after: string | undefined
  for (;;) {
    const page = await store.sessions.listSessions(namespace, {
      ...(after !== undefined && { after }),
      limit: SESSIONS_AT_A_TIME,
    })
    for (const { id } of page) yield { namespace, id }
    if (page.length < SESSIONS_AT_A_TIME) return
    after = page.at(-1)!.id
  }
}
