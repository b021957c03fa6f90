import { type AgentInputItem, MemorySession } from '@openai/agents'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyItem, itemOfKind } from '../../../../../test/openai-agents/arbitrary-items.ts'
import { runs } from '../../../../../test/runs.ts'
import { PLACES, type StorePlace } from '../../../../../test/stores.ts'
import { createPalimpsest, type Palimpsest, tokens } from '../../index.ts'
import { type AgentsSession, agentsSession } from './index.ts'
import { validItems } from './valid-items.ts'
import { wellFormed } from './well-formed.ts'

/** The SDK's own session is the oracle: the same results and the same failures, whatever is asked in which order. */

const items = fc.array(
  fc.oneof({ weight: 3, arbitrary: itemOfKind('user') }, { weight: 5, arbitrary: anyItem }),
  {
    maxLength: 3,
  },
)
const operation = fc.integer({ min: 0, max: 3 })
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), items }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pop' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('append' as const), operation, items }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      operation,
      taken: fc.integer({ min: 0, max: 4 }),
      stale: fc.constantFrom('no', 'no', 'no', 'changed', 'longer'),
      items,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('again' as const), isOther: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('mutate' as const),
      callId: fc.constantFrom('call_1', 'call_2'),
      replacements: fc.array(itemOfKind('function_call'), { minLength: 1, maxLength: 2 }),
      keepsId: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('nonsense' as const),
      args: fc.constantFrom(
        null,
        {},
        { operationId: ' ', transaction: { type: 'append_items', items: [] } },
        { operationId: 'x' },
        { operationId: 'x', transaction: { type: 'other', items: [] } },
        { operationId: 'x', transaction: { type: 'append_items' } },
        { operationId: 'x', transaction: { type: 'append_items', items: [], more: 1 } },
        { operationId: 'x', transaction: { type: 'append_items', items: [null] } },
        { operationId: 'x', transaction: { type: 'replace_suffix', expectedSuffix: [] } },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('read' as const), limit: fc.integer({ min: -1, max: 6 }) }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never
type Transaction = Parameters<MemorySession['applyHistoryTransaction']>[0]

const OTHER: AgentInputItem = { type: 'message', role: 'user', content: 'never said' }

/** What has come of each kind of request, so that it is known to have happened. */
const outcomes = new Set<string>()

class Pair {
  readonly #instances: readonly Palimpsest[]
  readonly #id: string
  readonly #oracle = new MemorySession()
  #last: Transaction | null = null

  constructor(instances: readonly Palimpsest[], id: string) {
    this.#instances = instances
    this.#id = id
  }

  /** A new one each time: nothing may hang on what one of them has in memory. */
  session(instance: number): AgentsSession {
    return agentsSession(this.#instances[instance % this.#instances.length]!.session(this.#id))
  }

  async run(command: Command, instance: number): Promise<void> {
    const ours = this.session(instance)
    switch (command.do) {
      case 'add':
        return this.#same(session => session.addItems(command.items), ours)
      case 'pop':
        return this.#same(session => session.popItem(), ours)
      case 'clear':
        return this.#same(session => session.clearSession(), ours)
      case 'append':
        return this.#apply(ours, command.operation, { type: 'append_items', items: command.items })
      case 'replace':
        return this.#replace(ours, command)
      case 'again': {
        const { operationId, transaction } = this.#last ?? { operationId: 'x', transaction: null }
        if (transaction === null) return
        const other = { type: 'append_items' as const, items: [OTHER] }
        return this.#transact(ours, { operationId, transaction: command.isOther ? other : transaction })
      }
      case 'mutate': {
        const { callId, replacements, keepsId } = command
        const mutations = replacements.map(replacement => ({
          type: 'replace_function_call' as const,
          callId,
          replacement: { ...(replacement as object), ...(keepsId && { callId }) } as never,
        }))
        return this.#same(session => session.applyHistoryMutations({ mutations }), ours)
      }
      case 'nonsense':
        return this.#same(session => session.applyHistoryTransaction(command.args as never), ours)
      case 'read':
        return this.#same(session => session.getItems(command.limit), ours)
    }
  }

  async #replace(ours: AgentsSession, command: Extract<Command, { do: 'replace' }>): Promise<void> {
    const stored = await this.#oracle.getItems()
    const suffix = command.taken === 0 ? [] : stored.slice(-command.taken)
    const expectedSuffix =
      command.stale === 'changed' && suffix.length > 0
        ? suffix.with(0, OTHER)
        : command.stale === 'longer'
          ? [OTHER, ...stored]
          : suffix
    const replacement = command.items
    await this.#apply(ours, command.operation, { type: 'replace_suffix', expectedSuffix, replacement })
  }

  #apply(ours: AgentsSession, operation: number, transaction: Transaction['transaction']): Promise<void> {
    return this.#transact(ours, { operationId: `operation ${operation}`, transaction })
  }

  async #transact(ours: AgentsSession, args: Transaction): Promise<void> {
    this.#last = args
    // As from another process: the same said, in another order.
    const copy = { ...args, transaction: reordered(args.transaction) as Transaction['transaction'] }
    await this.#same((session, isOracle) => session.applyHistoryTransaction(isOracle ? args : copy), ours)
  }

  async #same(
    call: (session: AgentsSession | MemorySession, isOracle: boolean) => Promise<unknown> | unknown,
    ours: AgentsSession,
  ): Promise<void> {
    const [expected, actual] = await Promise.allSettled([
      (async () => call(this.#oracle, true))(),
      (async () => call(ours, false))(),
    ])
    const reason = actual.status === 'rejected' && actual.reason
    outcomes.add(reason ? (reason.details?.reason ?? reason.code) : actual.status)
    expect(actual.status, String((actual as PromiseRejectedResult).reason)).toBe(expected.status)
    if (expected.status === 'fulfilled' && actual.status === 'fulfilled')
      expect(actual.value ?? null).toEqual(expected.value ?? null)
  }

  async check(): Promise<void> {
    const stored = await this.#oracle.getItems()
    const other = this.session(1)
    expect(await other.getItems(1_000)).toEqual(stored)
    expect(await other.getItems()).toEqual(wellFormed(validItems(stored)))
  }
}

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reordered(inner)]),
  )
}

const RUNS = { SQLite: runs(100, 1_000), PostgreSQL: runs(4, 25) } as const

describe.for(Object.entries(PLACES))('%s', ([name, openPlace]) => {
  let place: StorePlace
  const instances: Palimpsest[] = []

  async function open(): Promise<Palimpsest> {
    const store = await place.open()
    return createPalimpsest({
      store,
      folding: 'manual',
      indexing: 'off',
      // Random names are now and then those of secrets.
      redact: false,
      policy: tokens({ budget: 100_000 }),
    })
  }

  beforeAll(async () => {
    place = openPlace()
    instances.push(await open(), await open())
  })
  afterAll(async () => {
    for (const instance of instances) await instance.close()
    await place.remove()
  })

  test('agrees with the session of the SDK over random histories', async () => {
    let number = 0
    const history = fc.array(fc.tuple(command, fc.nat(1)), { minLength: 6, maxLength: 14, size: 'max' })
    await fc.assert(
      fc.asyncProperty(history, async steps => {
        const pair = new Pair(instances, `history ${number++}`)
        for (const [command, instance] of steps) await pair.run(command, instance)
        await pair.check()
      }),
      { numRuns: RUNS[name as keyof typeof RUNS], endOnFailure: false },
    )
    const all = ['fulfilled', 'operation_reused', 'tail_changed', 'invalid_argument']
    expect([...outcomes]).toEqual(expect.arrayContaining(all))
  })

  test('agrees with it when each step is taken by another process', async () => {
    let number = 0
    const history = fc.array(command, { minLength: 6, maxLength: 10, size: 'max' })
    await fc.assert(
      fc.asyncProperty(history, async steps => {
        const current = [instances[0]!, instances[0]!]
        const pair = new Pair(current, `restarted ${number++}`)
        for (const step of steps) {
          const opened = await open()
          current[0] = opened
          await pair.run(step, 0)
          await opened.close()
        }
        await pair.check()
      }),
      { numRuns: name === 'SQLite' ? runs(8, 20) : 3, endOnFailure: true },
    )
  })
})
