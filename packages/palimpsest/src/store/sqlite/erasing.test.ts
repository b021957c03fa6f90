import { inflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type StorePlace, sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { documentKey, fact, learning } from '../../testing/store-contract/documents.ts'
import { CANARY, erase, finish, indexAll } from '../../testing/store-contract/erasing-kit.ts'
import { speakEverywhere } from '../../testing/store-contract/erasing-whole.ts'
import type { ErasureTarget, Store } from '../index.ts'

/** Rows that hold a word, by table, whatever the column: in a blob, too. */
function rowsWith(place: StorePlace, word: RegExp): Readonly<Record<string, readonly string[]>> {
  const database = sqliteBeside(place.address, { readOnly: true })
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all()
  const found = tables.map(({ name }): [string, readonly string[]] => {
    const rows = database.prepare(`SELECT * FROM ${name}`).all()
    const texts = rows.map(row => JSON.stringify(Object.values(row).map(textOf)))
    return [String(name), texts.filter(text => word.test(text))]
  })
  database.close()
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0))
}

function textOf(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value
  try {
    return inflateRawSync(value).toString()
  } catch {
    return Buffer.from(value).toString('latin1')
  }
}

async function eraseAll(store: Store, targets: readonly ErasureTarget[]): Promise<void> {
  const records = []
  for (const target of targets) records.push(await erase(store, target))
  for (const record of records) await finish(store, record)
}

const TOLD = new RegExp(CANARY, 'i')

const SESSIONS = ['private', 'group', 'fork', 'short'].map(
  (sessionId): ErasureTarget => ({ kind: 'session', sessionId }),
)

describe('no row of any table holds what was erased', () => {
  test.for<[string, readonly ErasureTarget[]]>([
    ['a person', [{ kind: 'person', id: 'ann' }]],
    ['a namespace', [{ kind: 'namespace' }]],
    ['sessions, then the person', [...SESSIONS, { kind: 'person', id: 'ann' }]],
  ])('%s', async ([, targets]) => {
    const place = sqlitePlace()
    const store = await place.open()
    await new Chat(store, 'bo').say(1)
    await store.mirror.setMirrorFolder('test', '/somewhere')
    await speakEverywhere(store)
    expect(Object.keys(rowsWith(place, TOLD)).sort()).toEqual([
      'document_versions',
      'documents',
      'facts',
      'memos',
      'message_versions',
      'messages',
      'postings',
      'segments',
      'senders',
      'sessions',
      'waiting',
    ])
    await eraseAll(store, targets)
    await store.close()
    expect(rowsWith(place, TOLD)).toEqual({})
    expect(rowsWith(place, /\bann\b/i)).toEqual({})
    await place.remove()
  })

  test('messages', async () => {
    const place = sqlitePlace()
    const store = await place.open()
    const chat = new Chat(store, 'chat', { user: 'ann' })
    await chat.append(message(`${CANARY} said`, { externalId: CANARY }), message('kept'))
    await chat.edit(1, `${CANARY} edited`)
    await chat.fork('fork', 2)
    for (const each of [chat, chat.beside('fork')]) await indexAll(each)
    await store.documents.changeDocuments([
      learning(documentKey('user', 'ann'), [fact(`- ${CANARY}`, 'chat', [1, 1])]),
    ])
    await eraseAll(store, [{ kind: 'messages', sessionId: 'chat', seqs: [1] }])
    await store.close()
    expect(rowsWith(place, TOLD)).toEqual({})
    await place.remove()
  })

  test('messages with more words than one transaction takes out of the index', async () => {
    const place = sqlitePlace()
    const store = await place.open()
    const chat = new Chat(store, 'chat')
    const words = Array.from({ length: 1_500 }, (_, word) => `${CANARY}${word}`).join(' ')
    await chat.append(message('harbour'), message(`${words} harbour`))
    await indexAll(chat)
    await eraseAll(store, [{ kind: 'messages', sessionId: 'chat', seqs: [2] }])
    await store.close()
    expect(rowsWith(place, TOLD)).toEqual({})
    expect(Object.keys(rowsWith(place, /harbour/))).toEqual(['messages', 'postings'])
    await place.remove()
  })
})
