import assert from 'node:assert/strict'
import type { Content } from '../../log/index.ts'
import { Chat, checkFigures, message } from './chat.ts'
import { contractCases } from './contract-case.ts'

const TEXTS = [
  ' ',
  '\0',
  'a\0b\0',
  '\ud800',
  'a\udc00b\ud83d',
  '"\\u0000"',
  '[{"type":"text"}]',
  "'; DROP TABLE messages; --",
  '?1 $1 :name %s',
  '\r\n\t\u0085\u2028\ufeff',
  '今天天气很好，我们去公园吧。',
  'こんにちは 안녕하세요 🇨🇳👩🏽‍🚀',
  'e\u0301 \u00e9',
  '\u{1f600}'.repeat(1000),
]

const PARTS: Content = [
  { type: 'text', text: 'look: \0 \ud800 "quoted" 中文' },
  { type: 'reasoning', text: 'hmm', providerOptions: { signature: 'abc=' } } as never,
  { type: 'image', image: 'data:image/png;base64,AAAA', mediaType: 'image/png' },
  { type: 'file', url: 'https://example.com/a.pdf', meta: { pages: 3, tags: ['a', null, 1.5, true] } },
  {
    type: 'tool-call',
    toolCallId: 'call 1',
    toolName: 'search',
    input: { q: 'x', n: 1e21, nested: { '': [] } },
  },
  { type: 'tool-result', toolCallId: 'call 1', toolName: 'search', output: [{ hit: null }, 'text', 0, -0.5] },
  { type: 'tool-approval-request', approvalId: 'ok?', toolCallId: 'call 1' },
  { type: 'tool-approval-response', approvalId: 'ok?', approved: false },
]

export const content = contractCases('content', {
  'of text comes back exactly': async (store, open) => {
    const chat = new Chat(store)
    await chat.append(...TEXTS.map((text, index) => message(text, { externalId: `m${index}` })))
    assert.deepEqual(await chat.contents(), TEXTS)
    assert.deepEqual(await new Chat(await open()).contents(), TEXTS)
    const repeated = await chat.append(
      ...TEXTS.map((text, index) => message(text, { externalId: `m${index}` })),
    )
    assert.ok(repeated.messages.every(({ duplicate }) => duplicate))
  },

  'of parts of every type comes back exactly': async store => {
    const chat = new Chat(store)
    await chat.append(message(PARTS, { role: 'assistant', externalId: 'm1' }))
    for (const part of PARTS) await chat.append(message([part] as Content, { role: 'tool' }))
    const expected = [PARTS, ...PARTS.map(part => [part])]
    assert.deepEqual(await chat.contents(), expected)
    assert.deepEqual(
      (await chat.file()).messages.map(each => each.content),
      expected,
    )
    assert.equal(
      (await chat.append(message(PARTS, { role: 'assistant', externalId: 'm1' }))).messages[0]?.duplicate,
      true,
    )
    const plan = await store.folds.readPlan(chat.key)
    assert.deepEqual(plan?.raw[0]?.links, {
      opens: ['call:call 1', 'approval:ok?'],
      closes: ['call:call 1', 'approval:ok?'],
    })
    await checkFigures(chat)
  },

  'of a megabyte comes back exactly': async store => {
    const chat = new Chat(store)
    const texts = ['x'.repeat(1_000_000), '漢'.repeat(350_000), `${'y'.repeat(1_000_000)}\0`]
    await chat.append(...texts.map(text => message(text)))
    assert.ok((await chat.contents()).every((stored, index) => stored === texts[index]))
  },

  'is kept with role, instants, zone and what it answers': async store => {
    const chat = new Chat(store)
    const longAgo = Date.UTC(1969, 6, 20, 20, 17, 40, 123)
    const ahead = Date.UTC(2100, 0, 1)
    await chat.append(
      message('system', { role: 'system', at: longAgo, zone: 'America/Los_Angeles' }),
      message('user', { at: ahead, replyTo: 1 }),
      message('assistant', { role: 'assistant', replyTo: '1' }),
      message('tool', { role: 'tool', externalId: 'm4' }),
    )
    const appendedAt = new Date(chat.now)
    const common = {
      sender: null,
      zone: null,
      externalId: null,
      replyTo: null,
      appendedAt,
      version: 1,
      archived: false,
    }
    assert.deepEqual(await chat.messages(), [
      {
        ...common,
        id: 'chat/1',
        seq: 1,
        role: 'system',
        content: 'system',
        at: new Date(longAgo),
        zone: 'America/Los_Angeles',
      },
      { ...common, id: 'chat/2', seq: 2, role: 'user', content: 'user', at: new Date(ahead), replyTo: 1 },
      {
        ...common,
        id: 'chat/3',
        seq: 3,
        role: 'assistant',
        content: 'assistant',
        at: appendedAt,
        replyTo: '1',
      },
      { ...common, id: 'chat/4', seq: 4, role: 'tool', content: 'tool', at: appendedAt, externalId: 'm4' },
    ])
  },
})
