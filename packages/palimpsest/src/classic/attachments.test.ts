import { expect, test } from 'vitest'
import { sqlitePlace } from '../../../../test/stores.ts'
import { type Content, summarizeAttachment } from '../log/index.ts'
import { createClassic, summarizeAttachments } from './index.ts'
import { renderWindow } from './render-window.ts'

const BYTES = Buffer.from('picture'.repeat(100)).toString('base64')

test('each part that is no text is told by its type, where it is, and what is known of it', () => {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image', url: 'https://a.dev/cat.png', path: '/tmp/cat.png', name: 'cat', width: 10, height: 20 },
    { type: 'file', file: 'f-1', url: 'https://a.dev', mime_type: 'audio/ogg', size: 0, duration: 1.5 },
    { type: 'file', id: 7, mediaType: 'application/pdf' },
    { type: 'file', name: 'notes.txt', other: 'left out' },
    { type: 'tool-call', toolCallId: 'c', toolName: 't' },
  ] as unknown as Content
  expect(summarizeAttachments({ content })).toEqual([
    { type: 'image', ref: 'https://a.dev/cat.png', meta: { name: 'cat', width: 10, height: 20 } },
    { type: 'file', ref: 'f-1', meta: { mime_type: 'audio/ogg', size: 0, duration: 1.5 } },
    { type: 'file', ref: 7, meta: { mime_type: 'application/pdf' } },
    { type: 'file', ref: 'notes.txt', meta: { name: 'notes.txt' } },
    { type: 'tool-call', ref: null, meta: {} },
  ])
  expect(summarizeAttachments({ content: 'only text' })).toEqual([])
})

test('bytes are no reference', () => {
  const content = [
    {
      type: 'image',
      file: BYTES,
      url: `data:image/png;base64,${BYTES}`,
      path: '',
      id: null,
      name: 'cat.png',
    },
    { type: 'file', file: new Uint8Array(9), name: 'data:,x', mime_type: new Uint8Array(9) },
  ] as unknown as Content
  expect(summarizeAttachments({ content })).toEqual([
    { type: 'image', ref: 'cat.png', meta: { name: 'cat.png', mime_type: 'image/png' } },
    { type: 'file', ref: null, meta: {} },
  ])
})

test('a long path, id or name is one, and what says nothing is left out', async () => {
  const path = `/srv/${'harbour/'.repeat(40)}doc`
  const id = 'A'.repeat(220)
  const content = [
    { type: 'file', file: BYTES, path, name: '', width: Number.NaN, size: 0 },
    { type: 'file', url: BYTES, id, height: Number.POSITIVE_INFINITY },
    { type: 'file', id: Number.NaN, name: id },
  ] as unknown as Content
  expect(summarizeAttachments({ content })).toEqual([
    { type: 'file', ref: path, meta: { size: 0 } },
    { type: 'file', ref: id, meta: {} },
    { type: 'file', ref: id, meta: { name: id } },
  ])
  const text = await renderWindow([{ role: 'user', content }], summarizeAttachment)
  expect(text).toContain(path)
  expect(text).not.toContain(BYTES.slice(0, 80))
})

test('a window is told without bytes, whatever a handler of the caller says', async () => {
  const window = [
    {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: 'Look\r\nat this' },
        { type: 'image' as const, data: BYTES },
        {
          type: 'tool-result' as const,
          toolCallId: 'c',
          toolName: 'shoot',
          output: { data: BYTES, ok: true },
        },
        { type: 'reasoning' as const, text: 'Hm.' },
      ],
    },
    { role: 'assistant' as const, content: [{ type: 'reasoning' as const, text: 'Hm.' }] },
  ]
  const told = [
    () => ({
      bytes: Buffer.from('picture'),
      raw: new Uint8Array(9),
      url: `data:x,${BYTES}`,
      data: BYTES,
      by: 'me',
    }),
    () => BYTES,
    () => `a\npicture ${'x'.repeat(900)}`,
    () => undefined,
    async () => 'a cat',
  ]
  const texts = await Promise.all(told.map(summarize => renderWindow(window, summarize)))
  for (const text of texts) {
    expect(text).toMatch(/^- user: Look\n {2}at this\n/)
    expect(text).not.toContain(BYTES.slice(0, 80))
    expect(text).not.toContain('Hm.')
    expect(text.length).toBeLessThan(900)
    expect(
      text
        .split('\n')
        .slice(1)
        .every(line => line.startsWith('  ')),
    ).toBe(true)
  }
  expect(texts[0]).toContain('\n  {"by":"me"}\n')
  expect(texts[2]).toContain('\n  a picture xxx')
  expect(texts[4]).toContain('\n  a cat\n')
})

test('a session asks its handler, also for what the model reads of a window', async () => {
  const place = sqlitePlace()
  const classic = await createClassic({ store: await place.open(), indexing: 'off' })
  const session = await classic.session()
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image', url: 'https://a.dev/cat.png' },
  ] as const
  await session.append([
    { role: 'user', content },
    { role: 'assistant', content: 'Nice' },
  ])
  expect(await session.attachmentSummary({ content })).toEqual(summarizeAttachments({ content }))
  session.setAttachmentSummaryHandler(
    async (part, message) => `${part.type} of ${message.content.length} parts`,
  )
  expect(await session.attachmentSummary({ content })).toEqual(['image of 2 parts'])
  session.setResizeHandlers({ lite: (_full, current) => ({ current: current.toReversed() }) })
  await session.resize({ force: 'lite' })
  expect((await session.context()).toText()).toContain('- user: Look\n  image of 2 parts')
  session.setAttachmentSummaryHandler(() => {
    throw new Error('blind')
  })
  session.setResizeHandlers({ lite: (_full, current) => ({ current: current.toReversed() }) })
  expect(await session.resize({ force: 'lite' })).toMatchObject({ outcome: 'failed', reason: 'Error' })
  session.setAttachmentSummaryHandler(null)
  expect(await session.resize({ force: 'lite' })).toMatchObject({ outcome: 'applied' })
  await classic.close()
  await place.remove()
})
