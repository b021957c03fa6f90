import assert from 'node:assert/strict'
import { dailyKey, type Store } from '../../store/index.ts'
import { Chat, message } from './chat.ts'
import { contractCases } from './contract-case.ts'
import {
  adding,
  contentOf,
  DAY,
  documentKey,
  fact,
  learning,
  linesOf,
  memoryEvents,
  NOW,
  replacing,
} from './documents.ts'
import { assertForgotten, CANARY, erase, eraseMessages, toldBy, toldByDocuments } from './erasing-kit.ts'

const ANN = documentKey('user', 'ann')
const SCOPE = documentKey('scope', 'work')
const GLOBAL = documentKey('global')

async function versionsOf(store: Store, key = ANN) {
  return (await store.documents.readDocumentVersions(key, { limit: 10_000 })).toReversed()
}

export const erasingDocuments = contractCases('erased messages', {
  'take along what later folds told of by a model that had been shown the earlier summary': async store => {
    const chat = new Chat(store, 'chat')
    await chat.say(8)
    const key = documentKey('chat', 'chat')
    await store.documents.changeDocuments([
      learning(key, [
        fact('- told before', 'chat', [1, 2], { from: 'fold' }),
        fact(`- ${CANARY}`, 'chat', [5, 6], { from: 'fold' }),
        fact('- read from messages', 'chat', [5, 6]),
      ]),
    ])
    await eraseMessages(chat, 3)
    assertForgotten(await toldBy(store))
    assert.deepEqual(
      (await store.documents.readFacts(key, 'current')).map(({ line }) => line),
      ['- told before', '- read from messages'],
    )
  },

  'take their lines out of documents, and out of every version': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann', scope: 'work' })
    await chat.say(8)
    const own = [documentKey('chat', 'chat'), documentKey('daily', dailyKey(DAY, 'chat'))]
    const keys = [ANN, SCOPE, GLOBAL, ...own]
    for (const key of keys)
      await store.documents.changeDocuments([
        replacing(key, '# Notes\n- of a person\n\n'),
        learning(key, [
          fact(`- ${CANARY}`, 'chat', [3, 4], { from: 'tool' }),
          fact('- before', 'chat', [1, 2]),
          fact('- after', 'chat', [5, 6]),
        ]),
        adding(key, '- by a person'),
        replacing(key, '# Notes\n- by a person alone\n\n'),
        adding(key, `- ${CANARY}`),
      ])
    const before = await versionsOf(store)
    const record = await eraseMessages(chat, 4)
    assert.deepEqual(record.counts, {
      messages: 1,
      index: 1,
      documents: 5,
      facts: 5,
      documentVersions: 25,
    })
    assertForgotten(await toldBy(store))
    for (const key of keys) {
      const versions = await versionsOf(store, key)
      assert.deepEqual(
        versions.map(({ version, content }) => [version, content]),
        [
          [6, '# Notes\n- of a person\n\n'],
          [7, '# Notes\n- of a person\n\n- before\n- after\n'],
          [8, '# Notes\n- of a person\n\n- before\n- after\n- by a person\n'],
          [9, '# Notes\n- by a person alone\n\n'],
          [10, '# Notes\n- by a person alone\n\n'],
        ],
      )
      assert.equal(await contentOf(store, key), versions.at(-1)?.content)
      assert.deepEqual(
        (await store.documents.readFacts(key, 'all')).map(({ line, version }) => [line, version]),
        [
          ['- before', 7],
          ['- after', 7],
        ],
      )
      const { version, tokens } = (await store.documents.readDocument(key))!
      assert.equal(version, 10)
      assert.ok(tokens > 0)
      const written = await store.documents.changeDocuments([adding(key, '- more')])
      assert.equal(written[0]?.version, 11)
      assert.equal((await versionsOf(store, key)).length, 6)
    }
    assert.deepEqual(
      (await versionsOf(store))
        .slice(0, 5)
        .map(({ at, author, sources, undoes }) => [at, author, sources, undoes]),
      before.map(({ at, author, sources, undoes }) => [at, author, sources, undoes]),
    )
    const events = (await memoryEvents(store, 35)).filter(({ data }) => data?.['author'] === 'erasure')
    assert.deepEqual(
      events.map(({ data, sessionId }) => [data?.['layer'], data?.['version'], sessionId]),
      [
        ['user', 10, null],
        ['scope', 10, null],
        ['global', 10, null],
        ['chat', 10, 'chat'],
        ['daily', 10, 'chat'],
      ],
    )
  },

  'leave nothing under a number that was ever seen': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(4)
    await store.documents.changeDocuments([
      adding(ANN, '- kept'),
      learning(ANN, [fact(`- ${CANARY}`, 'chat', [2, 2])]),
    ])
    const layers = async () =>
      (await store.context.readContext(chat.key, { tokens: 1, archivedTokens: 0 }))!.layers
    const [frozen] = await layers()
    assert.deepEqual(frozen, { layer: 'user', key: 'ann', version: 2 })
    await eraseMessages(chat, 2)
    assert.deepEqual(await layers(), [{ layer: 'user', key: 'ann', version: 4, since: 3 }])
    assert.deepEqual(await store.context.readLayerTexts(chat.key, [frozen!, { ...frozen!, version: 1 }]), [])
    const texts = await store.context.readLayerTexts(
      chat.key,
      [3, 4].map(version => ({ ...frozen!, version })),
    )
    assert.deepEqual(
      texts.map(({ content }) => content),
      ['- kept\n', '- kept\n'],
    )
    for (const before of [1, 2, 3])
      assert.deepEqual(await store.documents.readDocumentVersions(ANN, { before, limit: 10 }), [])
    assert.deepEqual(
      (await store.documents.readDocumentVersions(ANN, { before: 4, limit: 10 })).map(
        ({ version }) => version,
      ),
      [3],
    )
    await store.documents.changeDocuments([
      learning(ANN, [fact(`- ${CANARY}`, 'chat', [3, 3])]),
      replacing(ANN, '- kept\n', { undoes: 5 }),
    ])
    await eraseMessages(chat, 3)
    assert.deepEqual(
      (await versionsOf(store)).map(({ version, content, undoes }) => [version, content, undoes]),
      [
        [7, '- kept\n', null],
        [8, '- kept\n', null],
        [9, '- kept\n', null],
        [10, '- kept\n', 9],
      ],
    )
    assertForgotten(await toldByDocuments(store))
  },

  'take long histories out of documents part by part, while others write': async (store, open) => {
    const other = await open()
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(4)
    await store.documents.changeDocuments([
      learning(ANN, [fact(`- ${CANARY} first`, 'chat', [1, 1])]),
      ...Array.from({ length: 350 }, (_, place) =>
        place % 50 === 20
          ? learning(ANN, [fact(`- ${CANARY} ${place}`, 'chat', [2, 2])], { now: NOW + place })
          : adding(ANN, `- line ${place}`, { now: NOW + place }),
      ),
    ])
    const before = await versionsOf(store)
    let written = 0
    const record = await erase(
      store,
      { kind: 'messages', sessionId: 'chat', seqs: [1, 2] },
      {
        next: async () => {
          if (written < 10) await other.documents.changeDocuments([adding(ANN, `- meanwhile ${written++}`)])
          return written % 2 === 0 ? store : other
        },
      },
    )
    assert.ok((record.counts.documentVersions ?? 0) >= 351)
    const versions = await versionsOf(store)
    assert.equal(versions.length, 351 + written)
    const [first] = versions
    assert.ok(first!.version > before.at(-1)!.version)
    for (const [place, { content, at }] of before.entries()) {
      const lines = content.split('\n').filter(line => !line.includes(CANARY))
      const now = versions[place]!
      const kept = now.content.split('\n').filter(line => !line.includes('meanwhile'))
      assert.deepEqual(kept, lines, `version ${place + 1}`)
      assert.deepEqual([now.version, now.at], [first!.version + place, at])
    }
    assert.equal((await linesOf(store, ANN)).filter(line => line.includes('meanwhile')).length, written)
    assertForgotten(await toldByDocuments(store))
    assert.deepEqual(await store.documents.readFacts(ANN, 'all'), [])
  },

  'take a line that was condensed from several with them, and leave the others': async store => {
    const [chat, other] = ['chat', 'other'].map(id => new Chat(store, id, { user: 'ann' }))
    for (const each of [chat!, other!]) await each.say(6)
    const facts = [
      fact(`- ${CANARY}`, 'chat', [1, 1]),
      fact('- two', 'chat', [2, 2]),
      fact('- three', 'other', [3, 3]),
      fact('- four', 'other', [4, 4]),
    ]
    const lines = facts.map(({ line }) => line)
    const condensed = [`- about ${CANARY}`, `- all of ${CANARY}`]
    await store.documents.changeDocuments([
      replacing(ANN, `# A\n${lines.join('\n')}\n# B\n`, { facts, now: NOW }),
      // Condensed into one line, with something new, and then again with later lines.
      replacing(ANN, `# A\n${condensed[0]}\n- four\n# B\n- new\n`, {
        facts: [
          fact(condensed[0]!, 'chat', [1, 2]),
          fact(condensed[0]!, 'other', [3, 3]),
          fact('- new', 'other', [5, 5]),
        ],
        superseded: lines.slice(0, 3),
        now: NOW + 1,
      }),
      replacing(ANN, `# A\n${condensed[1]}\n# B\n- new\n`, {
        facts: [fact(condensed[1]!, 'chat', [1, 2]), fact(condensed[1]!, 'other', [3, 4])],
        superseded: [condensed[0]!, '- four'],
        now: NOW + 2,
      }),
    ])
    await eraseMessages(chat!, 1)
    assert.equal(await contentOf(store, ANN), '# A\n- two\n- three\n- four\n# B\n- new\n')
    assertForgotten(await toldByDocuments(store))
    assert.deepEqual(
      (await store.documents.readFacts(ANN, 'current')).map(({ line, supersededAt }) => [line, supersededAt]),
      [
        ['- two', null],
        ['- three', null],
        ['- four', null],
        ['- new', null],
      ],
    )
  },

  'let what they had corrected hold again, where nothing else did': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(8)
    await store.documents.changeDocuments([
      learning(ANN, [fact('- tea', 'chat', [1, 1]), fact('- Paris', 'chat', [2, 2])]),
      replacing(ANN, `- ${CANARY}\n- Paris\n`, {
        facts: [fact(`- ${CANARY}`, 'chat', [3, 3])],
        superseded: ['- tea'],
      }),
    ])
    await eraseMessages(chat, 3)
    assert.deepEqual(await linesOf(store, ANN), ['- tea', '- Paris'])
    await store.documents.changeDocuments([
      // One version corrects two lines. It is not known which fact corrects which line.
      replacing(ANN, `- ${CANARY}\n- Rome\n`, {
        facts: [fact(`- ${CANARY}`, 'chat', [4, 4]), fact('- Rome', 'chat', [5, 5])],
        superseded: ['- tea', '- Paris'],
      }),
    ])
    await eraseMessages(chat, 4)
    assert.deepEqual(await linesOf(store, ANN), ['- Rome'])
    assertForgotten(await toldByDocuments(store))
  },

  'take out of the versions what a rollback took out of the document': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(6)
    await store.documents.changeDocuments([
      learning(ANN, [fact('- kept', 'chat', [1, 1]), fact(`- ${CANARY}`, 'chat', [5, 5])]),
      learning(ANN, [fact('- said again', 'chat', [6, 6])]),
      learning(documentKey('chat', 'chat'), [fact(`- ${CANARY}`, 'chat', [5, 6])]),
    ])
    await chat.rollback(4)
    assert.deepEqual(await linesOf(store, ANN), ['- kept'])
    assert.deepEqual(
      (await store.documents.readFacts(ANN, 'all')).map(({ line }) => line),
      ['- kept'],
    )
    const copy = await chat.copyByFile('copy')
    assert.deepEqual({ ...(await copy.file()), id: 'chat' }, await chat.file())
    await chat.say(2)
    await store.documents.changeDocuments([learning(ANN, [fact('- said again', 'chat', [7, 7])])])
    await eraseMessages(chat, 5, 6)
    await eraseMessages(copy, 5)
    assert.deepEqual(await linesOf(store, ANN), ['- kept', '- said again'])
    assert.ok((await versionsOf(store)).some(({ content }) => content === '- kept\n- said again\n'))
    assertForgotten(await toldBy(store))
  },

  'void the extractions that were shown what was known': async store => {
    const [chat, other] = ['chat', 'other'].map(id => new Chat(store, id, { user: 'ann' }))
    for (const each of [chat!, other!]) await each.append(message('hello'))
    await store.documents.changeDocuments([learning(ANN, [fact(`- ${CANARY}`, 'chat', [1, 1])])])
    const lease = (name: string) =>
      store.leases.takeLease('test', { name, owner: 'me', ttlMs: 60_000, now: chat!.now })
    const tokens = [(await lease('extraction/other'))!.token, (await lease('workspace'))!.token]
    await eraseMessages(chat!, 1)
    const again = [(await lease('extraction/other'))!.token, (await lease('workspace'))!.token]
    assert.ok(again[0]! > tokens[0]!)
    assert.equal(again[1], tokens[1])
  },

  'leave documents that the files are behind with': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(2)
    await store.mirror.setMirrorFolder('test', '/somewhere')
    await store.documents.changeDocuments([learning(ANN, [fact(`- ${CANARY}`, 'chat', [1, 1])])])
    await store.mirror.noteMirrored('test', [{ layer: 'user', key: 'ann', version: 1, hash: 'abc' }])
    assert.deepEqual(await store.mirror.listUnmirrored('test', { limit: 9 }), [])
    await eraseMessages(chat, 1)
    assert.deepEqual(await store.mirror.listUnmirrored('test', { limit: 9 }), [
      { layer: 'user', key: 'ann', version: 2, content: '', mirroredVersion: 1, mirroredHash: 'abc' },
    ])
    assert.deepEqual(await store.mirror.listErasedDocuments('test'), [])
  },
})
