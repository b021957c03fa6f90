import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Content, completeTurns, modelText, type NewSegment, type Size } from '../../log/index.ts'
import { count, type Decision, measure, type Policy } from '../../policy/index.ts'
import type {
  Answers,
  AppendReceipt,
  AppendRequest,
  Awaits,
  FoldCommit,
  FoldReceipt,
  GivenTraits,
  MeasuredMessage,
  SeenSession,
  SessionKey,
  SessionRecord,
  Store,
  TailReceipt,
  TailRequest,
} from '../../store/index.ts'

const START = Date.UTC(2026, 0, 15, 8)
export const POLICY = count({ threshold: 20, keepLast: 10 })
export const FORCE: Decision = { type: 'deep', reason: 'force', severity: 1000, meta: {} }

/** Any measure will do, as long as it is the same each time. */
export function sizeOf(content: Content): Size {
  const { length } = modelText(content)
  return { characters: length, tokens: 3 + Math.ceil(length / 4) }
}

export function message(content: Content, fields: Partial<MeasuredMessage> = {}): MeasuredMessage {
  return {
    role: 'user',
    content,
    sender: null,
    at: null,
    zone: null,
    externalId: null,
    replyTo: null,
    size: sizeOf(content),
    ...fields,
  }
}

/** The traits with which the session is opened. Traits that are left out are not given. */
export interface ChatOptions extends Partial<GivenTraits> {
  readonly namespace?: string
  readonly policy?: Policy
  readonly seen?: SeenSession
}

interface FoldOptions {
  readonly absorbs?: readonly number[]
  readonly level?: number
  readonly memo?: Record<string, unknown>
  readonly state?: 'live' | 'provisional'
}

/** One session of a store, with short calls for the cases. Its clock moves by a second with each call. */
export class Chat {
  readonly store: Store
  readonly key: SessionKey
  readonly policy: Policy
  readonly #traits: GivenTraits
  now = START

  constructor(store: Store, id = 'chat', options: ChatOptions = {}) {
    const { namespace = 'test', policy = POLICY, kind = null, user = null, scope = null, seen } = options
    this.store = store
    this.key = { namespace, id, ...(seen && { seen }) }
    this.policy = policy
    this.#traits = { kind, user, scope }
  }

  tick(): number {
    this.now += 1000
    return this.now
  }

  append(...messages: readonly MeasuredMessage[]): Promise<AppendReceipt> {
    return this.store.log.append(this.#request(messages))
  }

  /** Appends messages that wait for an answer. */
  ask(awaits: Awaits, ...messages: readonly MeasuredMessage[]): Promise<AppendReceipt> {
    return this.store.log.append({ ...this.#request(messages), awaits })
  }

  /** Appends messages that are the answer. */
  answer(answers: Answers, ...messages: readonly MeasuredMessage[]): Promise<AppendReceipt> {
    return this.store.log.append({ ...this.#request(messages), answers })
  }

  /** Appends messages that follow others, which must still exist. */
  follow(follows: readonly number[], ...messages: readonly MeasuredMessage[]): Promise<AppendReceipt> {
    return this.store.log.append({ ...this.#request(messages), follows })
  }

  /** The same session for a caller who has seen `seen` of it. Left out: its present state. */
  async bound(seen?: SeenSession): Promise<Chat> {
    const bound = new Chat(this.store, this.key.id, {
      ...this.#traits,
      namespace: this.key.namespace,
      policy: this.policy,
      seen: seen ?? (await this.store.sessions.readSeen(this.key)),
    })
    bound.now = this.now
    return bound
  }

  #request(messages: readonly MeasuredMessage[]): AppendRequest {
    return {
      key: this.key,
      traits: this.#traits,
      messages,
      policy: this.policy,
      groupTurnMessages: 12,
      now: this.tick(),
    }
  }

  replaceTail(
    expected: TailRequest['expected'],
    messages: readonly MeasuredMessage[],
    operation: TailRequest['operation'] = null,
  ): Promise<TailReceipt> {
    return this.store.log.replaceTail({ ...this.#request(messages), expected, operation })
  }

  /** Appends questions and answers by turns, in one request. */
  async say(messages: number): Promise<readonly number[]> {
    const receipt = await this.append(
      ...Array.from({ length: messages }, (_, index) =>
        message(`message ${index + 1}`, { role: index % 2 === 0 ? 'user' : 'assistant' }),
      ),
    )
    return receipt.messages.map(({ seq }) => seq)
  }

  async record(): Promise<SessionRecord> {
    const record = await this.store.sessions.readSession(this.key)
    assert.ok(record, `session ${this.key.id} is there`)
    return record
  }

  messages(range: { after?: number; before?: number; limit?: number; from?: 'oldest' | 'newest' } = {}) {
    return this.store.log.readMessages(this.key, { limit: 100_000, from: 'oldest', ...range })
  }

  async seqs(range: Parameters<Chat['messages']>[0] = {}): Promise<readonly number[]> {
    return (await this.messages(range)).map(({ seq }) => seq)
  }

  async contents(): Promise<readonly Content[]> {
    return (await this.messages()).map(({ content }) => content)
  }

  file() {
    return this.store.transfer.exportSession(this.key)
  }

  edit(seq: number, content: Content) {
    return this.store.log.edit(this.key, { seq, content, size: sizeOf(content), now: this.tick() })
  }

  rollback(toSeq: number) {
    return this.store.log.rollback(this.key, { toSeq, now: this.tick() })
  }

  async fork(newId: string, atSeq: number): Promise<Chat> {
    await this.store.transfer.fork(this.key, { newId, atSeq, now: this.tick() })
    return this.beside(newId)
  }

  async copyByFile(newId: string): Promise<Chat> {
    const file = await this.file()
    const copy = this.beside(newId)
    await this.store.transfer.importSession(copy.key, JSON.parse(JSON.stringify(file)), {
      measure: ({ content }) => sizeOf(content),
      groupTurnMessages: 12,
      now: this.tick(),
    })
    return copy
  }

  /** Another session of the same namespace, at the same instant. */
  beside(id: string): Chat {
    const { namespace } = this.key
    const other = new Chat(this.store, id, { namespace, policy: this.policy, ...this.#traits })
    other.now = this.now
    return other
  }

  /** The commit of a fold over all raw messages through `toSeq`, under a lease that begins now. */
  async prepareFold(toSeq: number, options: FoldOptions = {}): Promise<FoldCommit> {
    const lease = await this.store.folds.acquireLease(this.key, {
      owner: 'test',
      ttlMs: 60_000,
      now: this.now,
    })
    assert.ok(lease, 'nobody else holds the lease')
    const source = await this.store.folds.readPlan(this.key)
    assert.ok(source?.session.head)
    const folded = source.raw.filter(({ seq }) => seq <= toSeq)
    const next = source.raw[folded.length]
    const [oldest, last] = [folded[0], folded.at(-1)]
    assert.ok(oldest && last, 'there is something to fold')
    const sum = (pick: (size: Size) => number) => folded.reduce((total, raw) => total + pick(raw), 0)
    const amount = {
      messages: folded.length,
      characters: sum(({ characters }) => characters),
      tokens: sum(({ tokens }) => tokens),
    }
    const throughTurn = next && next.turn === last.turn ? last.turn - 1 : last.turn
    const range = { fromSeq: oldest.seq, toSeq: last.seq, amount, throughTurn }
    return {
      key: this.key,
      operationId: randomUUID(),
      leaseToken: lease.token,
      expectedEpoch: lease.epoch,
      plan: { decision: FORCE, range },
      head: source.session.head,
      segments: [{ ...segment(range.fromSeq, range.toSeq, amount.messages, options), absorbs: [] }],
      memo: options.memo ? { value: options.memo, throughSeq: range.toSeq } : null,
      outcome: { result: 'folded' },
      now: this.tick(),
    }
  }

  async commit(commit: FoldCommit): Promise<FoldReceipt> {
    return this.store.folds.commitFold(commit)
  }

  /** Folds all raw messages through `toSeq` into a segment of level 1. */
  async fold(toSeq: number, options: FoldOptions = {}): Promise<FoldReceipt> {
    return this.commit(await this.prepareFold(toSeq, options))
  }

  /** Folds, and then rolls the new segment and all shown ones into one of a higher level. */
  async foldAndRollUp(toSeq: number, level: number, options: FoldOptions = {}): Promise<FoldReceipt> {
    const shown = await this.store.folds.readSegments(this.key, 'shown')
    const commit = await this.prepareFold(toSeq, options)
    const [first] = commit.segments
    const messages = shown.reduce((sum, { messageCount }) => sum + messageCount, first!.messageCount)
    const higher = segment(shown[0]?.fromSeq ?? first!.fromSeq, first!.toSeq, messages, { ...options, level })
    return this.commit({
      ...commit,
      segments: [...commit.segments, { ...higher, absorbs: [...shown.map(({ id }) => id), -1] }],
    })
  }
}

export function segment(
  fromSeq: number,
  toSeq: number,
  messageCount: number,
  options: FoldOptions = {},
): NewSegment {
  const { level = 1, state = 'live' } = options
  return {
    fromSeq,
    toSeq,
    messageCount,
    summary: `level ${level}: ${fromSeq} to ${toSeq}, ünï\0cödé 摘要 🎉`,
    events: [{ at: '2026-01-15', text: 'they met' }],
    details: ['https://example.com/?a=1&b=2', { kind: 'number', text: '42' }],
    text: `## Messages ${fromSeq}–${toSeq}\nünï\0cödé 摘要 🎉`,
    level,
    state,
    type: 'lite',
    reason: 'force',
    summarizer: 'test',
    promptVersion: '1',
    tokensBefore: 100 * messageCount,
    tokensAfter: 10 * level,
  }
}

/**
 * Checks what always holds for a session: its figures equal a recount over the visible messages above the
 * cursor. Each visible message is raw or under exactly one shown segment.
 */
export async function checkFigures(chat: Chat): Promise<void> {
  const [record, visible, shown] = [
    await chat.record(),
    await chat.messages(),
    await chat.store.folds.readSegments(chat.key, 'shown'),
  ]
  const cursor = record.state.compactedThrough
  const raw = visible.filter(({ seq }) => seq > cursor)
  const plan = await chat.store.folds.readPlan(chat.key)
  assert.deepEqual(
    plan!.raw.map(({ seq }) => seq),
    raw.map(({ seq }) => seq),
  )
  assert.equal(record.head?.seq ?? null, visible.at(-1)?.seq ?? null)
  assert.equal(record.head?.totals.messages ?? 0, visible.length)
  assert.equal(record.segments, shown.length)
  assert.equal(cursor, Math.max(0, ...shown.map(({ toSeq }) => toSeq)))
  assert.equal(
    record.state.segmentTokens,
    shown.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0),
  )
  for (const { seq, archived } of visible) {
    const covering = shown.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq)
    assert.equal(covering.length, seq <= cursor ? 1 : 0, `message ${seq} is raw or covered once`)
    assert.equal(archived, seq <= cursor)
  }
  if (record.head === null) return
  const sizes = raw.map(({ content }) => sizeOf(content))
  const firstTurn = plan!.raw[0]?.turn
  assert.deepEqual(measure(record.head, record.state, chat.now).raw, {
    messages: raw.length,
    turns: firstTurn === undefined ? 0 : completeTurns(record.head.totals) - (firstTurn - 1),
    characters: sizes.reduce((sum, { characters }) => sum + characters, 0),
    tokens: sizes.reduce((sum, { tokens }) => sum + tokens, 0),
  })
}
