import assert from 'node:assert/strict'
import {
  type DocumentKey,
  type DocumentRecord,
  type DocumentWrite,
  dailyKey,
  LAYERS,
  type LayerName,
  type Store,
} from '../../store/index.ts'
import { Chat } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
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
  PERSON,
  replacing,
} from './documents.ts'

const GLOBAL = documentKey('global')
const ANN = documentKey('user', 'ann')
const BO = documentKey('user', 'bo')
const CHAT = documentKey('chat', 'chat')
const TODAY = documentKey('daily', dailyKey(DAY, 'chat'))

const LONG = 'x'.repeat(200)
const KEYS = [
  '',
  ' ',
  'a:b',
  'a_b',
  'a/b',
  'a%b',
  'A:B',
  'a\nb',
  "a'b",
  '\u0001a',
  'ä',
  'a\u0308',
  '\uffff',
  '👩‍👩‍👧‍👦',
  LONG,
  `${LONG}y`,
  `${LONG}z`,
  'x'.repeat(4000),
  `${'x'.repeat(199)}👍`,
  `${'x'.repeat(199)}👎`,
]

async function change(
  store: Store,
  ...writes: readonly DocumentWrite[]
): Promise<readonly (number | null)[]> {
  return (await store.documents.changeDocuments(writes)).map(document => document?.version ?? null)
}

function versionsOf(store: Store, key: DocumentKey) {
  return store.documents.readDocumentVersions(key, { limit: 10_000 })
}

/** All data that a write could change. */
async function everything(store: Store, keys: readonly DocumentKey[]) {
  const documents = []
  for (const key of keys)
    documents.push([
      await store.documents.readDocument(key),
      await versionsOf(store, key),
      await store.documents.readFacts(key, 'all'),
    ])
  return documents
}

async function refusedWithoutTrace(
  store: Store,
  writes: readonly DocumentWrite[],
  code: Parameters<typeof refuses>[1],
) {
  const keys = writes.map(({ key }) => key)
  const before = await everything(store, keys)
  const error = await refuses(store.documents.changeDocuments(writes), code)
  assert.deepEqual(await everything(store, keys), before)
  return error
}

/** Numbers from 0 to 1, the same each time. */
function createRandom(): () => number {
  let state = 42
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const PIECES = ['- a line\n', '中文\r\n', '😀', '\ud83d', '\ude00', '\0', '\n', 'a', '', 'ü'.repeat(300)]

function editAtRandom(text: string, random: () => number): string {
  const place = () => Math.floor(random() * (text.length + 1))
  const [from = 0, to = 0] = [place(), place()].toSorted((a, b) => a - b)
  const piece = PIECES[Math.floor(random() * PIECES.length)]!
  const isShort = random() < 0.7
  return text.slice(0, from) + piece + text.slice(isShort ? Math.min(to, from + 5) : to)
}

function asBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

export const remembering = [
  ...contractCases('documents', {
    'are made and changed, each time by a version': async store => {
      assert.equal(await store.documents.readDocument(ANN), null)
      assert.deepEqual(await versionsOf(store, ANN), [])
      const seen: (DocumentRecord | null)[] = []
      const write = (content: string, now: number) => ({
        ...replacing(ANN, content, { now }),
        change: (current: DocumentRecord | null) => {
          seen.push(current)
          return { content, tokens: content.length }
        },
      })
      const [first] = await store.documents.changeDocuments([write('likes tea\n', NOW)])
      const expected = {
        layer: 'user',
        key: 'ann',
        content: 'likes tea\n',
        version: 1,
        tokens: 10,
        createdAt: new Date(NOW),
        updatedAt: new Date(NOW),
      }
      assert.deepEqual(first, expected)
      assert.deepEqual(await store.documents.readDocument(ANN), expected)
      const [second] = await store.documents.changeDocuments([write('likes coffee\n', NOW + 5)])
      const changed = { content: 'likes coffee\n', version: 2, tokens: 13, updatedAt: new Date(NOW + 5) }
      assert.deepEqual(second, { ...expected, ...changed })
      assert.deepEqual(await store.documents.readDocument(ANN), second)
      assert.deepEqual([seen[0], seen.at(-1)], [null, first])
      assert.deepEqual(await store.documents.changeDocuments([]), [])
    },

    'get no version where nothing is to be changed, or the content stays the same': async store => {
      const nothing = { ...replacing(ANN, ''), change: () => null }
      assert.deepEqual(await store.documents.changeDocuments([nothing, replacing(BO, '')]), [null, null])
      assert.equal(await store.documents.readDocument(BO), null)
      const [made] = await store.documents.changeDocuments([replacing(ANN, 'tea')])
      const again = replacing(ANN, 'tea', { now: NOW + 1, author: { kind: 'tool', name: 'x' } })
      assert.deepEqual(await store.documents.changeDocuments([again, nothing]), [made, made])
      assert.deepEqual(await store.documents.readDocument(ANN), made)
      assert.equal((await versionsOf(store, ANN)).length, 1)
      assert.deepEqual(await change(store, replacing(ANN, '')), [2])
      assert.equal(await contentOf(store, ANN), '')
      assert.deepEqual(await change(store, replacing(ANN, '')), [2])
      assert.deepEqual(
        (await memoryEvents(store, 2)).map(({ data }) => data?.['version']),
        [1, 2],
      )
    },

    'change all or none': async store => {
      await change(store, adding(ANN, 'one'))
      await change(store, adding(GLOBAL, 'one'))
      const failure = new Error('no such section')
      const failing = {
        ...adding(GLOBAL, 'two'),
        change: () => {
          throw failure
        },
      }
      const before = await everything(store, [ANN, BO, GLOBAL])
      await assert.rejects(
        store.documents.changeDocuments([adding(ANN, 'two'), adding(BO, 'two'), failing]),
        error => error === failure,
      )
      assert.deepEqual(await everything(store, [ANN, BO, GLOBAL]), before)
      await change(store, adding(ANN, 'three'))
      assert.deepEqual(
        (await memoryEvents(store, 3)).map(({ data }) => [data?.['layer'], data?.['version']]),
        [
          ['user', 1],
          ['global', 1],
          ['user', 2],
        ],
      )
    },

    'of a chat need its session': async store => {
      const elsewhere = new Chat(store, 'chat', { namespace: 'elsewhere' })
      await elsewhere.say(1)
      const nowhere = documentKey('daily', dailyKey(DAY, ''))
      for (const key of [CHAT, TODAY, nowhere, documentKey('daily', 'chat')])
        for (const write of [adding(key, 'lost'), { ...adding(key, 'lost'), change: () => null }])
          await refusedWithoutTrace(store, [adding(ANN, 'one'), write], 'session_not_found')
      const error = await refuses(
        store.documents.changeDocuments([adding(TODAY, 'lost')]),
        'session_not_found',
      )
      assert.deepEqual(error.details, { sessionId: 'chat' })
      await new Chat(store).say(1)
      assert.deepEqual(await change(store, adding(CHAT, 'one'), adding(TODAY, 'one')), [1, 1])
      for (const key of [nowhere, documentKey('daily', 'chat'), documentKey('daily', 'today/chat')])
        await refusedWithoutTrace(store, [adding(CHAT, 'two'), adding(key, 'lost')], 'session_not_found')
    },

    'of several namespaces change in one call, each with the sessions of its own': async store => {
      for (const namespace of ['a', 'b']) await new Chat(store, `chat of ${namespace}`, { namespace }).say(1)
      const key = (namespace: string) => documentKey('chat', `chat of ${namespace}`, namespace)
      assert.deepEqual(await change(store, adding(key('a'), 'in a'), adding(key('b'), 'in b')), [1, 1])
      assert.deepEqual(
        [await contentOf(store, key('a')), await contentOf(store, key('b'))],
        ['in a\n', 'in b\n'],
      )
      const crossed = documentKey('chat', 'chat of a', 'b')
      await refusedWithoutTrace(
        store,
        [adding(key('a'), 'more'), adding(crossed, 'lost')],
        'session_not_found',
      )
      await refusedWithoutTrace(
        store,
        [adding(crossed, 'lost'), adding(key('a'), 'more')],
        'session_not_found',
      )
    },

    'see in one call what it changed before': async store => {
      assert.deepEqual(
        await change(store, adding(ANN, 'one'), adding(BO, 'one'), adding(ANN, 'two')),
        [1, 1, 2],
      )
      assert.equal(await contentOf(store, ANN), 'one\ntwo\n')
    },

    'take what fifty writers add at once': async (store, open) => {
      await new Chat(store).say(1)
      const stores = [store, await open()]
      for (const key of [ANN, CHAT]) {
        const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`)
        const answers = await Promise.all(
          lines.map((line, index) => stores[index % 2]!.documents.changeDocuments([adding(key, line)])),
        )
        assert.deepEqual((await linesOf(store, key)).toSorted(), lines.toSorted())
        const versions = await versionsOf(store, key)
        assert.deepEqual(
          versions.map(({ version }) => version),
          lines.map((_, index) => 50 - index),
        )
        for (const [index, [document]] of answers.entries()) {
          const { content, version } = document!
          assert.equal(content, versions[50 - version]!.content)
          assert.ok(content.endsWith(`${lines[index]}\n`))
        }
      }
    },

    'do not wait for each other for ever, in whatever order they are written': async (store, open) => {
      const stores = [store, await open()]
      for (const id of ['a', 'b']) await new Chat(store, id).say(1)
      const keys = [ANN, documentKey('chat', 'a'), BO, documentKey('chat', 'b'), GLOBAL]
      const writers = Array.from({ length: 24 }, (_, index) => {
        const order = index % 2 === 0 ? keys : keys.toReversed()
        return stores[index % 2]!.documents.changeDocuments(order.map(key => adding(key, `${index}`)))
      })
      await Promise.all(writers)
      for (const key of keys) {
        assert.equal((await store.documents.readDocument(key))?.version, 24)
        assert.equal(new Set(await linesOf(store, key)).size, 24)
      }
    },

    'never meet under keys that are alike, nor in other namespaces': async store => {
      const keys = KEYS.flatMap(key =>
        ['a', 'a:b', 'A', '群 👍'].flatMap(namespace =>
          (['user', 'scope'] as const).map(layer => documentKey(layer, key, namespace)),
        ),
      )
      for (const key of keys) await change(store, replacing(key, JSON.stringify(key)))
      for (const key of keys) {
        const { layer, key: name, content } = (await store.documents.readDocument(key))!
        assert.deepEqual(
          { layer, key: name, content },
          { layer: key.layer, key: key.key, content: JSON.stringify(key) },
        )
        assert.equal((await versionsOf(store, key)).length, 1)
      }
      await change(store, ...keys.slice(0, 8).map(key => replacing(key, '')))
      assert.equal(await contentOf(store, keys[8]!), JSON.stringify(keys[8]))
    },

    'hold any text': async store => {
      const texts = [
        '\0\ud800',
        'a\r\nb\r\n',
        '😀'.slice(1),
        '',
        'x'.repeat(1_000_000),
        '中文 👩‍👩‍👧‍👦',
        '\\"\u2028',
      ]
      const name = 'Ann "\\ \0 \ud800 中'
      for (const text of texts)
        await change(store, replacing(ANN, `${text}!`, { author: { ...PERSON, name } }))
      const versions = await versionsOf(store, ANN)
      assert.deepEqual(
        versions.map(({ content }) => content),
        texts.toReversed().map(text => `${text}!`),
      )
      assert.ok(versions.every(({ author }) => author.name === name))
    },

    'are listed without their contents, in order of layer and key, page by page': async store => {
      const ids = ['b', 'a', `${LONG}y`, 'ä', '😀', '\uffff']
      for (const id of ids) await new Chat(store, id).say(1)
      const named: readonly (readonly [LayerName, readonly string[]])[] = [
        ['user', KEYS],
        ['scope', ['b', 'a']],
        ['persona', ['']],
        ['global', ['']],
        ['chat', ids],
        ['daily', ids.flatMap(id => [dailyKey('2026-01-16', id), dailyKey(DAY, id)])],
      ]
      const keys = named.flatMap(([layer, names]) => names.map(name => documentKey(layer, name)))
      await change(store, ...keys.map(key => adding(key, key.layer)))
      await change(store, adding(documentKey('user', 'a', 'elsewhere'), 'secret'))
      const all = await store.documents.listDocuments('test', { limit: 1000 })
      // Keys with the same first 200 characters may have any order, but it must stay the same.
      const place = ({ layer, key }: { layer: LayerName; key: string }) => `${layer}\0${key.slice(0, 200)}`
      assert.deepEqual(all.map(place), keys.map(place).toSorted(asBytes))
      assert.deepEqual(
        new Set(all.map(({ layer, key }) => JSON.stringify([layer, key]))),
        new Set(keys.map(({ layer, key }) => JSON.stringify([layer, key]))),
      )
      for (const { layer, key, ...listed } of all) {
        const { content: _, ...whole } = (await store.documents.readDocument(documentKey(layer, key)))!
        assert.deepEqual({ layer, key, ...listed }, whole)
      }
      for (const limit of [1, 3, all.length]) assert.deepEqual(await listAll(store, limit), all)
      for (const layer of LAYERS)
        assert.deepEqual(
          await listAll(store, 2, layer),
          all.filter(document => document.layer === layer),
        )
      assert.deepEqual(await store.documents.listDocuments('nowhere', { limit: 10 }), [])
      const after = { layer: 'scope', key: 'zzz' } as const
      assert.deepEqual(
        await store.documents.listDocuments('test', { after, limit: 1000 }),
        all.filter(({ layer }) => layer === 'user'),
      )
      assert.deepEqual(await store.documents.listDocuments('test', { layer: 'global', after, limit: 10 }), [])
    },

    'keep the content of every version, whatever was edited': async (store, open) => {
      const random = createRandom()
      const contents = ['# Notes\n']
      for (let edit = 0; edit < 120; edit++) {
        const next = editAtRandom(contents.at(-1)!, random)
        if (next !== contents.at(-1)) contents.push(next)
      }
      for (const content of contents) await change(store, replacing(ANN, content))
      const expected = contents.map((content, index) => ({ version: index + 1, content })).toReversed()
      const again = await open()
      const read = async (page: { before?: number; limit: number }) =>
        (await again.documents.readDocumentVersions(ANN, page)).map(({ version, content }) => ({
          version,
          content,
        }))
      assert.deepEqual(await read({ limit: 1000 }), expected)
      for (const limit of [1, 7, 100]) {
        const pages = []
        for (let before = contents.length + 1; before > 1; ) {
          const page = await read(before > contents.length ? { limit } : { before, limit })
          assert.ok(page.length > 0 && page.length <= limit)
          pages.push(...page)
          before = page.at(-1)!.version
        }
        assert.deepEqual(pages, expected)
      }
      assert.deepEqual(await read({ before: 1, limit: 10 }), [])
      assert.deepEqual(await read({ before: 1_000_000, limit: 2 }), expected.slice(0, 2))
      assert.deepEqual(await read({ limit: 0 }), [])
    },

    'say of each version who made it and when, out of what, and what it took back': async store => {
      const sources = [
        { sessionId: 'chat', fromSeq: 1, toSeq: 2 },
        { sessionId: 'another "chat"', fromSeq: 7, toSeq: 7 },
      ]
      await change(store, replacing(ANN, 'tea', { author: { kind: 'tool', name: 'memory' }, sources }))
      await change(
        store,
        replacing(ANN, 'coffee', { author: { kind: 'extraction', name: null }, now: NOW + 1 }),
      )
      await change(store, replacing(ANN, 'tea', { undoes: 2, now: NOW + 2 }))
      assert.deepEqual(await versionsOf(store, ANN), [
        { version: 3, content: 'tea', author: PERSON, sources: [], at: new Date(NOW + 2), undoes: 2 },
        {
          version: 2,
          content: 'coffee',
          author: { kind: 'extraction', name: null },
          sources: [],
          at: new Date(NOW + 1),
          undoes: null,
        },
        {
          version: 1,
          content: 'tea',
          author: { kind: 'tool', name: 'memory' },
          sources,
          at: new Date(NOW),
          undoes: null,
        },
      ])
    },

    'are told of by events, with their place and version and nothing that they say': async store => {
      const secret = 'canary-4711'
      await new Chat(store).say(2)
      const keys = [...LAYERS].map(layer =>
        documentKey(
          layer,
          { user: 'ann', scope: 'work', chat: 'chat', daily: TODAY.key }[layer as string] ?? '',
        ),
      )
      const told = fact(secret, 'chat', [1, 2], { subject: secret })
      for (const key of keys)
        await change(store, learning(key, [told], { author: { kind: 'tool', name: secret } }))
      await change(store, adding(ANN, secret, { now: NOW + 7 }))
      await change(store, adding(CHAT, secret))
      const events = await memoryEvents(store, 8)
      assert.deepEqual(
        events.map(({ sessionId, data }) => [sessionId, data?.['layer'], data?.['key'], data?.['version']]),
        [
          [null, 'persona', '', 1],
          [null, 'global', '', 1],
          [null, 'user', 'ann', 1],
          [null, 'scope', 'work', 1],
          ['chat', 'chat', 'chat', 1],
          ['chat', 'daily', TODAY.key, 1],
          [null, 'user', 'ann', 2],
          ['chat', 'chat', 'chat', 2],
        ],
      )
      assert.ok(
        events.every(
          ({ namespace, fromSeq, toSeq }) => namespace === 'test' && fromSeq === null && toSeq === null,
        ),
      )
      assert.equal(events[6]?.at.getTime(), NOW + 7)
      assert.doesNotMatch(JSON.stringify(events), new RegExp(secret))
      const positions = events.map(({ position }) => position)
      for (const [index, after] of positions.entries())
        assert.deepEqual(
          (await store.events.readEvents({ after, limit: 100 })).map(({ position }) => position),
          positions.slice(index + 1),
        )
    },
  }),

  ...contractCases('facts', {
    'come back in their order, with all that is known of them': async store => {
      await new Chat(store).say(4)
      await new Chat(store, 'other').say(1)
      const told = [
        fact('- tea\0\ud800', 'chat', [1, 2], { subject: 'ann', on: '2026-01-14', from: 'fold' }),
        fact('- 咖啡 😀', 'other', [1, 1], { saidAt: new Date(NOW - 5), from: 'tool' }),
        fact('- milk', 'chat', [3, 4]),
      ]
      await change(store, learning(ANN, told.slice(0, 2)))
      await change(store, learning(ANN, told.slice(2)))
      const expected = told.map((each, index) => ({
        ...each,
        version: index < 2 ? 1 : 2,
        supersededAt: null,
      }))
      assert.deepEqual(await store.documents.readFacts(ANN, 'all'), expected)
      assert.deepEqual(await store.documents.readFacts(ANN, 'current'), expected)
      assert.deepEqual(await store.documents.readFacts(BO, 'all'), [])
      assert.deepEqual(await store.documents.readFacts(documentKey('user', 'ann', 'elsewhere'), 'all'), [])
    },

    'are current as long as their line stands in the document': async store => {
      await new Chat(store).say(4)
      const lines = ['- tea', '- coffee', '- milk']
      await change(
        store,
        learning(
          ANN,
          lines.map(line => fact(line, 'chat', [1, 1])),
        ),
      )
      const current = async () => (await store.documents.readFacts(ANN, 'current')).map(({ line }) => line)
      await change(store, replacing(ANN, '# Ann\r\n\r\n- tea\r\n- coffee, black\r\n- milk'))
      assert.deepEqual(await current(), ['- tea', '- milk'])
      assert.equal((await store.documents.readFacts(ANN, 'all')).length, 3)
      await change(store, replacing(ANN, '- coffee\n'))
      assert.deepEqual(await current(), ['- coffee'])
      await change(store, replacing(ANN, ''))
      assert.deepEqual(await current(), [])
    },

    'say when something else took their place': async store => {
      await new Chat(store).say(4)
      const learned = async (line: string, superseded: readonly string[], now: number) =>
        change(store, replacing(ANN, line, { facts: [fact(line, 'chat', [1, 1])], superseded, now }))
      const states = async () =>
        (await store.documents.readFacts(ANN, 'all')).map(({ line, supersededAt }) => [
          line,
          supersededAt?.getTime() ?? null,
        ])
      await learned('- tea', [], NOW)
      await learned('- coffee', ['- tea', '- never said'], NOW + 1)
      await learned('- tea', ['- coffee', '- tea'], NOW + 2)
      assert.deepEqual(await states(), [
        ['- tea', NOW + 1],
        ['- coffee', NOW + 2],
        ['- tea', null],
      ])
      await change(store, replacing(ANN, '- tea', { superseded: ['- tea'], now: NOW + 3 }))
      assert.deepEqual(await states(), [
        ['- tea', NOW + 1],
        ['- coffee', NOW + 2],
        ['- tea', NOW + 3],
      ])
      assert.equal((await store.documents.readDocument(ANN))?.version, 3)
    },

    'said again are facts again, without a version': async store => {
      await new Chat(store).say(4)
      await change(store, learning(ANN, [fact('- tea', 'chat', [1, 1])]))
      await change(store, learning(ANN, [fact('- tea', 'chat', [3, 3])]))
      assert.deepEqual(
        (await store.documents.readFacts(ANN, 'all')).map(({ line, origin, version }) => [
          line,
          origin.toSeq,
          version,
        ]),
        [
          ['- tea', 1, 1],
          ['- tea', 3, 1],
        ],
      )
      assert.equal((await versionsOf(store, ANN)).length, 1)
    },

    'need a session that they come from, in the same namespace': async store => {
      await new Chat(store, 'chat', { namespace: 'elsewhere' }).say(1)
      const writes = [adding(GLOBAL, 'one'), learning(ANN, [fact('- tea', 'chat', [1, 1])])]
      await refusedWithoutTrace(store, writes, 'session_not_found')
    },
  }),

  ...contractCases('documents of a fold', {
    'are stored with it': async store => {
      const chat = new Chat(store)
      await chat.say(12)
      const commit = await chat.prepareFold(8)
      const told = fact('- they met', 'chat', [1, 8], { from: 'fold' })
      await chat.commit({ ...commit, documents: [learning(CHAT, [told]), adding(TODAY, 'met')] })
      assert.deepEqual(
        [await contentOf(store, CHAT), await contentOf(store, TODAY)],
        ['- they met\n', 'met\n'],
      )
      assert.deepEqual(await store.documents.readFacts(CHAT, 'current'), [
        { ...told, version: 1, supersededAt: null },
      ])
      assert.deepEqual(
        (await memoryEvents(store, 2)).map(({ sessionId, data }) => [sessionId, data?.['layer']]),
        [
          ['chat', 'chat'],
          ['chat', 'daily'],
        ],
      )
    },

    'are not stored without it': async store => {
      const chat = new Chat(store)
      await chat.say(12)
      await change(store, adding(CHAT, 'before'))
      const commit = {
        ...(await chat.prepareFold(8)),
        documents: [adding(CHAT, 'lost'), adding(TODAY, 'lost')],
      }
      const before = await everything(store, [CHAT, TODAY])
      await refuses(store.folds.commitFold({ ...commit, leaseToken: commit.leaseToken + 1 }), 'lease_lost')
      await refuses(store.folds.commitFold({ ...commit, segments: [] }), 'invalid_argument')
      await chat.edit(2, 'edited')
      await refuses(store.folds.commitFold(commit), 'epoch_conflict')
      assert.deepEqual(await everything(store, [CHAT, TODAY]), before)
    },

    'fail it where one of them fails': async store => {
      const chat = new Chat(store)
      await chat.say(12)
      const commit = await chat.prepareFold(8)
      const unknown = adding(documentKey('chat', 'nobody'), 'lost')
      const file = await chat.file()
      await refuses(
        store.folds.commitFold({ ...commit, documents: [adding(CHAT, 'lost'), unknown] }),
        'session_not_found',
      )
      assert.deepEqual(await chat.file(), file)
      await chat.commit(commit)
      assert.deepEqual((await chat.file()).documents, [])
    },

    'are written once, however often it is committed': async (store, open) => {
      const chat = new Chat(store)
      await chat.say(12)
      const commit = {
        ...(await chat.prepareFold(8)),
        documents: [adding(CHAT, 'once'), adding(ANN, 'once')],
      }
      const stores = [store, await open()]
      await Promise.all([0, 1, 0, 1].map(which => stores[which]!.folds.commitFold(commit)))
      await store.folds.commitFold({ ...commit, now: commit.now + 1 })
      assert.deepEqual([await contentOf(store, CHAT), await contentOf(store, ANN)], ['once\n', 'once\n'])
      assert.equal((await versionsOf(store, CHAT)).length, 1)
    },

    'lose nothing of what others write at the same time': async (store, open) => {
      const other = await open()
      const chats = Array.from({ length: 4 }, (_, index) => new Chat(store, `chat ${index}`))
      for (const chat of chats) await chat.say(12)
      const commits = await Promise.all(chats.map(chat => chat.prepareFold(8)))
      await Promise.all([
        ...commits.map((commit, index) =>
          store.folds.commitFold({
            ...commit,
            documents: [documentKey('chat', `chat ${index}`), ANN, GLOBAL].map(key =>
              adding(key, `fold ${index}`),
            ),
          }),
        ),
        ...chats.map((_, index) =>
          other.documents.changeDocuments(
            [GLOBAL, ANN, documentKey('chat', `chat ${3 - index}`)].map(key => adding(key, `write ${index}`)),
          ),
        ),
      ])
      assert.equal((await linesOf(store, ANN)).length, 8)
      assert.equal((await linesOf(store, GLOBAL)).length, 8)
      for (const [index] of chats.entries())
        assert.equal((await linesOf(store, documentKey('chat', `chat ${index}`))).length, 2)
    },
  }),
]

async function listAll(store: Store, limit: number, layer?: LayerName) {
  const listed = []
  for (;;) {
    const last = listed.at(-1)
    const page = await store.documents.listDocuments('test', {
      limit,
      ...(layer && { layer }),
      ...(last && { after: { layer: last.layer, key: last.key } }),
    })
    assert.ok(page.length <= limit)
    if (page.length === 0) return listed
    listed.push(...page)
  }
}
