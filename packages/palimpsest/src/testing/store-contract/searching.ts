import assert from 'node:assert/strict'
import { searchableText } from '../../log/index.ts'
import { countTerms } from '../../search/index.ts'
import type { IndexWork, IndexWrite, SearchRead, Store, WantedTerm } from '../../store/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases } from './contract-case.ts'
import { CANARY, erase, toldBySession } from './erasing-kit.ts'

const ALL_SESSIONS = { limit: 1_000 }
const ALL = { messages: 1_000, characters: 10_000_000 }

/** Works like an indexer. It writes in `parts` transactions, and the last of them may be left out. */
async function index(chat: Chat, { parts = 1, isFinished = true, request = ALL } = {}): Promise<boolean> {
  const work = await chat.store.search.readIndexWork(chat.key, request)
  if (work === null) return false
  const { terms, finish } = writeFor(work)
  const all = [...terms]
  const size = Math.ceil(all.length / parts)
  for (let part = 0; part < parts; part++) {
    const isLast = part === parts - 1
    const some = new Map(all.slice(part * size, (part + 1) * size))
    const write = { work, terms: some, ...(isLast && isFinished && { finish }) }
    if (!(await chat.store.search.writeIndex(chat.key, write))) return false
  }
  return true
}

function writeFor(work: IndexWork): Required<IndexWrite> {
  const terms = new Map<string, [number, number][]>()
  const put = (term: string, seq: number, count: number) => {
    const places = (terms.get(term) ?? []).filter(([other]) => other !== seq)
    terms.set(term, [...places, [seq, count]])
  }
  for (const { seq, earlier } of work.edited)
    for (const content of earlier)
      for (const term of countTerms(searchableText(content)).keys()) put(term, seq, 0)
  const messages = [...new Map([...work.messages, ...work.edited].map(each => [each.seq, each])).values()]
  const lengths = messages.map(({ content, ...each }) => {
    const counts = countTerms(searchableText(content))
    for (const [term, count] of counts) put(term, each.seq, count)
    return { ...each, length: [...counts.values()].reduce((sum, count) => sum + count, 0) }
  })
  return { work, terms, finish: { messages: lengths, edited: work.edited.map(({ seq }) => seq) } }
}

async function search(store: Store, terms: readonly WantedTerm[]): Promise<readonly SearchRead[]> {
  return (await store.search.readSearch('test', { terms, page: ALL_SESSIONS })).reads
}

/** The places of a term, by session. */
async function places(store: Store, term: string, which: { prefix?: boolean; sessions?: string[] } = {}) {
  const { prefix = false, ...rest } = which
  const { reads } = await store.search.readSearch('test', {
    terms: [{ term, prefix }],
    page: ALL_SESSIONS,
    ...rest,
  })
  return Object.fromEntries(
    reads.map(({ key, index }) => [
      key.id,
      [...new Set([...index.postings.values()].flatMap(({ seqs }) => [...seqs]))]
        .filter(seq => index.lengths[seq]! > 0)
        .sort((one, other) => one - other),
    ]),
  )
}

export const searching = contractCases('the index', {
  'loses a long message that is erased, in several transactions': async store => {
    const chat = new Chat(store)
    const words = (prefix: string) =>
      Array.from({ length: 600 }, (_, word) => `${prefix}${'x'.repeat(20)}${word}`).join(' ')
    await chat.append(
      message('harbour'),
      message(`${words(CANARY)} harbour`),
      message('harbour again'),
      message(words('first')),
    )
    await chat.edit(4, `${words(`edited${CANARY}`)} harbour`)
    await chat.fork('fork', 3)
    for (const each of [chat, chat.beside('fork')]) while (await index(each)) {}
    assert.deepEqual(await places(store, 'harbour'), { chat: [1, 2, 3, 4], fork: [1, 2, 3] })
    const target = { kind: 'messages', sessionId: 'chat', seqs: [2, 4] } as const
    let record = await store.erasure.beginErasure('test', { target, now: chat.now })
    let slices = 0
    for (; record.stage === 'erasing'; slices++) {
      record = await store.erasure.continueErasure('test', { id: record.id, now: chat.now })
      if (slices === 2) assert.deepEqual((await places(store, 'harbour')).chat, [1, 3, 5, 6])
      // New messages are appended and indexed during the erasure.
      await chat.append(message(`harbour ${slices}`))
      while (await index(chat)) {}
    }
    assert.ok(slices > 6)
    assert.deepEqual(record.counts, { messages: 3, index: 3, versions: 1, forks: 1 })
    for (const gone of [CANARY, `edited${CANARY}`, 'first'])
      assert.deepEqual(Object.values(await places(store, gone, { prefix: true })).flat(), [])
    const found = await places(store, 'harbour')
    assert.deepEqual(found.fork, [1, 3])
    assert.deepEqual(found.chat, [1, 3, ...Array.from({ length: slices }, (_, slice) => 5 + slice)])
    assert.ok(!(await toldBySession(store, 'chat')).includes(CANARY))
  },

  'has lost a long message when an erasure ends, also where another one of it was the first': async store => {
    const chat = new Chat(store)
    const words = Array.from({ length: 1_500 }, (_, word) => `${CANARY}${'x'.repeat(20)}${word}`).join(' ')
    await chat.append(message('harbour'), message(words))
    await chat.fork('fork', 2)
    for (const each of [chat, chat.beside('fork')]) while (await index(each)) {}
    const target = { kind: 'messages', sessionId: 'chat', seqs: [2] } as const
    const { id } = await store.erasure.beginErasure('test', { target, now: chat.now })
    for (let slice = 0; slice < 2; slice++) await store.erasure.continueErasure('test', { id, now: chat.now })
    assert.ok((await toldBySession(store, 'chat')).includes(CANARY), 'it is under way')
    const record = await erase(store, target)
    assert.equal(record.counts.messages, 1, 'that of the fork')
    for (const session of ['chat', 'fork'])
      assert.ok(!(await toldBySession(store, session)).includes(CANARY), session)
  },

  'holds where terms stand, who said it and when': async store => {
    const chat = new Chat(store, 'chat', { kind: 'group' })
    const at = Date.UTC(2026, 1, 10, 12)
    await chat.append(
      message('red apples and red plums', { sender: { id: 'u1', name: 'Ann' }, at }),
      message('green apples', { role: 'assistant', at: at + 60_000 }),
      message('!', { sender: { id: 'u1', name: 'Ann' } }),
    )
    assert.equal((await store.sessions.readSession(chat.key))!.epoch, 0)
    assert.ok(await index(chat))
    assert.equal(await index(chat), false, 'there is nothing left')
    const [read] = await search(store, [
      { term: 'red', prefix: false },
      { term: 'appl', prefix: false },
      { term: 'nowher', prefix: false },
    ])
    assert.ok(read)
    assert.deepEqual([...read.index.postings.keys()], ['red', 'appl'])
    assert.deepEqual([...read.index.postings.get('red')!.seqs], [1])
    assert.deepEqual([...read.index.postings.get('red')!.counts], [2])
    assert.deepEqual([...read.index.postings.get('appl')!.seqs], [1, 2])
    assert.equal(read.index.lastSeq, 3)
    assert.deepEqual([...read.index.lengths], [0, 5, 2, 0])
    assert.equal(read.indexedThrough, 3)
    assert.deepEqual(read.speakers[read.index.speakers[1]!], {
      role: 'user',
      sender: { id: 'u1', name: 'Ann' },
    })
    assert.deepEqual(read.speakers[read.index.speakers[2]!], { role: 'assistant', sender: null })
    assert.equal(read.index.minutes[2]! - read.index.minutes[1]!, 1)
    assert.equal(read.index.minutes[1], at / 60_000)
  },

  'is written in parts, and counts when the last one is': async store => {
    const chat = new Chat(store)
    await chat.append(message('red two three four five six ten'))
    await index(chat, { parts: 3, isFinished: false })
    const [before] = await search(store, [{ term: 'red', prefix: false }])
    assert.equal(before?.indexedThrough, 0)
    assert.equal(before?.index.lengths[1], 0, 'whoever searches looks at the message itself')
    assert.ok(await index(chat, { parts: 3 }))
    for (const term of ['red', 'two', 'four', 'ten'])
      assert.deepEqual(await places(store, term), { chat: [1] })
    const [after] = await search(store, [{ term: 'red', prefix: false }])
    assert.deepEqual([...after!.index.postings.get('red')!.counts], [1], 'and not twice')
  },

  'takes slices of so many messages or characters, at least one': async store => {
    const chat = new Chat(store)
    await chat.append(...Array.from({ length: 5 }, (_, place) => message(`${'word '.repeat(100)}${place}`)))
    const few = await store.search.readIndexWork(chat.key, { messages: 2, characters: 1_000_000 })
    assert.deepEqual([few?.messages.length, few?.through], [2, 2])
    const short = await store.search.readIndexWork(chat.key, { messages: 5, characters: 10 })
    assert.deepEqual([short?.messages.length, short?.through], [1, 1])
    for (let slices = 0; slices < 5; slices++) await index(chat, { request: { messages: 5, characters: 10 } })
    assert.deepEqual(await places(store, 'word'), { chat: [1, 2, 3, 4, 5] })
  },

  'refuses what was read before an edit, a rollback or another write': async store => {
    const chat = new Chat(store)
    await chat.append(message('alpha'), message('beta'), message('gamma'))
    const work = (await store.search.readIndexWork(chat.key, ALL))!
    await chat.edit(2, 'delta')
    assert.equal(await store.search.writeIndex(chat.key, writeFor(work)), false)
    const again = (await store.search.readIndexWork(chat.key, ALL))!
    await chat.rollback(2)
    assert.equal(await store.search.writeIndex(chat.key, writeFor(again)), false)
    const third = (await store.search.readIndexWork(chat.key, ALL))!
    assert.ok(await store.search.writeIndex(chat.key, writeFor(third)))
    assert.equal(await store.search.writeIndex(chat.key, writeFor(third)), false, 'somebody else was first')
    assert.deepEqual(await places(store, 'beta'), {})
    assert.deepEqual(await places(store, 'delta'), { chat: [2] })
  },

  'knows which messages were edited since, and takes their old words out': async store => {
    const chat = new Chat(store)
    await chat.append(message('the old word'), message('another'))
    await index(chat)
    await chat.edit(1, 'the new word')
    const [read] = await search(store, [{ term: 'old', prefix: false }])
    assert.deepEqual(read?.edited, [1])
    assert.equal(read?.index.lengths[1], 0)
    await chat.edit(1, 'the newest word')
    assert.ok(await index(chat))
    assert.deepEqual(await places(store, 'old'), {})
    assert.deepEqual(await places(store, 'new'), {})
    assert.deepEqual(await places(store, 'newest'), { chat: [1] })
    assert.deepEqual(await places(store, 'word'), { chat: [1] })
    assert.equal(await index(chat), false)
  },

  'shows nothing that a rollback hid': async store => {
    const chat = new Chat(store)
    await chat.append(message('kept word'), message('hidden word'), message('hidden word too'))
    await index(chat)
    await chat.rollback(1)
    assert.deepEqual(await places(store, 'word'), { chat: [1] })
    await chat.append(message('later word'))
    await index(chat)
    assert.deepEqual(await places(store, 'word'), { chat: [1, 4] })
    assert.deepEqual(
      (await store.log.readMessages(chat.key, { seqs: [4, 2, 1, 9, 1] })).map(({ seq }) => seq),
      [1, 4],
    )
  },

  'finds all terms that begin with one, in any script': async store => {
    const chat = new Chat(store)
    await chat.append(message('我喜欢猫'), message('猫咪很可爱'), message('狗'), message('\ud83d\ude00 猫'))
    await index(chat)
    assert.deepEqual(await places(store, '猫', { prefix: true }), { chat: [1, 2, 4] })
    assert.deepEqual(await places(store, '狗', { prefix: true }), { chat: [3] })
    assert.deepEqual(await places(store, '鸟', { prefix: true }), {})
  },

  'is searched in one session, in some, or in all of a namespace, user or scope': async store => {
    const chats = [
      new Chat(store, 'a', { user: 'u1' }),
      new Chat(store, 'b', { user: 'u2', scope: 'team' }),
      new Chat(store, 'c', { kind: 'group', scope: 'team' }),
      new Chat(store, 'a', { namespace: 'elsewhere', user: 'u1', scope: 'team' }),
    ]
    for (const chat of chats) {
      await chat.append(message('the same word'))
      await index(chat)
    }
    const request = { terms: [{ term: 'word', prefix: false }], page: ALL_SESSIONS }
    const found = async (more: object, namespace = 'test') =>
      (await store.search.readSearch(namespace, { ...request, ...more })).reads
        .map(({ key }) => key.id)
        .sort()
    assert.deepEqual(await found({}), ['a', 'b', 'c'])
    assert.deepEqual(await found({ sessions: ['b'] }), ['b'])
    assert.deepEqual(await found({ sessions: ['a', 'c', 'nobody'] }), ['a', 'c'])
    assert.deepEqual(await found({ sessions: [] }), [])
    assert.deepEqual(await found({ user: 'u1' }), ['a'])
    assert.deepEqual(await found({ scope: 'team' }), ['b', 'c'])
    assert.deepEqual(await found({ scope: 'team', user: 'u2' }), ['b'])
    assert.deepEqual(await found({ sessions: ['a'], scope: 'team' }), [])
    assert.deepEqual(await found({}, 'elsewhere'), ['a'])
    assert.deepEqual(await found({}, 'nowhere'), [])
    assert.deepEqual(await found({ terms: [{ term: 'absent', prefix: false }] }), [])
  },

  'goes through the sessions page by page, those without the terms too if it is told to': async store => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      const chat = new Chat(store, id)
      await chat.append(message(id === 'c' ? 'nothing' : 'the word'))
      await index(chat)
    }
    const terms = [{ term: 'word', prefix: false }]
    const walk = async (more: object) => {
      const ids: string[] = []
      for (let next: string | null = ''; next !== null; ) {
        const page = { limit: 2, ...(next !== '' && { after: next }) }
        const answer = await store.search.readSearch('test', { terms, page, ...more })
        ids.push(...answer.reads.map(({ key }) => key.id))
        next = answer.next
      }
      return ids
    }
    assert.deepEqual(await walk({}), ['a', 'b', 'd', 'e'])
    assert.deepEqual(await walk({ withoutTerms: true }), ['a', 'b', 'c', 'd', 'e'])
    assert.deepEqual(await walk({ sessions: ['e', 'b', 'a'] }), ['a', 'b', 'e'])
  },

  'names the sessions that are behind': async store => {
    const chats = ['a', 'b', 'c', 'd'].map(id => new Chat(store, id))
    for (const chat of chats) await chat.append(message('hello there'))
    for (const chat of chats.slice(0, 3)) await index(chat)
    await chats[1]!.edit(1, 'good bye')
    const first = await store.search.listUnindexed('test', { limit: 2 })
    assert.deepEqual(first, { keys: [chats[1]!.key], next: 'b' })
    const second = await store.search.listUnindexed('test', { after: 'b', limit: 3 })
    assert.deepEqual(second, { keys: [chats[3]!.key], next: null })
  },

  'spans many blocks': async store => {
    const chat = new Chat(store)
    for (let from = 0; from < 9_000; from += 1_000)
      await chat.append(
        ...Array.from({ length: 1_000 }, (_, place) =>
          message((from + place) % 1_500 === 0 ? 'needle in hay' : 'hay'),
        ),
      )
    while (await index(chat, { request: { messages: 1_700, characters: 10_000_000 } }));
    const [read] = await search(store, [
      { term: 'needl', prefix: false },
      { term: 'hai', prefix: false },
    ])
    assert.deepEqual([...read!.index.postings.get('needl')!.seqs], [1, 1501, 3001, 4501, 6001, 7501])
    assert.equal(read!.index.postings.get('hai')!.seqs.length, 9_000)
    assert.deepEqual(
      [read!.index.lengths[1], read!.index.lengths[8_999], read!.index.lengths[9_000]],
      [3, 1, 1],
    )
  },

  'gives a segment with those below it': async store => {
    const chat = new Chat(store)
    await chat.say(30)
    await chat.fold(5)
    await chat.foldAndRollUp(10, 2)
    const all = await store.folds.readSegments(chat.key, 'all')
    const upper = all.find(({ level }) => level === 2)!
    const found = await store.folds.readSegment(chat.key, upper.id)
    assert.deepEqual(found?.segment, upper)
    assert.deepEqual(
      found?.lower.map(({ id }) => id),
      all.filter(({ level }) => level === 1).map(({ id }) => id),
    )
    assert.equal(await store.folds.readSegment(chat.key, 99), null)
    assert.equal(await store.folds.readSegment({ ...chat.key, id: 'nobody' }, 1), null)
  },
})
