import assert from 'node:assert/strict'
import { dailyKey, type FrozenLayers, LAYERS, type LayerVersion, type Store } from '../../store/index.ts'
import { Chat, type ChatOptions, checkFigures } from './chat.ts'
import { contractCases, refuses } from './contract-case.ts'
import { adding, DAY, documentKey, fact, learning, NOW, replacing } from './documents.ts'

const YESTERDAY = '2026-01-14'

interface Freezing {
  readonly expectedEpoch?: number
  readonly days?: readonly string[]
  readonly language?: FrozenLayers['language']
  readonly refresh?: boolean
}

function freeze({ store, key }: Chat, request: Freezing = {}, through: Store = store) {
  return through.context.freezeLayers(key, {
    expectedEpoch: 0,
    days: [YESTERDAY, DAY],
    language: 'en',
    refresh: false,
    ...request,
  })
}

async function currentLayers({ store, key }: Chat, days: readonly string[] = [YESTERDAY, DAY]) {
  return (await store.context.readContext(key, { tokens: 1, archivedTokens: 0, days }))!.layers
}

function places(versions: readonly LayerVersion[]): readonly string[] {
  return versions.map(({ layer, key }) => `${layer} ${key}`)
}

/** Writes a document for each layer and owner of the sessions below. Each text names its owner. */
async function writeAll(store: Store, sessions: readonly string[]): Promise<readonly LayerVersion[]> {
  const keys = [
    documentKey('persona'),
    documentKey('global'),
    ...['ann', 'bo', 'work'].flatMap(id => [documentKey('user', id), documentKey('scope', id)]),
    ...sessions.map(id => documentKey('chat', id)),
    ...sessions.flatMap(id => [YESTERDAY, DAY].map(day => documentKey('daily', dailyKey(day, id)))),
  ]
  const written = await store.documents.changeDocuments(
    keys.map(key => adding(key, `${key.layer} ${key.key}`)),
  )
  return written.map(document => ({ layer: document!.layer, key: document!.key, version: 1 }))
}

export const layering = contractCases('layers', {
  'are fixed by the first who asks, for everybody, whatever is written later': async (store, open) => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(2)
    assert.equal((await chat.record()).layers, null)
    const [ann, own] = [documentKey('user', 'ann'), documentKey('chat', 'chat')]
    await store.documents.changeDocuments([adding(ann, 'tea'), adding(ann, 'coffee'), adding(own, 'met')])
    const frozen = await freeze(chat)
    assert.deepEqual(frozen, {
      epoch: 0,
      layers: {
        days: [YESTERDAY, DAY],
        language: 'en',
        versions: [
          { layer: 'user', key: 'ann', version: 2 },
          { layer: 'chat', key: 'chat', version: 1 },
        ],
      },
    })
    await store.documents.changeDocuments([adding(ann, 'milk'), adding(documentKey('global'), 'new')])
    await chat.say(2)
    const other = await open()
    for (const each of [store, other])
      assert.deepEqual(await freeze(chat, { days: ['2027-01-01'], language: 'zh' }, each), frozen)
    assert.deepEqual((await chat.record()).layers, frozen.layers)
    const context = await store.context.readContext(chat.key, { tokens: 1, archivedTokens: 0 })
    assert.deepEqual(context?.session.layers, frozen.layers)
    assert.deepEqual(context?.layers, [
      { layer: 'global', key: '', version: 1 },
      { layer: 'user', key: 'ann', version: 3 },
      { layer: 'chat', key: 'chat', version: 1 },
    ])
  },

  'are the same for all who ask at once': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(2)
    const stores = [store, await open()]
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        await stores[index % 2]!.documents.changeDocuments([adding(documentKey('global'), `${index}`)])
        return freeze(chat, { days: [`2026-01-${index + 10}`] }, stores[(index + 1) % 2])
      }),
    )
    assert.equal(new Set(answers.map(answer => JSON.stringify(answer))).size, 1)
    assert.deepEqual((await chat.record()).layers, answers[0]?.layers)
  },

  'of another epoch, or of no session, are refused': async store => {
    const chat = new Chat(store)
    await refuses(freeze(chat), 'session_not_found')
    await chat.say(2)
    await chat.edit(1, 'edited')
    for (const refresh of [false, true])
      for (const expectedEpoch of [0, 2]) {
        const error = await refuses(freeze(chat, { expectedEpoch, refresh }), 'epoch_conflict')
        assert.deepEqual(error.details, { sessionId: 'chat', expected: expectedEpoch, actual: 1 })
      }
    const { layers, epoch } = await chat.record()
    assert.deepEqual([layers, epoch], [null, 1])
  },

  'hold for one epoch: a fold, an edit and a rollback end them': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    let epoch = 0
    for (const end of [() => chat.fold(4), () => chat.edit(2, 'edited'), () => chat.rollback(11)]) {
      assert.equal((await freeze(chat, { expectedEpoch: epoch })).epoch, epoch)
      assert.notEqual((await chat.record()).layers, null)
      await end()
      epoch += 1
      assert.deepEqual((await chat.record()).layers, null)
      assert.deepEqual(
        (await store.context.readContext(chat.key, { tokens: 1, archivedTokens: 0 }))?.session.layers,
        null,
      )
      await refuses(freeze(chat, { expectedEpoch: epoch - 1 }), 'epoch_conflict')
    }
    await freeze(chat, { expectedEpoch: epoch })
    for (const copy of [await chat.fork('fork', 8), await chat.copyByFile('copy')])
      assert.equal((await copy.record()).layers, null)
  },

  'anew begin an epoch, with the calibrations that were learned': async (store, open) => {
    const chat = new Chat(store)
    await chat.say(4)
    await freeze(chat)
    await store.documents.changeDocuments([adding(documentKey('global'), 'new')])
    await store.sessions.recordMeasures(chat.key, { calibrations: { model: 2 } })
    const fresh = await freeze(chat, { days: ['2026-02-01'], language: 'zh', refresh: true })
    assert.deepEqual(fresh, {
      epoch: 1,
      layers: {
        days: ['2026-02-01'],
        language: 'zh',
        versions: [{ layer: 'global', key: '', version: 1 }],
      },
    })
    const { epoch, layers, calibrations } = await chat.record()
    assert.deepEqual([epoch, layers, calibrations.inForce], [1, fresh.layers, { model: 2 }])
    await checkFigures(chat)
    assert.deepEqual(await freeze(chat, { expectedEpoch: 1 }), fresh)
    const other = await open()
    const outcomes = await Promise.allSettled(
      [store, other, store, other].map(each => freeze(chat, { expectedEpoch: 1, refresh: true }, each)),
    )
    assert.deepEqual(
      outcomes.map(outcome => (outcome.status === 'fulfilled' ? 'done' : outcome.reason.code)).toSorted(),
      ['done', 'epoch_conflict', 'epoch_conflict', 'epoch_conflict'],
    )
    assert.equal((await chat.record()).epoch, 2)
  },

  'anew let a fold go on, though not one whose messages were edited': async store => {
    const chat = new Chat(store)
    await chat.say(12)
    const commit = await chat.prepareFold(4)
    await freeze(chat, { refresh: true })
    await freeze(chat, { refresh: true, expectedEpoch: 1 })
    assert.equal((await chat.commit(commit)).epoch, 3)
    assert.equal((await chat.record()).layers, null)
    await checkFigures(chat)
    const edited = await chat.prepareFold(8)
    await freeze(chat, { refresh: true, expectedEpoch: 3 })
    await chat.edit(6, 'edited')
    await freeze(chat, { refresh: true, expectedEpoch: 5 })
    await refuses(chat.commit(edited), 'epoch_conflict')
    await store.folds.releaseLease(chat.key, edited.leaseToken)
    const above = await chat.prepareFold(8)
    await chat.edit(11, 'above the range')
    await freeze(chat, { refresh: true, expectedEpoch: 7 })
    await chat.commit(above)
    await checkFigures(chat)
  },

  'show a session what is its own, and its user only in private': async store => {
    const sessions: Readonly<Record<string, ChatOptions>> = {
      plain: {},
      'private of ann': { user: 'ann' },
      'private at work': { user: 'ann', scope: 'work' },
      'group of ann': { kind: 'group', user: 'ann' },
      'group at work': { kind: 'group', user: 'ann', scope: 'work' },
      'agent of ann': { kind: 'agent', user: 'ann' },
      'agent at work': { kind: 'agent', scope: 'work' },
      'private of bo': { user: 'bo', scope: 'ann' },
    }
    const seen: Readonly<Record<string, readonly string[]>> = {
      plain: [],
      'private of ann': ['user ann'],
      'private at work': ['user ann', 'scope work'],
      'group of ann': [],
      'group at work': ['scope work'],
      'agent of ann': [],
      'agent at work': ['scope work'],
      'private of bo': ['user bo', 'scope ann'],
    }
    for (const [id, options] of Object.entries(sessions)) await new Chat(store, id, options).say(1)
    const all = await writeAll(store, Object.keys(sessions))
    for (const [id, options] of Object.entries(sessions)) {
      const chat = new Chat(store, id, options)
      const expected = [
        'persona ',
        'global ',
        ...seen[id]!,
        `chat ${id}`,
        `daily ${dailyKey(YESTERDAY, id)}`,
        `daily ${dailyKey(DAY, id)}`,
      ]
      assert.deepEqual(places(await currentLayers(chat)), expected, id)
      const texts = await store.context.readLayerTexts(chat.key, all)
      assert.deepEqual(places(texts).toSorted(), expected.toSorted(), id)
      for (const { layer, key, content } of texts) assert.equal(content, `${layer} ${key}\n`)
      assert.deepEqual(places((await freeze(chat)).layers.versions), expected, id)
    }
  },

  'show nothing of another namespace': async store => {
    const options = { user: 'ann', scope: 'work' }
    const [ours, theirs] = ['test', 'theirs'].map(
      namespace => new Chat(store, 'chat', { namespace, ...options }),
    )
    await ours!.say(1)
    await theirs!.say(1)
    const all = await writeAll(store, ['chat'])
    assert.equal((await currentLayers(ours!)).length, 7)
    assert.deepEqual(await currentLayers(theirs!), [])
    assert.deepEqual(await store.context.readLayerTexts(theirs!.key, all), [])
    assert.deepEqual((await freeze(theirs!)).layers.versions, [])
    assert.deepEqual(await store.context.readLayerTexts({ namespace: 'test', id: 'nobody' }, all), [])
  },

  'show the days that are asked for, and of those the session’s own, whatever its name': async store => {
    const ids = ['b', 'a/b', `${DAY}/b`, `a/${DAY}/b`, '/b', 'x'.repeat(300)]
    for (const id of ids) await new Chat(store, id).say(1)
    const all = await writeAll(store, ids)
    const isDaily = ({ layer }: LayerVersion) => layer === 'daily'
    for (const id of ids) {
      const chat = new Chat(store, id)
      const own = [YESTERDAY, DAY].map(day => `daily ${dailyKey(day, id)}`)
      assert.deepEqual(places((await currentLayers(chat)).filter(isDaily)), own)
      assert.deepEqual(places((await currentLayers(chat, [DAY])).filter(isDaily)), own.slice(1))
      assert.deepEqual(places((await currentLayers(chat, [DAY, DAY])).filter(isDaily)), own.slice(1))
      assert.deepEqual(
        await currentLayers(chat, []),
        (await currentLayers(chat)).filter(each => !isDaily(each)),
      )
      assert.deepEqual(places((await store.context.readLayerTexts(chat.key, all)).filter(isDaily)), own)
    }
    const reaching = [`${DAY}/a`, `${DAY}/${DAY}`, `${DAY}/`]
    for (const day of reaching)
      assert.deepEqual((await currentLayers(new Chat(store, 'b'), [day])).filter(isDaily), [])
    const { layers } = await freeze(new Chat(store, 'b'), { days: reaching.slice(0, 1) })
    assert.deepEqual(layers.versions.filter(isDaily), [])
  },

  'that are frozen decide which days are shown': async store => {
    const chat = new Chat(store)
    await chat.say(1)
    await writeAll(store, ['chat'])
    await freeze(chat, { days: [DAY] })
    assert.deepEqual(places(await currentLayers(chat, [YESTERDAY])), [
      'persona ',
      'global ',
      'chat chat',
      `daily ${dailyKey(DAY, 'chat')}`,
    ])
  },

  'can be read at every version that there was, in the order asked for': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.say(1)
    const [global, ann] = [documentKey('global'), documentKey('user', 'ann')]
    for (const line of ['one', 'two', 'three'])
      await store.documents.changeDocuments([adding(global, line), adding(ann, line)])
    const wanted = [
      { layer: 'user', key: 'ann', version: 2 },
      { layer: 'global', key: '', version: 1 },
      { layer: 'global', key: '', version: 3 },
      { layer: 'user', key: 'ann', version: 1 },
    ] as const
    assert.deepEqual(
      (await store.context.readLayerTexts(chat.key, wanted)).map(({ layer, version, content }) => [
        layer,
        version,
        content,
      ]),
      [
        ['user', 2, 'one\ntwo\n'],
        ['global', 1, 'one\n'],
        ['global', 3, 'one\ntwo\nthree\n'],
        ['user', 1, 'one\n'],
      ],
    )
    const missing = [0, -1, 4].map(version => ({ layer: 'global', key: '', version }) as const)
    const unknown = LAYERS.map(layer => ({ layer, key: 'unknown', version: 1 }))
    assert.deepEqual(await store.context.readLayerTexts(chat.key, [...missing, ...unknown]), [])
    assert.deepEqual(await store.context.readLayerTexts(chat.key, []), [])
  },

  'tell what condensed lines stand for, as long as they stand, to those who may see the document':
    async store => {
      const chat = new Chat(store, 'chat', { user: 'ann' })
      const other = new Chat(store, 'other', { user: 'bo' })
      for (const each of [chat, other]) await each.say(4)
      const key = documentKey('user', 'ann')
      const lines = [1, 2, 3].map(day => `- 2026-01-0${day}: note ${day}`)
      const by = (to: number, count: number) => `- 2026-01-01 – 2026-01-0${to}: [${count} lines] notes`
      const first = by(2, 2)
      const second = by(3, 2)
      await store.documents.changeDocuments([
        learning(
          key,
          lines.map(line => fact(line, 'chat', [1, 2])),
        ),
      ])
      await store.documents.changeDocuments([
        replacing(key, `${first}\n${lines[2]}\n`, {
          facts: [fact(first, 'chat', [1, 2])],
          superseded: lines.slice(0, 2),
        }),
      ])
      const condensed = ({ key }: Chat, limit = 10) =>
        store.context.readCondensedLines(key, { layer: 'user', key: 'ann', limit })
      assert.deepEqual(await condensed(chat), [lines[1], lines[0]])
      assert.deepEqual(await condensed(chat, 1), [lines[1]])
      assert.deepEqual(await condensed(other), [])
      assert.deepEqual(
        await store.context.readCondensedLines(other.key, { layer: 'user', key: 'bo', limit: 10 }),
        [],
      )
      // Condensed once more, with a line from the meantime.
      await store.documents.changeDocuments([
        replacing(key, `${second}\n`, {
          facts: [fact(second, 'chat', [1, 2])],
          superseded: [first, lines[2]!],
        }),
      ])
      assert.deepEqual((await condensed(chat)).toSorted(), lines)
      await store.documents.changeDocuments([replacing(key, '- 2026-01-01 – 2026-01-03: something else\n')])
      assert.deepEqual(await condensed(chat), [])
    },

  'tell which lines folds of this very session left, and of which messages': async store => {
    const chat = new Chat(store, 'chat', { user: 'ann' })
    const other = new Chat(store, 'other', { user: 'ann' })
    for (const each of [chat, other]) await each.say(12)
    const ann = documentKey('user', 'ann')
    await store.documents.changeDocuments([
      learning(ann, [
        fact('- by their fold', 'other', [1, 8], { from: 'fold' }),
        fact('- by our fold \0 😀', 'chat', [1, 8], { from: 'fold' }),
        fact('- by a tool', 'chat', [3, 3], { from: 'tool' }),
        fact('- by our next fold', 'chat', [9, 10], { from: 'fold', saidAt: new Date(NOW) }),
        fact('- read', 'chat', [4, 4]),
      ]),
    ])
    const wanted = [{ layer: 'user', key: 'ann', version: 1 }] as const
    const folded = async ({ key }: Chat) => (await store.context.readLayerTexts(key, wanted))[0]?.folded
    assert.deepEqual(await folded(chat), [
      { line: '- by our fold \0 😀', fromSeq: 1, toSeq: 8 },
      { line: '- by our next fold', fromSeq: 9, toSeq: 10 },
    ])
    assert.deepEqual(await folded(other), [{ line: '- by their fold', fromSeq: 1, toSeq: 8 }])
  },
})
