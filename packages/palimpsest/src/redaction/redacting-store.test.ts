import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { bytesInFiles } from '../../../../test/erasure/bytes-in-files.ts'
import { sqlitePlace } from '../../../../test/stores.ts'
import { InvalidArgumentError, PalimpsestError } from '../errors.ts'
import type { Content } from '../log/index.ts'
import { createPalimpsest } from '../palimpsest.ts'
import { count } from '../policy/index.ts'
import type { DocumentEdit, DocumentKey, NewFact, Store } from '../store/index.ts'
import { PORT_NAMES } from '../store/store-with.ts'
import { Chat, message, sizeOf } from '../testing/store-contract/chat.ts'
import { storeContract } from '../testing/store-contract.ts'
import {
  estimateTokens,
  estimateTokensInSteps,
  measureMessage,
  measureMessageInSteps,
} from '../tokens/index.ts'
import { type Measures, type Redact, RedactionError, redactingStore, redactSecrets } from './index.ts'
import { PORT_METHODS } from './redacting-store.ts'

/** Put together here, since scanners would take it for a real one. */
const BODY = `7cK9q3cKM3${'KCLWOBrUbkW6eRA7In0ZlXMezKbbz1KRMPXa0'}`
const CANARY = `sk-${'proj'}-${BODY}`
const GONE = '[redacted: API key]'

const MEASURES: Measures = { message: measureMessageInSteps, text: estimateTokensInSteps }
/** Of the contract's cases. */
const CASES: Measures = {
  *message({ content }) {
    yield
    return sizeOf(content)
  },
  *text(text) {
    yield
    return Math.ceil(text.length / 4)
  },
}

async function withStore(use: (store: Store, folder: string) => Promise<void>): Promise<void> {
  const place = sqlitePlace()
  const store = await place.open()
  try {
    await use(store, place.address.slice('sqlite:'.length).replace(/\/[^/]+$/, ''))
  } finally {
    await store.close()
    await place.remove()
  }
}

describe('a store with a hook keeps the contract of stores', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = sqlitePlace()
    try {
      await run(async () => redactingStore(await place.open(), redactSecrets, CASES))
    } finally {
      await place.remove()
    }
  })
})

describe('a text that takes several slices', () => {
  /** Nothing is secret in it, and everything has to be looked at. */
  const LONG = 'password: none, token=?, '.repeat(60_000)

  test('is not overtaken by what is called after it', () =>
    withStore(async store => {
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES), 'chat', { user: 'ann' })
      const receipts = await Promise.all([
        chat.append(message(`${LONG}${CANARY}`)),
        chat.append(message('short')),
        chat.append(message([{ type: 'text', text: LONG }])),
        chat.append(message('last')),
      ])
      expect(receipts.map(({ messages }) => messages[0]!.seq)).toEqual([1, 2, 3, 4])
      const [first] = await chat.store.log.readMessages(chat.key, {
        after: 0,
        before: 2,
        limit: 1,
        from: 'oldest',
      })
      expect(first!.content).toBe(`${LONG}${GONE}`)
    }))

  test('is stored before the store is closed, and before an erasure that is called after it', () =>
    withStore(async store => {
      const redacting = redactingStore(store, redactSecrets, MEASURES)
      const chat = new Chat(redacting, 'chat', { user: 'ann' })
      const order: string[] = []
      const appended = chat.append(message(LONG)).then(() => order.push('appended'))
      const target = { kind: 'session', sessionId: 'chat' } as const
      const erasure = redacting.erasure.beginErasure(chat.key.namespace, { target, now: chat.tick() })
      await Promise.all([appended, erasure.then(() => order.push('erased'))])
      expect(order).toEqual(['appended', 'erased'])
      const late = new Chat(redacting, 'other', { user: 'ann' }).append(message(LONG))
      const closed = redacting.close()
      expect((await late).messages[0]!.seq).toBe(1)
      await closed
    }))

  test('leaves the event loop to others meanwhile', () =>
    withStore(async store => {
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES), 'chat', { user: 'ann' })
      let turns = 0
      const appended = chat.append(message(LONG)).then(() => false)
      const next = () => new Promise<true>(resolve => setImmediate(resolve, true))
      while (await Promise.race([appended, next()])) turns++
      expect(turns).toBeGreaterThan(2)
    }))
})

test('it has every method of the store', () =>
  withStore(async store => {
    const wrapped = redactingStore(store, redactSecrets, MEASURES)
    for (const port of PORT_NAMES) {
      const own = Object.keys(store[port])
      expect(own.length, port).toBeGreaterThan(0)
      expect(Object.keys(wrapped[port]), port).toEqual(expect.arrayContaining(own))
      expect(Object.keys(PORT_METHODS[port]), port).toEqual(expect.arrayContaining(own))
    }
    expect(wrapped.name).toBe(store.name)
  }))

const PARTS: Content = [
  { type: 'text', text: `the key: ${CANARY}` },
  { type: 'reasoning', text: `they gave me ${CANARY}` },
  { type: 'image', url: `https://pictures.corp.dev/a.png?x=${CANARY}`, name: `${CANARY}.png` },
  {
    type: 'tool-call',
    toolCallId: 'call-1',
    toolName: 'deploy',
    input: { env: { key: CANARY }, list: [CANARY] },
  },
]
const RESULT: Content = [
  {
    type: 'tool-result',
    toolCallId: 'call-1',
    toolName: 'deploy',
    output: { type: 'json', value: { log: [`used ${CANARY}`], [CANARY]: 1, deep: { password: BODY } } },
  },
]

/** They write no text, and wait for those that do. */
const ONLY_IN_TURN = ['rollback', 'beginAnew', 'takeBackBeginning', 'fork', 'beginErasure']

/** One call of each method that writes text, with the canary wherever a text can stand. */
const WRITES: Readonly<Record<string, (chat: Chat) => Promise<unknown>>> = {
  append: chat =>
    chat.append(
      message(`take ${CANARY}`, { sender: { id: 'ann', name: `Ann ${CANARY}` }, externalId: 'm-1' }),
      message(PARTS, { role: 'assistant' }),
      message(RESULT, { role: 'tool' }),
      message('thanks'),
      message('welcome', { role: 'assistant' }),
    ),
  replaceTail: chat =>
    chat.replaceTail(
      [message('welcome', { role: 'assistant' })],
      [message(`welcome, ${CANARY}`, { role: 'assistant' })],
      { id: `operation ${CANARY}`, fingerprint: 'any' },
    ),
  edit: chat => chat.edit(4, `rather ${CANARY}`),
  pin: chat =>
    chat.store.pins.pin(chat.key, {
      seq: null,
      note: `note ${CANARY}`,
      tokens: 9,
      mostTokens: 999,
      now: chat.tick(),
    }),
  setPending: chat =>
    chat.store.schedule.setPending(chat.key, {
      type: 'lite',
      reason: 'own',
      severity: 1,
      meta: { why: CANARY },
    }),
  failFold: async chat => {
    const lease = await chat.store.folds.acquireLease(chat.key, { owner: 'x', ttlMs: 1, now: chat.tick() })
    const outcome = { outcome: 'failed', reason: `Incorrect API key provided: ${CANARY}` }
    await chat.store.folds.failFold(chat.key, {
      leaseToken: lease!.token,
      backoffUntil: 0,
      outcome,
      now: chat.tick(),
    })
    await chat.store.folds.releaseLease(chat.key, lease!.token)
  },
  commitFold: async chat => {
    const commit = await chat.prepareFold(3, { memo: { about: CANARY, list: [{ [CANARY]: CANARY }] } })
    await chat.commit({
      ...commit,
      segments: commit.segments.map(segment => ({
        ...segment,
        summary: `They said ${CANARY}`,
        events: [{ at: '2026-01-15', text: CANARY }],
        details: [CANARY, { kind: 'key', text: CANARY }],
        text: `## Messages\n${CANARY}`,
        window: [
          { role: 'user', content: `the key: ${CANARY}`, sender: { id: 'ann', name: `Ann ${CANARY}` } },
          { seq: 2, role: 'assistant', content: PARTS, note: { [CANARY]: CANARY } },
        ],
        windowThrough: 5,
      })),
      documents: [write(chat, { layer: 'chat', key: chat.key.id })],
      outcome: { ...commit.outcome, warnings: [`odd: ${CANARY}`] },
    })
  },
  changeDocuments: async chat => {
    await chat.store.documents.changeDocuments([write(chat, { layer: 'global', key: '' })])
    await chat.store.documents.changeDocuments([write(chat, { layer: 'global', key: '' }, 'once more')])
  },
  commitExtraction: async chat => {
    const { namespace, id } = chat.key
    const rules = { when: 'off', batchMessages: 1, idleMs: 0 } as const
    const lease = await chat.store.leases.takeLease(namespace, {
      name: `extraction/${id}`,
      owner: 'x',
      ttlMs: 1_000,
      now: chat.tick(),
    })
    const [first] = await chat.messages({ limit: 1 })
    await chat.store.extraction.commitExtraction({
      key: chat.key,
      leaseToken: lease!.token,
      after: 0,
      through: 1,
      read: { messages: 1, versions: first!.version },
      documents: [write(chat, { layer: 'user', key: 'ann' })],
      rules,
      now: chat.tick(),
    })
  },
  importSession: async chat => {
    const file = JSON.parse(JSON.stringify(await chat.file()).replaceAll(GONE, CANARY))
    expect(JSON.stringify(file).split(CANARY).length).toBeGreaterThan(20)
    await chat.store.transfer.importSession({ ...chat.key, id: 'copy' }, file, {
      measure: measureMessage,
      groupTurnMessages: 12,
      now: chat.tick(),
    })
  },
  commitRebuilt: async chat => {
    const target = { kind: 'messages', sessionId: chat.key.id, seqs: [1] } as const
    const { namespace } = chat.key
    let erasure = await chat.store.erasure.beginErasure(namespace, { target, now: chat.tick() })
    while (erasure.stage === 'erasing')
      erasure = await chat.store.erasure.continueErasure(namespace, { id: erasure.id, now: chat.tick() })
    const [withheld] = await chat.store.rebuilds.listWithheld(namespace, { left: 'nothing', limit: 1 })
    const { key, epoch, segment } = withheld!
    const isDone = await chat.store.rebuilds.commitRebuilt(key, {
      ...segment,
      expectedEpoch: epoch,
      summary: `anew ${CANARY}`,
      events: [CANARY],
      details: [{ text: CANARY }],
      text: `anew ${CANARY}`,
      isProper: true,
    })
    expect(isDone).toBe(true)
  },
}

function write(chat: Chat, key: Omit<DocumentKey, 'namespace'>, more = '') {
  const line = `- 2026-01-15: the key is ${CANARY}`
  const origin = { sessionId: chat.key.id, fromSeq: 1, toSeq: 1 }
  const fact: NewFact = { line, subject: null, origin, saidAt: new Date(0), on: null, from: 'tool' }
  const content = `# Memory\n${line}\n${more}`
  return {
    key: { namespace: chat.key.namespace, ...key },
    change: (): DocumentEdit => ({ content, tokens: 99, facts: [fact] }),
    author: { kind: 'person', name: `Ann ${CANARY}` } as const,
    sources: [],
    now: chat.tick(),
  }
}

describe('no write leaves anything of a secret', () => {
  test('every method that has a hook is tried', () => {
    const hooked = Object.values(PORT_METHODS)
      .flatMap(treatments => Object.entries(treatments))
      .filter(([, treatment]) => typeof treatment === 'function')
    const written = hooked.map(([name]) => name).filter(name => !ONLY_IN_TURN.includes(name))
    expect(Object.keys(WRITES).sort()).toEqual(written.sort())
  })

  test('in the bytes of the database and its log', () =>
    withStore(async (store, folder) => {
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES), 'chat', { user: 'ann' })
      for (const [name, write] of Object.entries(WRITES)) {
        await write(chat)
        expect(bytesInFiles(folder, BODY), name).toEqual({})
      }
      const { messages, segments, pins, memo, documents } = await store.transfer.exportSession({
        ...chat.key,
        id: 'copy',
      })
      expect(messages[0]).toMatchObject({
        content: `take ${GONE}`,
        sender: { id: 'ann', name: `Ann ${GONE}` },
      })
      expect(messages[2]!.content).toEqual([
        {
          ...(RESULT[0] as object),
          output: {
            type: 'json',
            value: { log: [`used ${GONE}`], [GONE]: 1, deep: { password: '[redacted: password]' } },
          },
        },
      ])
      expect(segments[0]).toMatchObject({ summary: `They said ${GONE}`, details: [GONE, { text: GONE }] })
      expect(segments[0]!.window).toMatchObject([
        { role: 'user', content: `the key: ${GONE}`, sender: { id: 'ann', name: `Ann ${GONE}` } },
        { seq: 2, role: 'assistant', content: messages[1]!.content, note: { [GONE]: GONE } },
      ])
      expect(pins[0]!.note).toBe(`note ${GONE}`)
      expect(memo!.value).toMatchObject({ about: GONE, list: [{ [GONE]: GONE }] })
      expect(documents[0]!.facts[0]!.line).toBe(`- 2026-01-15: the key is ${GONE}`)
    }))

  test('but without a hook it is there, so that the look would have found it', () =>
    withStore(async (store, folder) => {
      await WRITES['append']!(new Chat(store))
      expect(bytesInFiles(folder, BODY)).not.toEqual({})
    }))

  test('through all that an instance does', () =>
    withStore(async (store, folder) => {
      let now = Date.UTC(2026, 0, 15, 8)
      await using palimpsest = await createPalimpsest({
        store: redactingStore(store, redactSecrets, MEASURES),
        folding: 'manual',
        policy: count({ threshold: 20, keepLast: 4 }),
        clock: () => (now += 60_000),
        summarizer: {
          name: 'told',
          version: '1',
          summarize: async () => ({
            text: `- Ann gave the key ${CANARY}`,
            events: [{ at: '2026-01-15', text: `key ${CANARY}` }],
            details: [CANARY],
            memo: { key: CANARY },
          }),
        } as never,
      })
      const chat = palimpsest.session('chat', { user: 'ann' })
      for (let turn = 0; turn < 20; turn++)
        await chat.append([
          {
            role: 'user',
            sender: 'ann',
            text: `My key, number ${turn}, is ${CANARY}. ${'Words. '.repeat(60)}`,
          },
          { role: 'assistant', text: `I see ${CANARY}` },
        ])
      await chat.edit(2, `I saw ${CANARY}`)
      await chat.note(`Never lose ${CANARY}`)
      await chat.memory.append(`- the key ${CANARY}`, { author: `ann ${CANARY}` })
      await palimpsest.memory.document('global', '').replace(`# Facts\n- ${CANARY}\n`)
      const tools = await chat.memoryTools()
      const told = await tools.execute('write_user_memory', { content: `Her key is ${CANARY}` })
      expect(told['error']).toBeUndefined()
      const outcome = await chat.compact({ force: 'deep', focus: CANARY })
      expect(outcome.outcome).toBe('applied')
      const file = await chat.export()
      await palimpsest.import(JSON.parse(JSON.stringify(file).replaceAll(GONE, CANARY)), { id: 'copy' })
      await chat.fork('fork')
      expect(bytesInFiles(folder, BODY)).toEqual({})
      const { messages } = await chat.context()
      expect(JSON.stringify(messages)).not.toContain(BODY)
      expect(
        (await store.folds.readSegments({ namespace: 'default', id: 'chat' }, 'all')).length,
      ).toBeGreaterThan(0)
    }))
})

test('a file of the workspace that somebody wrote a key into is put right with the document', () =>
  withStore(async (store, folder) => {
    const workspace = join(folder, 'workspace')
    await using palimpsest = await createPalimpsest({
      store: redactingStore(store, redactSecrets, MEASURES),
      folding: 'manual',
      workspace,
    })
    await palimpsest.memory.document('global', '').replace('# Facts\n\n- one\n')
    await palimpsest.syncWorkspace()
    const file = join(workspace, 'MEMORY.md')
    writeFileSync(file, readFileSync(file, 'utf8').replace('- one', `- one\n- the key is ${CANARY}`))
    await palimpsest.syncWorkspace()
    expect((await palimpsest.memory.document('global', '').read())?.content).toContain(`the key is ${GONE}`)
    expect(bytesInFiles(folder, BODY)).toEqual({})
    const { version } = (await palimpsest.memory.document('global', '').read())!
    await palimpsest.syncWorkspace()
    expect((await palimpsest.memory.document('global', '').read())!.version).toBe(version)
  }))

describe('what is stored fits its figures', () => {
  test('of messages, as appended and as edited', () =>
    withStore(async store => {
      await using palimpsest = await createPalimpsest({
        store: redactingStore(store, redactSecrets, MEASURES),
        folding: 'manual',
      })
      const chat = palimpsest.session('chat')
      const sender = { id: 'ann', name: `Ann ${CANARY}` }
      await chat.append([
        { role: 'user', sender, content: PARTS.slice(0, 3) as Content },
        { role: 'assistant', text: 'welcome' },
      ])
      await expectFigures(store)
      await chat.edit(1, `only ${CANARY} ${CANARY}`)
      await expectFigures(store)
      await palimpsest.import(JSON.parse(JSON.stringify(await chat.export()).replaceAll(GONE, CANARY)), {
        id: 'b',
      })
      await expectFigures(store, 'b')
    }))

  async function expectFigures(store: Store, id = 'chat'): Promise<void> {
    const { raw } = (await store.folds.readPlan({ namespace: 'default', id }))!
    const messages = await store.log.readMessages({ namespace: 'default', id }, { limit: 9, from: 'oldest' })
    expect(raw.map(({ characters, tokens }) => ({ characters, tokens }))).toEqual(
      messages.map(measureMessage),
    )
  }

  test('of pins, segments and documents', () =>
    withStore(async store => {
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES), 'chat', { user: 'ann' })
      for (const name of ['append', 'edit', 'pin', 'commitFold', 'changeDocuments']) await WRITES[name]!(chat)
      const [pin] = await store.pins.readPins(chat.key)
      expect(pin!.tokens).toBe(estimateTokens(pin!.note!))
      const [segment] = await store.folds.readSegments(chat.key, 'all')
      expect(segment!.tokensAfter).toBe(estimateTokens(segment!.text))
      const document = await store.documents.readDocument({ namespace: 'test', layer: 'global', key: '' })
      expect(document!.tokens).toBe(estimateTokens(document!.content))
    }))
})

describe('a message that is delivered twice', () => {
  const delivered = () => message(`take ${CANARY}`, { externalId: 'm-1' })

  test('is known again', () =>
    withStore(async store => {
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES))
      await chat.append(delivered())
      expect((await chat.append(delivered())).messages).toEqual([{ seq: 1, duplicate: true }])
    }))

  test('is known again where it was stored before there was a hook, and stays as it is', () =>
    withStore(async store => {
      await new Chat(store).append(delivered(), message('other', { externalId: 'm-2' }))
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES))
      const { messages, snapshot } = await chat.append(
        message(`new ${CANARY}`, { externalId: 'm-3' }),
        delivered(),
        message('other', { externalId: 'm-2' }),
        delivered(),
      )
      expect(messages).toEqual([
        { seq: 3, duplicate: false },
        { seq: 1, duplicate: true },
        { seq: 2, duplicate: true },
        { seq: 1, duplicate: true },
      ])
      expect(snapshot).not.toBeNull()
      expect(await chat.contents()).toEqual([`take ${CANARY}`, 'other', `new ${GONE}`])
    }))

  test('is known again where an earlier hook saw less', () =>
    withStore(async store => {
      const blind: Redact = text => text.replace('take', 'took')
      await new Chat(redactingStore(store, blind, MEASURES)).append(delivered())
      const seeing: Redact = (text, at) => redactSecrets(blind(text, at), at)
      const chat = new Chat(redactingStore(store, seeing, MEASURES))
      expect((await chat.append(delivered())).messages).toEqual([{ seq: 1, duplicate: true }])
    }))

  test('answers nobody again where it was stored before there was a hook', () =>
    withStore(async store => {
      const before = new Chat(store)
      const awaits = { burst: 'ann', address: { chat: 7 } }
      await before.ask(awaits, message('one'))
      await before.answer({ seqs: [1] }, delivered())
      await before.ask(awaits, message('two'))
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES))
      const replies = async () =>
        (await store.inbox.readWaiting('test', { limit: 9 })).map(({ reply }) => reply)
      expect((await chat.answer({ seqs: [3] }, delivered())).messages).toEqual([{ seq: 2, duplicate: true }])
      expect(await replies()).toEqual([[2], null])
      await chat.answer({ seqs: [3] }, delivered(), message('new'))
      expect(await replies()).toEqual([[2], [4]])
    }))

  test('is a conflict where it says something else', () =>
    withStore(async store => {
      await new Chat(store).append(delivered())
      const chat = new Chat(redactingStore(store, redactSecrets, MEASURES))
      const other = chat.append(message(`leave ${CANARY}`, { externalId: 'm-1' }))
      await expect(other).rejects.toMatchObject({ code: 'message_conflict' })
      const role = chat.append(message(`take ${CANARY}`, { externalId: 'm-1', role: 'assistant' }))
      await expect(role).rejects.toMatchObject({ code: 'message_conflict' })
    }))
})

describe('what never goes through the hook', () => {
  test('ids: they are keys, by which things are found again', () =>
    withStore(async store => {
      const asked: string[] = []
      const listening: Redact = text => {
        asked.push(text)
        return text.replaceAll('id', '**')
      }
      const wrapped = redactingStore(store, listening, MEASURES)
      const chat = new Chat(wrapped, 'id-session', { user: 'id-user', scope: 'id-scope' })
      const call = {
        type: 'tool-call',
        toolCallId: 'id-call',
        toolName: 'id-tool',
        input: 'id-input',
      } as const
      await chat.ask(
        { burst: 'id-burst', address: { chat: 'id-chat' } },
        message([call, { type: 'tool-approval-request', approvalId: 'id-approval', toolCallId: 'id-call' }], {
          externalId: 'id-external',
          replyTo: 'id-reply',
          sender: { id: 'id-sender', name: 'id-name' },
        }),
      )
      await wrapped.inbox.noteWaiting(chat.key, { seq: 1, sent: ['id-sent'] })
      expect(asked.sort()).toEqual(['id-input', 'id-name'])
      expect(await store.inbox.readWaiting('test', { limit: 9 })).toMatchObject([
        { burst: 'id-burst', address: { chat: 'id-chat' }, sent: ['id-sent'] },
      ])
      const [stored] = await chat.messages()
      expect(stored).toMatchObject({
        externalId: 'id-external',
        replyTo: 'id-reply',
        sender: { id: 'id-sender', name: '**-name' },
        content: [
          { ...call, input: '**-input' },
          { approvalId: 'id-approval', toolCallId: 'id-call' },
        ],
      })
    }))

  test('the bytes of pictures and files', () =>
    withStore(async store => {
      const masking: Redact = text => text.replaceAll('A', '*')
      const bytes = 'A'.repeat(100)
      const content: Content = [
        { type: 'file', data: bytes, mediaType: 'application/pdf', filename: 'A.pdf' },
        { type: 'image', url: `data:image/png;base64,${bytes}` },
        {
          type: 'tool-result',
          toolCallId: 'c',
          output: { type: 'content', value: [{ type: 'media', data: bytes, mediaType: 'image/png' }] },
        },
      ]
      const chat = new Chat(redactingStore(store, masking, MEASURES))
      await chat.append(message(content))
      expect(JSON.stringify(await chat.contents())).toBe(JSON.stringify([content]).replace('A.pdf', '*.pdf'))
    }))

  test('settings: they are of the operator', () =>
    withStore(async store => {
      const wrapped = redactingStore(store, redactSecrets, MEASURES)
      await wrapped.settings.writeSettings('test', { modelApiKey: CANARY })
      expect(await wrapped.settings.readSettings('test')).toEqual({ modelApiKey: CANARY })
    }))
})

test('the numbers of cards are found as numbers, too, and other numbers stay numbers', () =>
  withStore(async store => {
    const chat = new Chat(redactingStore(store, redactSecrets, MEASURES))
    const input = {
      card: 4111111111111111,
      order_id: 4111111111111111,
      at: 1768464000000,
      small: 3,
      half: 0.5,
    }
    await chat.append(
      message([{ type: 'tool-call', toolCallId: 'c', toolName: 't', input }], { role: 'assistant' }),
    )
    expect(await chat.contents()).toEqual([
      [expect.objectContaining({ input: { ...input, card: '[redacted: card number]' } })],
    ])
  }))

test('fields whose names become the same both stay', () =>
  withStore(async store => {
    const chat = new Chat(redactingStore(store, redactSecrets, MEASURES))
    const input = { [CANARY]: 1, [`sk-${BODY}`]: 2 }
    await chat.append(
      message([{ type: 'tool-call', toolCallId: 'c', toolName: 't', input }], { role: 'assistant' }),
    )
    expect(await chat.contents()).toEqual([
      [expect.objectContaining({ input: { [GONE]: 1, [`${GONE} (2)`]: 2 } })],
    ])
  }))

test('a document with another line end, and its facts, stay together', () =>
  withStore(async store => {
    const wrapped = redactingStore(store, redactSecrets, MEASURES)
    const chat = new Chat(wrapped)
    await chat.append(message('hello'))
    const key = { namespace: 'test', layer: 'chat', key: 'chat' } as const
    const base = write(chat, key)
    await wrapped.documents.changeDocuments([
      {
        ...base,
        change: () => ({ ...base.change(), content: base.change().content.replaceAll('\n', '\r\n') }),
      },
    ])
    expect(await wrapped.documents.readFacts(key, 'current')).toHaveLength(1)
    // What is no longer true is looked for by the line that is stored.
    await wrapped.documents.changeDocuments([
      {
        ...base,
        change: current => ({
          content: `${current!.content}x`,
          tokens: 1,
          superseded: [`- 2026-01-15: the key is ${GONE}`],
        }),
      },
    ])
    expect((await wrapped.documents.readFacts(key, 'all'))[0]!.supersededAt).not.toBeNull()
  }))

describe('a hook that fails', () => {
  const hooks: Readonly<Record<string, Redact>> = {
    throwing: function throwing(text) {
      throw new Error(`cannot read ${text}`)
    },
    'giving nothing': function throwing() {
      return undefined as never
    },
    'giving a promise': function throwing(text) {
      return Promise.reject(new Error(text)) as never
    },
  }

  test.for(Object.entries(hooks))('%s fails the write, and tells nothing of the text', ([, hook]) =>
    withStore(async store => {
      const chat = new Chat(redactingStore(store, hook, MEASURES))
      const error: unknown = await chat.append(message(`take ${CANARY}`)).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(RedactionError)
      expect(PalimpsestError.isInstance(error)).toBe(true)
      expect((error as RedactionError).details).toMatchObject({ hook: 'throwing', place: 'message' })
      expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain(BODY)
      expect(await store.sessions.readSession(chat.key)).toBeNull()
    }),
  )

  test('and that was put in later is named, too', () =>
    withStore(async store => {
      const current: { hook: Redact } = { hook: redactSecrets }
      const chat = new Chat(redactingStore(store, current, MEASURES))
      await chat.append(message(CANARY))
      current.hook = text => text.replace('sk-', 'SK-')
      await chat.append(message('sk-2'))
      expect(await chat.contents()).toEqual([GONE, 'SK-2'])
      current.hook = hooks['throwing']!
      await expect(chat.append(message('hello'))).rejects.toMatchObject({ details: { hook: 'throwing' } })
    }))

  test('inside of a transaction, nothing of which is kept', () =>
    withStore(async store => {
      const failing: Redact = (text, { place }) => {
        if (place === 'document') throw new InvalidArgumentError('text', text, 'other text')
        return text
      }
      const wrapped = redactingStore(store, failing, MEASURES)
      const chat = new Chat(wrapped)
      await chat.append(message('hello'))
      const key = { namespace: 'test', layer: 'global', key: '' } as const
      const write = { key, author: { kind: 'person', name: null }, sources: [], now: 1 } as const
      const call = wrapped.documents.changeDocuments([
        { ...write, change: () => ({ content: CANARY, tokens: 1 }) },
      ])
      await expect(call).rejects.toMatchObject({ name: 'RedactionError', details: { place: 'document' } })
      expect(await store.documents.readDocument(key)).toBeNull()
    }))
})
