import assert from 'node:assert/strict'
import type { PalimpsestError } from '../../errors.ts'
import type { ExtractionRules, GivenTraits, Store } from '../../store/index.ts'
import { Chat, type ChatOptions, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { adding, documentKey } from './documents.ts'
import { eventsOf } from './events-of.ts'

const open = (store: Store, options: ChatOptions) => new Chat(store, 'chat', options)
const claim = (given: Partial<GivenTraits>) => ({
  namespace: 'test',
  id: 'chat',
  traits: { kind: null, user: null, scope: null, ...given },
})
const assign = (chat: Chat, given: { user?: string; scope?: string }) =>
  chat.store.sessions.assignTraits(chat.key, { user: null, scope: null, ...given, now: chat.tick() })
const traits = async (chat: Chat) => {
  const { kind, user, scope } = await chat.record()
  return { kind, user, scope }
}
const mismatches = (error: PalimpsestError) => error.details['mismatches']

const erase = async (store: Store, person: string) => {
  const request = { target: { kind: 'person', id: person }, now: 0 } as const
  let { id, stage } = await store.erasure.beginErasure('test', request)
  while (stage === 'erasing') ({ id, stage } = await store.erasure.continueErasure('test', { id, now: 0 }))
}

const TURN: ExtractionRules = { when: 'turn', batchMessages: 6, idleMs: 60_000 }

export const assigning = contractCases('traits', {
  'refuses an append that says otherwise, names both, and stores nothing': async store => {
    const chat = open(store, { kind: 'private', user: 'ann', scope: 'work' })
    await chat.append(message('mine'))
    const stranger = open(store, { kind: 'group', user: 'bob', scope: 'work' })
    const error = await refuses(stranger.append(message('not mine')), 'session_mismatch')
    assert.deepEqual(mismatches(error), [
      { trait: 'kind', given: 'group', stored: 'private' },
      { trait: 'user', given: 'bob', stored: 'ann' },
    ])
    assert.match(error.message, /"ann".*"bob"/)
    await refuses(stranger.replaceTail('everything', [message('gone')]), 'session_mismatch')
    await refuses(open(store, { scope: 'home' }).append(), 'session_mismatch')
    assert.deepEqual(await chat.contents(), ['mine'])
  },

  'refuses that append alone, of several that are made together': async store => {
    const chat = open(store, { user: 'ann' })
    await chat.append()
    const appends = [open(store, { user: 'bob' }), chat, new Chat(store, 'other'), open(store, {})].map(
      each => each.append(message('hello')),
    )
    const [refused, ...others] = await Promise.allSettled(appends)
    assert.equal(refused!.status, 'rejected')
    assert.deepEqual(
      others.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual(await chat.contents(), ['hello', 'hello'])
  },

  'lets only the first of two decide who create a session at once': async (store, openStore) => {
    const other = await openStore()
    const appends = [open(store, { user: 'ann' }), open(other, { user: 'bob' })].map(each =>
      each.append(message('hello')),
    )
    const ends = await Promise.allSettled(appends)
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.deepEqual(await new Chat(store).contents(), ['hello'])
  },

  'refuses reads and changes by a key that says otherwise': async store => {
    const chat = open(store, { user: 'ann' })
    await chat.say(2)
    const bob = claim({ user: 'bob' })
    const now = chat.tick()
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.sessions.readSession(bob),
      () => store.log.readMessages(bob, { limit: 1, from: 'oldest' }),
      () => store.context.readContext(bob, { tokens: 100, archivedTokens: 0 }),
      () => store.folds.readSegments(bob, 'all'),
      () => store.settings.readOwnSettings(bob),
      () => store.transfer.exportSession(bob),
      () => store.pins.readPins(bob),
      () => store.log.rollback(bob, { toSeq: 0, now }),
      () => store.log.edit(bob, { seq: 1, content: 'x', size: { characters: 1, tokens: 1 }, now }),
      () => store.transfer.fork(bob, { newId: 'fork', atSeq: 1, now }),
      () => store.sessions.assignTraits(bob, { user: null, scope: 'work', now }),
    ]
    for (const call of calls) await refuses(call(), 'session_mismatch')
    assert.equal(await store.sessions.readSession({ namespace: 'test', id: 'fork' }), null)
    assert.equal((await store.sessions.readSession(claim({ kind: 'private', user: 'ann' })))?.head?.seq, 2)
    assert.equal((await store.sessions.readSession(claim({ scope: 'work' })))?.head?.seq, 2)
    assert.equal(await store.sessions.readSession({ ...bob, id: 'none' }), null)
  },

  'assigns nothing by an append, and says so': async store => {
    const bare = new Chat(store)
    await bare.append()
    const receipt = await open(store, { kind: 'private', user: 'ann', scope: 'work' }).append(message('hi'))
    assert.deepEqual(receipt.unassigned, ['user', 'scope'])
    assert.deepEqual((await open(store, { scope: 'work' }).append()).unassigned, ['scope'])
    const operation = { id: 'once', fingerprint: 'f' }
    for (const _ of [1, 2]) {
      const tail = await open(store, { user: 'ann' }).replaceTail([], [message('x')], operation)
      assert.deepEqual(tail.unassigned, ['user'])
    }
    assert.deepEqual(await traits(bare), { kind: 'private', user: null, scope: null })
    assert.deepEqual(Object.keys(await bare.append(message('y'))).includes('unassigned'), false)
  },

  'assigns what is missing once, with an event and an epoch': async store => {
    const chat = new Chat(store)
    await chat.say(2)
    const before = await chat.record()
    assert.deepEqual((await assign(chat, { user: 'ann' })).assigned, ['user'])
    assert.deepEqual(await traits(chat), { kind: 'private', user: 'ann', scope: null })
    const after = await chat.record()
    assert.ok(after.epoch > before.epoch)
    assert.deepEqual((await assign(chat, { user: 'ann' })).assigned, [])
    const error = await refuses(assign(chat, { user: 'bob', scope: 'work' }), 'session_mismatch')
    assert.deepEqual(mismatches(error), [{ trait: 'user', given: 'bob', stored: 'ann' }])
    assert.deepEqual((await assign(chat, { user: 'ann', scope: 'work' })).assigned, ['scope'])
    assert.deepEqual(await traits(chat), { kind: 'private', user: 'ann', scope: 'work' })
    await refuses(assign(new Chat(store, 'none'), { user: 'ann' }), 'session_not_found')
    const events = await eventsOf(store, 'session-assigned', 2)
    assert.deepEqual(
      events.map(({ sessionId, data }) => [sessionId, data]),
      [
        ['chat', { assigned: ['user'] }],
        ['chat', { assigned: ['scope'] }],
      ],
    )
    await refuses(open(store, { user: 'bob' }).append(message('hello')), 'session_mismatch')
    assert.equal((await open(store, { user: 'ann' }).append(message('hello'))).unassigned, undefined)
  },

  'lets only the first of two assign': async (store, openStore) => {
    const chat = new Chat(store)
    await chat.append()
    const other = new Chat(await openStore())
    const ends = await Promise.allSettled([assign(chat, { user: 'ann' }), assign(other, { user: 'bob' })])
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const [won] = ends
      .map(({ status }, place) => (status === 'fulfilled' ? ['ann', 'bob'][place] : null))
      .filter(Boolean)
    assert.equal((await chat.record()).user, won)
  },

  'shows the memory of the person from then on': async store => {
    await store.documents.changeDocuments([adding(documentKey('user', 'ann'), '- tea')])
    const chat = new Chat(store)
    await chat.say(2)
    const read = async () => (await store.context.readContext(chat.key, { tokens: 100, archivedTokens: 0 }))!
    const { epoch } = (await read()).session
    const freeze = { days: [], language: 'en', refresh: false } as const
    await store.context.freezeLayers(chat.key, { ...freeze, expectedEpoch: epoch })
    assert.deepEqual((await read()).layers, [])
    await assign(chat, { user: 'ann' })
    const { session, layers } = await read()
    assert.equal(session.layers, null)
    assert.deepEqual(
      layers.map(({ layer, key }) => [layer, key]),
      [['user', 'ann']],
    )
  },

  'erases what was said before with the person': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    const fork = await chat.fork('fork', 2)
    await chat.fold(2)
    await assign(chat, { user: 'ann' })
    const later = await chat.fork('later', 4)
    assert.deepEqual((await traits(later)).user, 'ann')
    await erase(store, 'ann')
    assert.equal(await store.sessions.readSession(chat.key), null)
    assert.equal(await store.sessions.readSession(later.key), null)
    assert.deepEqual(await fork.contents(), [])
  },

  'keeps what was assigned in files and copies': async store => {
    const chat = new Chat(store)
    await chat.say(2)
    await assign(chat, { user: 'ann', scope: 'work' })
    assert.deepEqual(await traits(await chat.copyByFile('copy')), {
      kind: 'private',
      user: 'ann',
      scope: 'work',
    })
  },

  'lets a fold in flight go on, and voids an extraction': async store => {
    const chat = new Chat(store, 'chat', { kind: 'agent', scope: 'work' })
    await chat.say(4)
    const commit = await chat.prepareFold(2)
    const lease = await store.leases.takeLease('test', {
      ...{ name: 'extraction/chat', owner: 'test', ttlMs: 60_000, now: chat.now },
    })
    await assign(chat, { user: 'ann' })
    await chat.commit(commit)
    assert.equal((await chat.record()).state.compactedThrough, 2)
    await refuses(
      store.extraction.commitExtraction({
        ...{ key: chat.key, leaseToken: lease!.token, after: 0, through: 2, documents: [], rules: TURN },
        ...{ read: { messages: 2, versions: 2 }, now: chat.tick() },
      }),
      'lease_lost',
    )
  },

  'says when the memory of the person is to be extracted': async store => {
    const chat = new Chat(store)
    await chat.say(2)
    const assignment = { user: 'ann', scope: null, extraction: TURN, now: chat.tick() }
    assert.equal((await store.sessions.assignTraits(chat.key, assignment)).extractAt, assignment.now)
    assert.deepEqual(
      (await store.schedule.listDue('test', { kind: 'extraction', now: assignment.now, limit: 9 })).map(
        ({ id }) => id,
      ),
      ['chat'],
    )
  },

  'takes no . and .. for what is new': async store => {
    for (const id of ['.', '..']) {
      await refuses(new Chat(store, id).append(message('x')), 'invalid_argument')
      await refuses(new Chat(store, id).replaceTail([], [message('x')]), 'invalid_argument')
      await refuses(new Chat(store, 'chat', { user: id }).append(), 'invalid_argument')
      await refuses(new Chat(store, 'chat', { scope: id }).append(), 'invalid_argument')
      const chat = new Chat(store, 'good')
      await chat.append(message('x'))
      await refuses(chat.fork(id, 1), 'invalid_argument')
      await refuses(chat.copyByFile(id), 'invalid_argument')
      await refuses(assign(chat, { user: id }), 'invalid_argument')
    }
    assert.equal((await store.sessions.listSessions('test', { limit: 9 })).length, 1)
    await new Chat(store, '...').append(message('x'))
  },
})
