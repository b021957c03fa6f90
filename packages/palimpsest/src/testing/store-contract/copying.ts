import assert from 'node:assert/strict'
import { CopyHash, type CopyPage, type CopyPlace, hashOfRows, type Store } from '../../store/index.ts'
import { eventfulChat } from './archiving.ts'
import { Chat, checkFigures, FORCE, message } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { adding, documentKey, fact, learning, NOW } from './documents.ts'
import { erase, finish } from './erasing-kit.ts'

/** A namespace of the same store stands for another store, since no data crosses it. */
const THERE = 'there'

function copyOf({ store, key, now }: Chat): Chat {
  const copy = new Chat(store, key.id, { namespace: THERE })
  copy.now = now
  return copy
}

async function* pagesOf({ store, key }: Chat, limit = 200): AsyncGenerator<CopyPage> {
  const { epoch } = (await store.copies.readCopyState(key))!
  let place: CopyPlace | null = { epoch, part: 'segments', after: 0, limit }
  do {
    const page: CopyPage = await store.copies.readCopyPage(key, place)
    yield page
    place = page.next && { ...page.next, limit }
  } while (place !== null)
}

async function hashOf(chat: Chat): Promise<string> {
  const hash = new CopyHash()
  for await (const { rows } of pagesOf(chat)) hash.add(rows)
  return hash.digest()
}

async function importing(
  chat: Chat,
  pages: AsyncIterable<CopyPage> = pagesOf(chat),
  replaces?: { readonly contentMark: string; readonly after: number },
) {
  const original = await chat.store.copies.readCopyState(chat.key)
  assert.ok(original)
  return chat.store.copies.importCopy(copyOf(chat).key, {
    pages,
    original: { ...original, store: 'here' },
    ...(replaces && { replaces }),
    now: NOW,
  })
}

/** Gives `after` pages and then throws. */
async function* brokenOff(pages: AsyncIterable<CopyPage>, after: number): AsyncGenerator<CopyPage> {
  let read = 0
  for await (const page of pages) {
    if (read === after) throw new Error('broken off')
    read += 1
    yield page
  }
}

async function expectSame(chat: Chat): Promise<void> {
  const copy = copyOf(chat)
  assert.deepEqual(await copy.file(), await chat.file())
  assert.equal(await hashOf(copy), await hashOf(chat))
  const [ours, theirs] = [await chat.record(), await copy.record()]
  const ofItself = { layers: null, leaseUntil: null, number: 0 }
  assert.deepEqual({ ...theirs, ...ofItself }, { ...ours, ...ofItself })
  assert.deepEqual(
    (await copy.messages()).map(each => ({ ...each })),
    (await chat.messages()).map(each => ({ ...each })),
  )
}

export const copying = contractCases('a copy', {
  'is the same session, with figures, segments, memo, documents and what is decided': async store => {
    const chat = await eventfulChat(store)
    await chat.ask({ burst: 'b', address: { chat: 7 } }, message('are you there?'))
    await store.schedule.setPending(chat.key, FORCE)
    await store.sessions.recordMeasures(chat.key, { calibrations: { model: 1.25 } })
    const { hash, verified, messages, written } = await importing(chat)
    assert.equal(verified, true)
    await expectSame(chat)
    await checkFigures(copyOf(chat))
    assert.equal(hash, await hashOf(chat))
    assert.equal(messages, (await chat.file()).messages.length)
    assert.equal(written, messages)
    const copy = await copyOf(chat).record()
    assert.deepEqual(copy.pending, FORCE)
    assert.deepEqual(copy.calibrations.learned, { model: 1.25 })
    const [waiting] = await store.inbox.readWaiting(THERE, { limit: 10 })
    assert.deepEqual([waiting?.address, waiting?.burst], [{ chat: 7 }, 'b'])
    assert.deepEqual(
      (await store.schedule.listPending(THERE, { limit: 10 })).map(({ id }) => id),
      [chat.key.id],
    )
  },

  'goes on as the original would have': async store => {
    const chat = await eventfulChat(store)
    await importing(chat)
    for (const each of [copyOf(chat), chat]) {
      assert.deepEqual(await each.say(3), [20, 21, 22])
      await checkFigures(each)
      await each.rollback(7)
      await checkFigures(each)
    }
    assert.deepEqual(await copyOf(chat).file(), await chat.file())
  },

  'has the same hash whatever the pages are, and another one with any other content': async store => {
    const chat = await eventfulChat(store)
    const hash = await hashOf(chat)
    for (const limit of [1, 2, 3, 7]) {
      const cut = new CopyHash()
      for await (const { rows } of pagesOf(chat, limit)) cut.add(rows)
      assert.equal(cut.digest(), hash)
    }
    for (const change of [
      () => chat.edit(1, 'one'),
      () => store.settings.updateSettings(chat.key, { policy: null }),
      () => chat.fold(12),
      () => store.pins.pin(chat.key, { seq: null, note: 'n', tokens: 1, mostTokens: 99, now: NOW }),
      () => store.documents.changeDocuments([adding(documentKey('chat', chat.key.id), 'more')]),
      () => chat.say(1),
    ]) {
      const [before, state] = [await hashOf(chat), await store.copies.readCopyState(chat.key)]
      await change()
      assert.notEqual(await hashOf(chat), before)
      assert.notEqual((await store.copies.readCopyState(chat.key))!.contentMark, state!.contentMark)
      assert.notEqual((await store.copies.readCopyState(chat.key))!.mark, state!.mark)
    }
  },

  'that was broken off is not seen, and goes on where it was': async (store, open) => {
    const chat = await eventfulChat(store)
    await chat.say(30)
    const all = (await chat.file()).messages.length
    for (const after of [0, 1, 3, 6, 10]) {
      await assert.rejects(importing(chat, brokenOff(pagesOf(chat, 4), after)), /broken off/)
      assert.equal(await store.sessions.readSession(copyOf(chat).key), null)
      assert.deepEqual(await store.sessions.listSessions(THERE, { limit: 10 }), [])
    }
    const again = new Chat(await open(), chat.key.id)
    const { messages, written } = await importing(again, pagesOf(again, 4))
    assert.equal(messages, all)
    assert.ok(written > 0 && written < all, `${written} of ${all} were left`)
    await expectSame(chat)
    await checkFigures(copyOf(chat))
  },

  'that was broken off begins anew where the original was rewritten since': async store => {
    const chat = new Chat(store)
    await chat.say(20)
    await assert.rejects(importing(chat, brokenOff(pagesOf(chat, 4), 4)), /broken off/)
    await chat.edit(2, 'something else')
    assert.deepEqual(await importing(chat, pagesOf(chat, 4)), {
      hash: await hashOf(chat),
      verified: false,
      messages: 20,
      written: 20,
    })
    await expectSame(chat)
  },

  'has what was added meanwhile, and refuses what was rewritten meanwhile': async store => {
    const chat = new Chat(store)
    await chat.say(20)
    async function* growing(change: () => Promise<unknown>) {
      let pages = 0
      for await (const page of pagesOf(chat, 4)) {
        pages += 1
        if (pages === 3) await change()
        yield page
      }
    }
    await refuses(
      importing(
        chat,
        growing(() => chat.fold(5)),
      ),
      'epoch_conflict',
    )
    assert.equal(await store.sessions.readSession(copyOf(chat).key), null)
    const { messages } = await importing(
      chat,
      growing(() => chat.say(10)),
    )
    assert.equal(messages, 30)
    await expectSame(chat)
  },

  'takes the place of no other session': async store => {
    const chat = await eventfulChat(store)
    await copyOf(chat).say(2)
    const before = await copyOf(chat).file()
    await refuses(importing(chat), 'session_exists')
    const wrong = { contentMark: 'of another', after: 0 }
    await refuses(importing(chat, pagesOf(chat), wrong), 'session_exists')
    await refuses(importing(chat, pagesOf(chat), { ...wrong, after: 2 }), 'session_exists')
    assert.deepEqual(await copyOf(chat).file(), before)
  },

  'is brought up to date, with what was added alone or anew, and says what it came from': async store => {
    const chat = await eventfulChat(store)
    await importing(chat)
    const learned = documentKey('user', 'ann', THERE)
    await store.documents.changeDocuments([learning(learned, [fact('- tea', chat.key.id, [1, 2])])])
    for (const [change, isAdded] of [
      [() => chat.say(5), true],
      [() => chat.fold(13), false],
      [() => store.documents.changeDocuments([adding(documentKey('chat', chat.key.id), 'more')]), true],
      [() => chat.rollback(16), false],
    ] as const) {
      const [copy, before] = [
        await store.copies.readCopyState(copyOf(chat).key),
        await store.copies.readCopyState(chat.key),
      ]
      assert.equal(copy?.copied?.original, before?.mark)
      assert.equal(copy?.copied?.copy, copy?.contentMark)
      await change()
      const state = await store.copies.readCopyState(chat.key)
      assert.notEqual(copy?.copied?.original, state?.mark)
      assert.equal(copy?.copied?.epoch === state?.epoch, isAdded)
      const after = isAdded ? copy!.lastSeq : 0
      const all = (await chat.file()).messages.length
      const { written } = await importing(chat, pagesOf(chat), { contentMark: copy!.contentMark, after })
      assert.equal(written, isAdded ? all - copy!.lastSeq : all)
      await expectSame(chat)
      await checkFigures(copyOf(chat))
      const [told] = await store.documents.readFacts(learned, 'all')
      assert.equal(told?.origin.sessionId, chat.key.id)
    }
    assert.equal((await store.sessions.listSessions(THERE, { limit: 10 })).length, 1)
  },

  'remembers that it was verified, as long as it is the same': async store => {
    const chat = new Chat(store)
    await chat.say(3)
    const { hash } = await importing(chat, pagesOf(chat, 2))
    const { key } = copyOf(chat)
    await store.copies.noteVerified(key, 'another')
    assert.equal((await store.copies.readCopyState(key))?.copied?.verified, false)
    await store.copies.noteVerified(key, hash)
    assert.equal((await store.copies.readCopyState(key))?.copied?.verified, true)
    await copyOf(chat).say(1)
    const state = await store.copies.readCopyState(key)
    assert.notEqual(state?.copied?.copy, state?.contentMark)
  },

  'of two at once is one: the later goes on, the earlier fails': async store => {
    const chat = new Chat(store)
    await chat.say(20)
    async function* overtaken() {
      let pages = 0
      for await (const page of pagesOf(chat, 4)) {
        pages += 1
        if (pages === 4) await importing(chat)
        yield page
      }
    }
    await refuses(importing(chat, overtaken()), 'lease_lost')
    await expectSame(chat)
  },

  'has higher epochs and versions than what bore its name and was erased there': async store => {
    const chat = await eventfulChat(store)
    const there = copyOf(chat)
    await there.say(4)
    for (let seq = 1; seq <= 4; seq++) await there.edit(seq, 'edited')
    const highest = (await there.record()).epoch
    const target = { kind: 'session', sessionId: chat.key.id } as const
    await finish(store, await erase(store, target, { namespace: THERE }), THERE)
    await importing(chat)
    assert.deepEqual(await there.file(), await chat.file())
    assert.equal(await hashOf(there), await hashOf(chat))
    const { epoch, firstEpoch } = await there.record()
    assert.ok(firstEpoch >= highest && epoch > highest, `${epoch} is above ${highest}`)
    await checkFigures(there)
  },

  'of a document has its versions and facts, and replaces only what it is to replace': async store => {
    const chat = new Chat(store)
    await chat.say(4)
    await copyOf(chat).say(4)
    const [ours, theirs] = [documentKey('user', 'ann'), documentKey('user', 'ann', THERE)]
    await store.documents.changeDocuments([
      learning(ours, [fact('- tea\0', 'chat', [1, 2]), fact('- rum', 'chat', [3, 4])]),
      adding(ours, 'by hand', { now: NOW + 1, superseded: ['- rum'] }),
    ])
    const rows = (await store.copies.readDocumentCopy(ours))!
    assert.equal(await store.copies.readDocumentCopy(theirs), null)
    await store.copies.importDocumentCopy(theirs, { rows, replaces: null, now: NOW })
    const told = async (key: typeof ours) => [
      await store.documents.readDocument(key),
      await store.documents.readDocumentVersions(key, { limit: 10 }),
      await store.documents.readFacts(key, 'all'),
    ]
    assert.deepEqual(await told(theirs), await told(ours))
    const copied = (await store.copies.readDocumentCopy(theirs))!
    assert.equal(hashOfRows(copied), hashOfRows(rows))
    await refuses(
      store.copies.importDocumentCopy(theirs, { rows, replaces: null, now: NOW }),
      'document_conflict',
    )
    await store.documents.changeDocuments([adding(ours, 'more', { now: NOW + 2 })])
    const newer = (await store.copies.readDocumentCopy(ours))!
    await store.copies.importDocumentCopy(theirs, { rows: newer, replaces: hashOfRows(copied), now: NOW })
    assert.deepEqual(await told(theirs), await told(ours))
  },

  'finds the namespaces that hold anything': async store => {
    assert.deepEqual(await store.copies.listNamespaces({ limit: 10 }), [])
    for (const id of ['a', 'b']) await new Chat(store, id, { namespace: 'talk' }).say(1)
    await store.documents.changeDocuments([adding(documentKey('persona', '', 'memory'), 'x')])
    await store.settings.writeSettings('settings', { policy: 'count' })
    const all = [
      { namespace: 'memory', sessions: 0 },
      { namespace: 'settings', sessions: 0 },
      { namespace: 'talk', sessions: 2 },
    ]
    assert.deepEqual(await store.copies.listNamespaces({ limit: 10 }), all)
    assert.deepEqual(await store.copies.listNamespaces({ limit: 1 }), all.slice(0, 1))
    assert.deepEqual(await store.copies.listNamespaces({ after: 'memory', limit: 10 }), all.slice(1))
  },

  'of what is not there': async (store: Store) => {
    const { key } = new Chat(store, 'nobody')
    assert.equal(await store.copies.readCopyState(key), null)
    await refuses(store.copies.readCopyPage(key, null), 'session_not_found')
    await store.copies.noteVerified(key, 'x')
  },
})
