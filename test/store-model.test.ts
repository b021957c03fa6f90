import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Content, Role } from '../packages/palimpsest/src/log/index.ts'
import {
  count,
  measure,
  type Policy,
  planFold,
  resize,
  rounds,
  tokens,
  window,
} from '../packages/palimpsest/src/policy/index.ts'
import type {
  AppendReceipt,
  AppendRequest,
  SessionKey,
  Store,
} from '../packages/palimpsest/src/store/index.ts'
import { runs } from './runs.ts'
import * as model from './store-model.ts'
import { PLACES, type StorePlace } from './stores.ts'

const POLICIES: readonly Policy[] = [
  count({ threshold: 4, keepLast: 2 }),
  rounds({ fullContextTurns: 1, cachedContextTurns: 1 }),
  window({ contextSize: 8, tailKeepSize: 3, compressionWindowSize: 2, compressionHardLimit: 5 }),
  resize({ maxMessagesTextLength: 120, maxKeepMessagesCount: 4, everyNTurns: 6 }),
  tokens({ budget: 120, lowWater: 0.4 }),
  count({ threshold: 3, keepLast: 1, boundary: 'turn' }),
]
const FORCE = { type: 'deep', reason: 'force', severity: 1000, meta: {} } as const

const draft = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    role: fc.constantFrom<Role>('user', 'user', 'assistant', 'assistant', 'system', 'tool'),
    length: fc.integer({ min: 1, max: 60 }),
    external: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 3 }),
  }),
  fc.record({
    kind: fc.constantFrom('call' as const, 'result' as const),
    id: fc.integer({ min: 0, max: 3 }),
  }),
)
/** A place in the session, as a share of it. */
const place = fc.integer({ min: 0, max: 100 })

const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      drafts: fc.array(draft, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      place,
      length: fc.integer({ min: 1, max: 90 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rollback' as const), place }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('fold' as const),
      policy: fc.constantFrom(...POLICIES),
      force: fc.boolean(),
      rollUp: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      taken: fc.integer({ min: 0, max: 4 }),
      isStale: fc.boolean(),
      drafts: fc.array(draft, { maxLength: 3 }),
      operation: fc.option(fc.integer({ min: 0, max: 2 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fork' as const), place, follow: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('copy' as const), follow: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('erase' as const),
      places: fc.array(place, { minLength: 1, maxLength: 4 }),
    }),
  },
)
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

function messageOf(draft: Draft): model.NewModelMessage {
  if (draft.kind === 'text') {
    // The content under an external id is always the same, so a repeat is no conflict.
    const content = draft.external === null ? 'x'.repeat(draft.length) : `external ${draft.external}`
    const externalId = draft.external === null ? null : `m${draft.external}`
    return { role: draft.external === null ? draft.role : 'user', externalId, versions: [content] }
  }
  const common = { toolCallId: `c${draft.id}`, toolName: 'search' }
  const content: Content =
    draft.kind === 'call' ? [{ type: 'tool-call', ...common }] : [{ type: 'tool-result', ...common }]
  return { role: draft.kind === 'call' ? 'assistant' : 'tool', externalId: null, versions: [content] }
}

/** The store and the model side by side. */
class Pair {
  readonly store: Store
  readonly #operations = new Map<string, string>()
  key: SessionKey
  model: model.Model
  now = Date.UTC(2026, 0, 1)

  constructor(store: Store, kind: 'private' | 'group') {
    this.store = store
    this.key = { namespace: randomUUID(), id: 'chat' }
    this.model = { kind, messages: [], lastSeq: 0, segments: [] }
  }

  async run(command: Command): Promise<void> {
    this.now += 1000
    switch (command.do) {
      case 'append':
        return this.#append(command.drafts.map(messageOf))
      case 'edit':
        return this.#edit(command.place, 'y'.repeat(command.length))
      case 'rollback': {
        const toSeq = Math.floor((this.model.lastSeq * command.place) / 100)
        await this.store.log.rollback(this.key, { toSeq, now: this.now })
        this.model = model.rollback(this.model, toSeq)
        return
      }
      case 'replace':
        return this.#replace(command)
      case 'fold':
        return this.#fold(command)
      case 'fork':
        return this.#fork(command)
      case 'copy':
        return this.#copy(command.follow)
      case 'erase':
        return this.#erase(command.places)
    }
  }

  async #append(messages: readonly model.NewModelMessage[]): Promise<void> {
    const receipt = await this.store.log.append(this.#request(messages))
    this.#expectAppended(messages, receipt)
  }

  #request(messages: readonly model.NewModelMessage[]): AppendRequest {
    return {
      key: this.key,
      traits: { kind: this.model.kind, user: null, scope: null },
      messages: messages.map(({ role, externalId, versions: [content] }) => ({
        role,
        externalId,
        content: content!,
        sender: null,
        at: null,
        zone: null,
        replyTo: null,
        size: model.sizeOf(content!),
      })),
      policy: POLICIES[0]!,
      groupTurnMessages: model.GROUP_TURN,
      now: this.now,
    }
  }

  #expectAppended(messages: readonly model.NewModelMessage[], receipt: AppendReceipt): void {
    const expected = messages.map(message => {
      const known = this.model.messages.find(
        ({ externalId }) => externalId !== null && externalId === message.externalId,
      )
      if (known) return { seq: known.seq, duplicate: true, ...(known.hidden && { hidden: true }) }
      this.model = model.append(this.model, message)
      return { seq: this.model.lastSeq, duplicate: false }
    })
    expect(receipt.messages).toEqual(expected)
    if (receipt.snapshot) expect(receipt.snapshot.raw).toEqual(model.recount(this.model).amount)
  }

  /** Under an id of its own the whole is asked for twice: the second time nothing happens. */
  async #replace(command: Extract<Command, { do: 'replace' }>): Promise<void> {
    const visible = model.visibleOf(this.model)
    const taken = visible.slice(Math.max(0, visible.length - command.taken))
    const expected = taken.map(message => ({ role: message.role, content: model.contentOf(message) }))
    const messages = command.drafts.map(messageOf)
    const fingerprint = JSON.stringify(command)
    const operation = command.operation === null ? null : { id: `${command.operation}`, fingerprint }
    const stale = command.isStale ? [{ role: 'user' as const, content: 'never said' }, ...expected] : expected
    const call = () => this.store.log.replaceTail({ ...this.#request(messages), expected: stale, operation })
    const known = operation && this.#operations.get(`${this.key.id} ${operation.id}`)
    if (known === fingerprint) return expect((await call()).repeated).toBe(true)
    const goes = taken[0] ? this.model.messages.filter(({ seq }) => seq >= taken[0]!.seq) : []
    const isLost = messages.some(
      ({ externalId }) => externalId !== null && goes.some(message => message.externalId === externalId),
    )
    if (known || command.isStale || isLost)
      return expect(call()).rejects.toMatchObject({ code: 'history_conflict' })
    const receipt = await call()
    if (taken[0]) this.model = model.rollback(this.model, taken[0].seq - 1)
    this.#expectAppended(messages, receipt)
    if (operation === null) return
    this.#operations.set(`${this.key.id} ${operation.id}`, fingerprint)
    expect(await call()).toMatchObject({ repeated: true, messages: receipt.messages })
  }

  async #edit(place: number, text: string): Promise<void> {
    const visible = model.visibleOf(this.model)
    const message = visible[Math.floor(((visible.length - 1) * place) / 100)]
    if (message === undefined) return
    const before = model.contentOf(message)
    const content: Content =
      typeof before === 'string'
        ? text
        : [...before.filter(({ type }) => type !== 'text'), { type: 'text', text }]
    const size = model.sizeOf(content)
    const { version } = await this.store.log.edit(this.key, {
      seq: message.seq,
      content,
      size,
      now: this.now,
    })
    if (JSON.stringify(before) !== JSON.stringify(content))
      this.model = model.edit(this.model, message.seq, content)
    expect(version).toBe(this.model.messages.find(({ seq }) => seq === message.seq)!.versions.length)
  }

  async #fold({ policy, force, rollUp }: { policy: Policy; force: boolean; rollUp: boolean }): Promise<void> {
    const judged = await this.store.schedule.judge(this.key, { policy, now: this.now })
    const source = await this.store.folds.readPlan(this.key)
    const head = source?.session.head
    if (!judged?.snapshot || !source || !head) return
    expect(judged.snapshot.raw).toEqual(model.recount(this.model).amount)
    const decision = force ? FORCE : judged.decision
    if (decision === null) return
    const plan = planFold({
      policy,
      decision,
      raw: source.raw,
      lastTurnComplete: head.totals.complete,
      snapshot: judged.snapshot,
    })
    const lease = await this.store.folds.acquireLease(this.key, { owner: 'test', ttlMs: 1000, now: this.now })
    const shown = await this.store.folds.readSegments(this.key, 'shown')
    const segment = (fromSeq: number, level: number, absorbs: readonly number[]) => ({
      fromSeq,
      toSeq: plan.range!.toSeq,
      messageCount: plan.range!.amount.messages,
      summary: 'summary',
      events: [],
      details: [],
      text: 'summary',
      level,
      state: 'live' as const,
      type: decision.type,
      reason: decision.reason,
      summarizer: 'test',
      promptVersion: '1',
      tokensBefore: plan.range!.amount.tokens,
      tokensAfter: 2,
      absorbs,
    })
    const folded = plan.range ? [segment(plan.range.fromSeq, 1, [])] : []
    const higher =
      plan.range && rollUp
        ? [segment(shown[0]?.fromSeq ?? plan.range.fromSeq, 2, [...shown.map(({ id }) => id), -1])]
        : []
    await this.store.folds.commitFold({
      key: this.key,
      operationId: randomUUID(),
      leaseToken: lease!.token,
      expectedEpoch: lease!.epoch,
      plan,
      head,
      segments: [...folded, ...higher],
      memo: null,
      outcome: {},
      now: this.now,
    })
    if (plan.range) this.model = model.fold(this.model, plan.range, rollUp)
  }

  async #fork({ place, follow }: { place: number; follow: boolean }): Promise<void> {
    const visible = model.visibleOf(this.model)
    const atSeq = visible[Math.floor(((visible.length - 1) * place) / 100)]?.seq ?? 0
    const original = { key: this.key, model: this.model }
    const newId = randomUUID()
    await this.store.transfer.fork(this.key, { newId, atSeq, now: this.now })
    this.key = { ...this.key, id: newId }
    this.model = model.fork(this.model, atSeq)
    if (follow) return
    await this.check()
    Object.assign(this, original)
  }

  async #copy(follow: boolean): Promise<void> {
    const original = this.key
    const file = await this.store.transfer.exportSession(this.key)
    const key = { ...this.key, id: randomUUID() }
    await this.store.transfer.importSession(key, JSON.parse(JSON.stringify(file)), {
      measure: ({ content }) => model.sizeOf(content),
      groupTurnMessages: model.GROUP_TURN,
      now: this.now,
    })
    const before = this.model
    this.key = key
    this.model = model.copy(before)
    expect({ ...(await this.store.transfer.exportSession(key)), id: file.id }).toEqual(file)
    if (follow) return
    await this.check()
    this.key = original
    this.model = before
  }

  /** Any messages: hidden ones, too, and those that were erased before. */
  async #erase(places: readonly number[]): Promise<void> {
    const { messages } = this.model
    const at = places.map(place => messages[Math.floor(((messages.length - 1) * place) / 100)]?.seq ?? [])
    const seqs = at.flat()
    const { namespace, id: sessionId } = this.key
    const target = { kind: 'messages', sessionId, seqs } as const
    let erasure = await this.store.erasure.beginErasure(namespace, { target, now: this.now })
    while (erasure.stage === 'erasing')
      erasure = await this.store.erasure.continueErasure(namespace, { id: erasure.id, now: this.now })
    this.model = model.erase(this.model, seqs)
  }

  async check(): Promise<void> {
    const { raw, amount, totals } = model.recount(this.model)
    const cursor = model.cursorOf(this.model)
    const visible = model.visibleOf(this.model)
    const stored = await this.store.log.readMessages(this.key, { limit: 10_000, from: 'oldest' })
    expect(
      stored.map(({ seq, role, content, version, externalId, archived }) => [
        seq,
        role,
        content,
        version,
        externalId,
        archived,
      ]),
    ).toEqual(
      visible.map(message => [
        message.seq,
        message.role,
        model.contentOf(message),
        message.versions.length,
        message.externalId,
        message.seq <= cursor,
      ]),
    )
    const plan = await this.store.folds.readPlan(this.key)
    if (plan === null) return expect(this.model.messages).toEqual([])
    const { head, state } = plan.session
    expect(plan.raw).toEqual(raw)
    expect(state.compactedThrough).toBe(cursor)
    expect(head?.seq).toBe(visible.at(-1)?.seq)
    if (head) {
      expect(measure(head, state, this.now).raw).toEqual(amount)
      const { messages, turn, position, replies } = head.totals
      expect({ messages, turn, position, replies }).toMatchObject({
        messages: totals!.messages,
        turn: totals!.turn,
        position: totals!.position,
        replies: totals!.replies,
      })
    }
    const shown = await this.store.folds.readSegments(this.key, 'shown')
    expect(shown.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual(
      this.model.segments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
    )
    for (const { seq } of visible) {
      const covering = shown.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq).length
      expect(covering, `message ${seq} is raw or covered once`).toBe(seq <= cursor ? 1 : 0)
    }
  }
}

const RUNS = { SQLite: runs(40, 300), PostgreSQL: runs(5, 25) } as const

describe.concurrent.for(Object.entries(PLACES))('%s', ([name, open]) => {
  let here: StorePlace
  let store: Store
  beforeAll(async () => {
    here = open()
    store = await here.open({
      warn: (message, details) => {
        throw new Error(`${message} ${JSON.stringify(details)}`)
      },
    })
  })
  afterAll(async () => {
    await store.close()
    await here.remove()
  })

  test.concurrent('agrees with a naive model over random histories', async () => {
    const history = fc.array(command, { minLength: 20, maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('private', 'group'), history, async (kind, commands) => {
        const pair = new Pair(store, kind)
        await pair.run({ do: 'append', drafts: [{ kind: 'text', role: 'user', length: 5, external: null }] })
        for (const command of commands) {
          await pair.run(command)
          await pair.check()
        }
      }),
      { numRuns: RUNS[name as keyof typeof RUNS], endOnFailure: false, interruptAfterTimeLimit: 50_000 },
    )
    // All that these histories left is consistent by its rows alone, too.
    const results = await store.database.checkUp!({ now: Date.now(), isDeep: true })
    expect(results.find(({ what }) => what.startsWith('sessions'))?.says).toMatch(
      /^\d+ looked at: no message is missing/,
    )
  })
})
