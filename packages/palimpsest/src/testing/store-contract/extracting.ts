import assert from 'node:assert/strict'
import type { ExtractionCommit, ExtractionRules, GivenTraits, Store } from '../../store/index.ts'
import { Chat, type ChatOptions, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { adding, contentOf, documentKey, fact, learning, memoryEvents, replacing } from './documents.ts'

const IDLE = 60_000
const TURN: ExtractionRules = { when: 'turn', batchMessages: 6, idleMs: IDLE }
const BATCH: ExtractionRules = { ...TURN, when: 'batch' }
const OFF: ExtractionRules = { ...TURN, when: 'off' }
const ANN = documentKey('user', 'ann')

/** A session with a user or a scope, whose memory is extracted by these rules. */
class Listener extends Chat {
  readonly #traits: GivenTraits
  rules: ExtractionRules | undefined

  constructor(store: Store, id: string, rules?: ExtractionRules, options: ChatOptions = { user: 'ann' }) {
    super(store, id, options)
    this.#traits = { kind: null, user: null, scope: null, ...options }
    this.rules = rules
  }

  /** Appends questions and answers by turns, and returns when they are to be extracted. */
  async hear(messages: number): Promise<number | null> {
    const { extractAt } = await this.store.log.append({
      key: this.key,
      traits: this.#traits,
      messages: Array.from({ length: messages }, (_, index) =>
        message(`message ${index}`, { role: index % 2 === 0 ? 'user' : 'assistant' }),
      ),
      policy: this.policy,
      groupTurnMessages: 2,
      ...(this.rules && { extraction: this.rules }),
      now: this.tick(),
    })
    return extractAt
  }

  /** The commit of all visible messages through this one, under a lease that begins now. */
  async prepare(through: number, fields: Partial<ExtractionCommit> = {}): Promise<ExtractionCommit> {
    const { extractedThrough } = await this.record()
    const read = await this.messages({ after: extractedThrough, before: through + 1 })
    const lease = await this.store.leases.takeLease('test', {
      name: `extraction/${this.key.id}`,
      owner: 'test',
      ttlMs: 1000,
      now: this.now,
    })
    return {
      key: this.key,
      leaseToken: lease!.token,
      after: extractedThrough,
      through,
      read: { messages: read.length, versions: read.reduce((sum, { version }) => sum + version, 0) },
      documents: [learning(ANN, [fact('- tea', this.key.id, [1, through])])],
      rules: this.rules ?? OFF,
      now: this.tick(),
      ...fields,
    }
  }

  async extract(through: number, fields: Partial<ExtractionCommit> = {}): Promise<void> {
    await this.store.extraction.commitExtraction(await this.prepare(through, fields))
  }

  async extractedThrough(): Promise<number> {
    return (await this.record()).extractedThrough
  }

  async isDue(now: number): Promise<boolean> {
    const due = await this.store.schedule.listDue('test', { kind: 'extraction', now, limit: 100 })
    return due.some(({ id }) => id === this.key.id)
  }
}

async function refusedWithoutTrace(
  commit: ExtractionCommit,
  { store, key }: Chat,
  code: Parameters<typeof refuses>[1],
) {
  const everything = async () => [
    await store.sessions.readSession(key),
    await store.documents.readDocument(ANN),
    await store.documents.readFacts(ANN, 'all'),
    await store.schedule.nextDueAt('test', 'extraction'),
  ]
  const before = await everything()
  const error = await refuses(store.extraction.commitExtraction(commit), code)
  assert.deepEqual(await everything(), before)
  return error
}

export const extracting = contractCases('extraction', {
  'by turns is due with the end of each, or when the session falls silent': async store => {
    const chat = new Listener(store, 'chat', TURN)
    assert.equal(await chat.hear(1), chat.now + IDLE)
    const silent = chat.now + IDLE
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), silent)
    assert.equal(await chat.isDue(silent - 1), false)
    assert.equal(await chat.isDue(silent), true)
    const turn = new Listener(store, 'turn', TURN)
    assert.equal(await turn.hear(2), turn.now)
    assert.equal(await turn.isDue(turn.now), true)
    const ended = turn.now
    assert.equal(await turn.hear(2), ended, 'what is due stays due')
  },

  'by batches is due with so many messages, or when the session falls silent': async store => {
    const chat = new Listener(store, 'chat', BATCH)
    const silent = (await chat.hear(3))!
    assert.equal(silent, chat.now + IDLE)
    assert.equal(await chat.hear(2), silent, 'a later time is not written')
    assert.equal(await chat.hear(1), chat.now)
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), chat.now)
    await chat.extract(6)
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), null)
    assert.equal(await chat.hear(5), chat.now + IDLE)
    assert.equal(await chat.hear(1), chat.now)
  },

  'counts only messages that no rollback hid': async store => {
    const chat = new Listener(store, 'chat', BATCH)
    await chat.hear(4)
    await chat.extract(4)
    await chat.hear(1)
    await chat.rollback(2)
    await chat.extract(2, { documents: [] })
    for (const count of [1, 2, 3, 4, 5]) assert.notEqual(await chat.hear(1), chat.now, `${count} of 6`)
    assert.equal(await chat.hear(1), chat.now)
    assert.deepEqual(await chat.seqs(), [1, 2, 6, 7, 8, 9, 10, 11])
  },

  'is never due where it is switched off, or nobody’s memory is fed': async store => {
    const sessions: readonly (readonly [ExtractionRules | undefined, ChatOptions, boolean])[] = [
      [OFF, { user: 'ann' }, false],
      [undefined, { user: 'ann' }, false],
      [TURN, {}, false],
      [TURN, { user: 'ann' }, true],
      [TURN, { scope: 'work' }, false],
      [TURN, { kind: 'group', user: 'ann' }, false],
      [TURN, { kind: 'group', scope: 'work' }, true],
      [TURN, { kind: 'agent', user: 'ann' }, false],
      [TURN, { kind: 'agent', user: 'ann', scope: 'work' }, true],
    ]
    for (const [index, [rules, options, isFed]] of sessions.entries()) {
      const chat = new Listener(store, `chat ${index}`, rules, options)
      assert.equal((await chat.hear(2)) !== null, isFed, `${index}`)
      assert.equal(await chat.isDue(chat.now + 2 * IDLE), isFed, `${index}`)
    }
    const empty = new Listener(store, 'empty', TURN)
    assert.equal(await empty.hear(0), null)
  },

  'lists the longest overdue first, of one namespace': async store => {
    const chats = ['c', 'a', 'b'].map(id => new Listener(store, id, TURN))
    for (const [index, chat] of chats.entries()) {
      chat.now += index * 10_000
      await chat.hear(2)
    }
    const elsewhere = new Listener(store, 'd', TURN, { user: 'ann', namespace: 'elsewhere' })
    await elsewhere.hear(2)
    const list = async (now: number, limit: number) =>
      (await store.schedule.listDue('test', { kind: 'extraction', now, limit })).map(({ id }) => id)
    const last = chats[2]!.now
    assert.deepEqual(await list(last, 10), ['c', 'a', 'b'])
    assert.deepEqual(await list(last, 2), ['c', 'a'])
    assert.deepEqual(await list(last - 1, 10), ['c', 'a'])
    assert.deepEqual(await list(chats[0]!.now - 1, 10), [])
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), chats[0]!.now)
    await chats[0]!.extract(2)
    assert.deepEqual(await list(last, 10), ['a', 'b'])
    assert.deepEqual(
      await store.schedule.listDue('elsewhere', { kind: 'extraction', now: last, limit: 10 }),
      [elsewhere.key],
    )
    assert.equal(await store.schedule.nextDueAt('nowhere', 'extraction'), null)
  },

  'is stored with its cursor, and the rest is due by the same rules': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(6)
    const commit = await chat.prepare(4)
    await store.extraction.commitExtraction(commit)
    assert.equal(await chat.extractedThrough(), 4)
    assert.equal(await contentOf(store, ANN), '- tea\n')
    assert.deepEqual(
      (await store.documents.readFacts(ANN, 'current')).map(({ origin }) => origin),
      [{ sessionId: 'chat', fromSeq: 1, toSeq: 4 }],
    )
    assert.deepEqual(
      (await memoryEvents(store, 1)).map(({ sessionId, data }) => [
        sessionId,
        data?.['key'],
        data?.['author'],
      ]),
      [[null, 'ann', 'extraction']],
    )
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), commit.now)
    chat.rules = BATCH
    const next = await chat.prepare(5)
    await store.extraction.commitExtraction({ ...next, documents: [] })
    const { head } = await chat.record()
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), head!.appendedAt + IDLE)
    await chat.extract(6, { documents: [] })
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), null)
    assert.equal(await chat.extractedThrough(), 6)
    assert.equal((await store.documents.readDocument(ANN))?.version, 1)
  },

  'needs its lease': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(4)
    const commit = await chat.prepare(4)
    const { leaseToken: token } = commit
    const take = (owner: string, now: number) =>
      store.leases.takeLease('test', { name: 'extraction/chat', owner, ttlMs: 1000, now })
    await refusedWithoutTrace({ ...commit, leaseToken: token + 1 }, chat, 'lease_lost')
    const taken = await take('other', chat.now + 10_000)
    const error = await refusedWithoutTrace(commit, chat, 'lease_lost')
    assert.deepEqual(error.details, { sessionId: 'chat', token })
    await store.leases.dropLease('test', { name: 'extraction/chat', token: taken!.token })
    await refusedWithoutTrace({ ...commit, leaseToken: taken!.token }, chat, 'lease_lost')
    const last = await take('test', chat.now)
    // An expired lease still holds if no other process took it.
    await store.extraction.commitExtraction({
      ...commit,
      leaseToken: last!.token,
      now: chat.now + 10_000_000,
    })
    assert.equal(await chat.extractedThrough(), 4)
    const lost = new Listener(store, 'lost', TURN)
    await refuses(store.extraction.commitExtraction({ ...commit, key: lost.key }), 'session_not_found')
  },

  'is void where somebody else extracted meanwhile, or it is repeated': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(6)
    const commit = await chat.prepare(4)
    await store.extraction.commitExtraction({ ...commit, through: 2, read: { messages: 2, versions: 2 } })
    const error = await refusedWithoutTrace(commit, chat, 'cursor_conflict')
    assert.deepEqual(error.details, { sessionId: 'chat', expected: 0, actual: 2 })
    const next = await chat.prepare(4)
    await store.extraction.commitExtraction(next)
    await refusedWithoutTrace(next, chat, 'cursor_conflict')
  },

  'is void where its messages were edited, hidden, or others were there': async store => {
    for (const meddle of [
      (chat: Chat) => chat.edit(2, 'edited'),
      (chat: Chat) => chat.rollback(3),
      (chat: Chat) => chat.rollback(0),
    ]) {
      const chat = new Listener(store, `${meddle}`, TURN)
      await chat.hear(6)
      const commit = await chat.prepare(4)
      await meddle(chat)
      await refusedWithoutTrace(commit, chat, 'epoch_conflict')
      await chat.hear(2)
      await refusedWithoutTrace(commit, chat, 'epoch_conflict')
    }
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(6)
    const commit = await chat.prepare(4)
    for (const read of [
      { messages: 3, versions: 4 },
      { messages: 5, versions: 5 },
      { messages: 4, versions: 5 },
    ])
      await refusedWithoutTrace({ ...commit, read }, chat, 'epoch_conflict')
    await store.extraction.commitExtraction(commit)
  },

  'takes out what was learned from a message that is taken back, and what it replaced holds again':
    async store => {
      const chat = new Listener(store, 'chat', TURN)
      const bob = documentKey('user', 'bob')
      await chat.hear(6)
      const home = fact('- I live in Oslo', 'chat', [1, 1])
      const joke = fact('- I live on the moon', 'chat', [3, 3])
      await chat.extract(2, { documents: [learning(ANN, [home, fact('- tea', 'chat', [1, 1])])] })
      await chat.extract(4, {
        documents: [
          replacing(ANN, `- tea\n${joke.line}\n`, { facts: [joke], superseded: [home.line] }),
          learning(bob, [fact('- of another document', 'chat', [3, 3])]),
        ],
      })
      await chat.extract(6, { documents: [learning(ANN, [])], takenBack: [3] })
      assert.deepEqual((await contentOf(store, ANN))!.trim().split('\n').toSorted(), [
        '- I live in Oslo',
        '- tea',
      ])
      const facts = await store.documents.readFacts(ANN, 'current')
      assert.deepEqual(facts.map(({ line }) => line).toSorted(), ['- I live in Oslo', '- tea'])
      assert.equal(await contentOf(store, bob), '- of another document\n')
    },

  'is void, cursor and all, where a document cannot be changed': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(4)
    const unknown = adding(documentKey('chat', 'nobody'), 'lost')
    const commit = await chat.prepare(4, { documents: [adding(ANN, 'tea'), unknown] })
    await refusedWithoutTrace(commit, chat, 'session_not_found')
    assert.equal(await chat.extractedThrough(), 0)
  },

  'goes on whatever is folded, appended or edited elsewhere meanwhile': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(12)
    const commit = await chat.prepare(6)
    await chat.fold(8)
    await chat.edit(7, 'edited')
    await chat.hear(2)
    await chat.rollback(9)
    await store.extraction.commitExtraction(commit)
    assert.equal(await chat.extractedThrough(), 6)
    await chat.hear(3)
    const [next] = (await chat.seqs()).slice(-1)
    await chat.extract(next!, { documents: [] })
    assert.equal(await chat.extractedThrough(), 17)
  },

  'of nothing but what a rollback hid moves the cursor and is due no more': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(6)
    await chat.rollback(0)
    assert.equal(await chat.isDue(chat.now), true)
    await chat.extract(6, { documents: [] })
    assert.deepEqual([await chat.extractedThrough(), await chat.isDue(chat.now)], [6, false])
    assert.equal(await chat.hear(2), chat.now)
  },

  'that failed is tried again at the time that was given, whatever is said until then': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(2)
    const retryAt = chat.now + 1_000_000
    await store.extraction.failExtraction(chat.key, { retryAt })
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), retryAt)
    assert.equal(await chat.hear(2), retryAt)
    assert.equal(await chat.hear(1), retryAt)
    const judge = (now: number) => store.extraction.judgeExtraction(chat.key, { rules: BATCH, now })
    assert.equal(await judge(retryAt - 1), retryAt)
    assert.equal(await chat.isDue(retryAt - 1), false)
    assert.equal(await chat.isDue(retryAt), true)
    chat.now = retryAt
    await store.extraction.failExtraction(chat.key, { retryAt: retryAt + 5000 })
    assert.equal(await chat.hear(1), retryAt + 5000)
    await chat.extract(4)
    assert.equal(await chat.hear(2), chat.now)
    await refuses(
      store.extraction.failExtraction({ namespace: 'test', id: 'nobody' }, { retryAt }),
      'session_not_found',
    )
  },

  'that failed for good is tried again with the next message': async store => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(2)
    await store.extraction.failExtraction(chat.key, { retryAt: chat.now + 1_000_000 })
    await store.extraction.failExtraction(chat.key, { retryAt: null })
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), null)
    assert.equal(await chat.isDue(chat.now + 2_000_000), false)
    assert.equal(await chat.hear(2), chat.now)
  },

  'is made once by many who commit it at once': async (store, open) => {
    const chat = new Listener(store, 'chat', TURN)
    await chat.hear(4)
    const commit = await chat.prepare(4, { documents: [adding(ANN, 'tea')] })
    const stores = [store, await open()]
    const outcomes = await Promise.allSettled(
      [0, 1, 0, 1].map(which => stores[which]!.extraction.commitExtraction(commit)),
    )
    assert.deepEqual(
      outcomes.map(outcome => (outcome.status === 'fulfilled' ? 'done' : outcome.reason.code)).toSorted(),
      ['cursor_conflict', 'cursor_conflict', 'cursor_conflict', 'done'],
    )
    assert.equal(await contentOf(store, ANN), 'tea\n')
  },

  'waits longer for what is less than a quarter of a batch, and is judged anew': async store => {
    const rules: ExtractionRules = { when: 'batch', batchMessages: 40, idleMs: IDLE, longIdleMs: 9 * IDLE }
    const chat = new Listener(store, 'few', rules)
    assert.equal(await chat.hear(9), chat.now + 9 * IDLE)
    assert.equal(await chat.hear(1), chat.now + IDLE)
    const { head } = await chat.record()
    const judge = (changes: Partial<ExtractionRules>) =>
      store.extraction.judgeExtraction(chat.key, { rules: { ...rules, ...changes }, now: chat.now })
    assert.equal(await judge({ idleMs: 5 }), head!.appendedAt + 5)
    assert.equal(await judge({ batchMessages: 10 }), chat.now)
    assert.equal(await judge({ when: 'off' }), null)
    assert.equal(await store.schedule.nextDueAt('test', 'extraction'), null)
  },
})
