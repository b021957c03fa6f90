/**
 * A bot in a group, in a process that can be killed. Its platform is the parent, over IPC; its clock moves when the
 * parent says so. Argument: `ChildOptions` as JSON.
 */
import { flushCompileCache } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Channel,
  type ChannelHost,
  createRuntime,
  DeliveryError,
  type Received,
  type ReplyRequest,
  type Timers,
} from '../../packages/bot/src/index.ts'
import { createPalimpsest, type Session, tokens } from '../../packages/palimpsest/src/index.ts'
import { contentText } from '../../packages/palimpsest/src/log/index.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { SqliteDriver } from '../../packages/palimpsest/src/store/sqlite/driver.ts'
import { testClock } from '../../packages/palimpsest/src/testing/index.ts'
import { driverFor } from '../faults/drivers.ts'
import { faultyDriver } from '../faults/fault-driver.ts'
import { intercepted } from '../intercepted.ts'
import { randomNumbers } from '../scenarios/small-talk.ts'
import { findHeadingProblem } from './group-headings.ts'
import {
  BUDGET,
  CHANNEL,
  type ChildOptions,
  type PlatformAnswer,
  type PlatformRequest,
  QUIET_MS,
  type ToChild,
  type ToParent,
} from './group-protocol.ts'

const { address, postgresUrl, seed, now, dieAt }: ChildOptions = JSON.parse(process.argv[2]!)
const tell = (message: ToParent) => process.send!(message)
process.on('disconnect', () => process.exit(1))

/** What goes on in the store and on the platform: as long as it does, calm time stands still. */
const work = { underWay: 0, begun: 0 }

async function during<Result>(promise: Promise<Result>): Promise<Result> {
  work.underWay += 1
  work.begun += 1
  try {
    return await promise
  } finally {
    work.underWay -= 1
  }
}

const steps = { taken: 0, last: dieAt }
// What is committed survives the process either way.
const given = address.startsWith('sqlite:')
  ? new SqliteDriver(address.slice('sqlite:'.length), { durability: 'normal' })
  : driverFor(address, postgresUrl)
const driver = faultyDriver(given, () => {
  steps.taken += 1
  if (steps.taken === steps.last) process.kill(process.pid, 'SIGKILL')
})
const store = intercepted(
  new SqlStore(driver, () => {}),
  (_, call) =>
    (...given) =>
      during(call(...given)),
)

const clock = testClock(now)
/** When which timer is due, so that calm time can go from one to the next. */
const dues = new Map<unknown, number>()
const timers: Timers = {
  now: clock.now,
  setTimeout: (callback, ms) => {
    const timer = clock.setTimeout(() => {
      dues.delete(timer)
      return callback()
    }, ms)
    dues.set(timer, clock() + Math.max(1, Math.trunc(ms)))
    return timer
  },
  clearTimeout: timer => {
    dues.delete(timer)
    clock.clearTimeout(timer)
  },
}

const STILL_TURNS = 5
let calms = 0

/** Until all that is left waits for the clock. */
async function settle(): Promise<void> {
  for (let still = 0, begun = -1; still < STILL_TURNS; ) {
    await nextTurn()
    still = work.underWay === 0 && work.begun === begun ? still + 1 : 0
    begun = work.begun
  }
  calms += 1
}

/** `isCalm`: whatever there is to do is done at its instant. Otherwise the clock runs while it is being done. */
async function pass(ms: number, isCalm: boolean): Promise<void> {
  const until = clock() + ms
  while (isCalm) {
    await settle()
    const due = Math.min(...dues.values())
    if (due > until) break
    await clock.advance(Math.max(0, due - clock()))
  }
  await clock.advance(Math.max(0, until - clock()))
}

async function drain(): Promise<void> {
  let isQuiet = false
  runtime.quiet().then(() => (isQuiet = true))
  for (;;) {
    await settle()
    if (isQuiet) return
    const due = Math.min(...dues.values())
    if (Number.isFinite(due)) await clock.advance(Math.max(0, due - clock()))
  }
}

const returns = new Map<number, (answer: PlatformAnswer) => void>()
let calls = 0
let host: ChannelHost | null = null

async function ask(request: PlatformRequest): Promise<{ id: string }> {
  const call = ++calls
  const answer = await during(
    new Promise<PlatformAnswer>(resolve => {
      returns.set(call, resolve)
      tell({ type: 'platform', call, request })
    }),
  )
  if ('id' in answer) return answer
  throw answer.retryAfterMs === null
    ? new PlannedFailure(answer.refusal)
    : new DeliveryError(answer.refusal, { retryAfterMs: answer.retryAfterMs })
}

const channel: Channel = {
  name: CHANNEL,
  edits: true,
  knowsKeys: true,
  start: async given => {
    host = given
  },
  stop: async () => {},
  send: message => ask({ method: 'send', message }),
  edit: async message => {
    await ask({ method: 'edit', message })
  },
  typing: async () => {
    await ask({ method: 'typing' })
  },
}

class PlannedFailure extends Error {}

/** Says what it answers, in one of several ways; the first attempts may fail. */
async function* respond({ session, messages, attempt }: ReplyRequest): AsyncGenerator<string> {
  const seqs = messages.map(({ seq }) => seq)
  tell({ type: 'asked', seqs, calms })
  await during(checkContext(session, contentText(messages[0]!.content)))
  const random = randomNumbers(seed * 1_000_003 + seqs[0]! * 101 + attempt)
  const isSlow = random() < 0.4
  const failsAfter = attempt <= 2 && random() < 0.25 ? Math.floor(random() * 4) : Infinity
  const pieces = [`re ${seqs.join(' ')}:`, ...Array.from({ length: random() * 6 }, () => ' word'.repeat(9))]
  for (const [index, piece] of pieces.entries()) {
    if (isSlow) await wait(300 + Math.floor(random() * 5_000))
    if (index === failsAfter) throw new PlannedFailure('by seed')
    yield piece
  }
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => timers.setTimeout(() => resolve(), ms))
}

async function checkContext(session: Session, query: string): Promise<void> {
  const context = await session.context({ instructions: 'You are the bot of this group.', query })
  const { tokens, budget, throughSeq } = context.report
  tell({ type: 'context', tokens })
  if (tokens > budget || budget !== BUDGET)
    problem(`A context of ${tokens} tokens: ${JSON.stringify(context.report)}`)
  const after = (context.raw.fromSeq ?? throughSeq + 1) - 1
  const log = await session.messages({ after, before: throughSeq + 1, limit: 1_000 })
  const wrong = findHeadingProblem(context, log)
  if (wrong !== null) problem(wrong)
}

function problem(text: string): void {
  tell({ type: 'problem', text })
}

const palimpsest = await createPalimpsest({
  store,
  policy: tokens({ budget: BUDGET }),
  redact: false,
  clock,
  onError: error => problem(`The engine: ${String(error)}`),
})
const runtime = createRuntime({
  palimpsest,
  channels: [channel],
  responder: respond,
  inbox: { quietMs: QUIET_MS },
  // So many that no number of deaths makes it give up.
  turns: { attempts: 1_000 },
  timers,
  onReply: ({ outcome, seqs, error }) => {
    if (outcome !== 'delivered') problem(`${seqs.join(' ')}: ${outcome}, ${String(error)}`)
  },
  onError: error => {
    if (!(error instanceof PlannedFailure)) problem(`The runtime: ${String(error)}`)
  },
})

async function carryOut(message: ToChild): Promise<{ received?: Received }> {
  switch (message.type) {
    case 'receive':
      return { received: await host!.receive({ ...message.message, at: new Date(message.message.at) }) }
    case 'pass':
      await pass(message.ms, message.isCalm)
      return {}
    case 'die-after':
      steps.last = steps.taken + message.steps
      return {}
    case 'drain':
      await drain()
      return {}
    case 'close':
      await runtime.stop()
      await palimpsest.close({ folds: 'finish' })
      return {}
    case 'returned':
      returns.get(message.call)!(message.answer)
      returns.delete(message.call)
      return {}
  }
}

process.on('message', (message: ToChild) => {
  carryOut(message).then(
    result => message.type !== 'returned' && tell({ type: 'done', call: message.call, calms, ...result }),
    error => tell({ type: 'done', call: message.call, calms, error: String(error) }),
  )
})
await runtime.start()
tell({ type: 'ready' })
// Whoever is killed leaves nothing in it.
flushCompileCache()
