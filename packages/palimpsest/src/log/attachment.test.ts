import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  asAttachment,
  attachmentKind,
  attachmentMediaType,
  attachmentName,
  isBytes,
  summarizeAttachment,
} from './attachment.ts'

const BYTES = Buffer.from('picture'.repeat(100)).toString('base64')

/** As libraries and platforms write them, and what each comes to. */
const PARTS: readonly (readonly [part: Record<string, unknown>, ref: unknown, meta: object, kind: string])[] =
  [
    [{ type: 'audio', file: 'voice.ogg', duration: 3 }, 'voice.ogg', { duration: 3 }, 'audio'],
    [
      { type: 'video', url: 'https://a.dev/v.mp4', mime_type: 'video/mp4', width: 640, height: 480, size: 5 },
      'https://a.dev/v.mp4',
      { mime_type: 'video/mp4', size: 5, width: 640, height: 480 },
      'video',
    ],
    [{ type: 'image_url', image_url: { url: 'https://a.dev/a.png' } }, 'https://a.dev/a.png', {}, 'image'],
    [{ type: 'image_url', image_url: 'https://a.dev/a.png' }, 'https://a.dev/a.png', {}, 'image'],
    [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${BYTES}` } },
      null,
      { mime_type: 'image/png' },
      'image',
    ],
    [
      { type: 'input_audio', input_audio: { data: BYTES, format: 'wav' } },
      null,
      { mime_type: 'audio/wav' },
      'audio',
    ],
    [{ type: 'input_file', file_id: 'f-1', filename: 'a.pdf' }, 'f-1', { name: 'a.pdf' }, 'file'],
    [
      { type: 'input_file', file: { file_data: BYTES, filename: 'a.pdf' } },
      'a.pdf',
      { name: 'a.pdf' },
      'file',
    ],
    [
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: BYTES } },
      null,
      { mime_type: 'application/pdf' },
      'file',
    ],
    [{ type: 'sticker', id: 7, name: 'fox' }, 7, { name: 'fox' }, 'file'],
    [{ type: 'voice', path: '/tmp/voice' }, '/tmp/voice', {}, 'audio'],
    [{ type: 'image', image: 'https://a.dev/a.png' }, 'https://a.dev/a.png', {}, 'image'],
  ]

describe('an attachment', () => {
  test.for(PARTS)('%j', ([part, ref, meta, kind]) => {
    expect(asAttachment(part)).toBe(part)
    expect(summarizeAttachment(part)).toEqual({ type: part['type'], ref, meta })
    expect(attachmentKind(part)).toBe(kind)
  })

  test('is none that a misspelt text or tool call may be, nor one that says nothing of where it is', () => {
    for (const part of [
      { type: 'tool_use', id: 'c', name: 'look' },
      { type: 'function_call', name: 'look' },
      { type: 'input_text', id: 1 },
      { type: 'thinking', name: 'x' },
      { type: 'sticker' },
      { type: 'sticker', url: '' },
      { type: '', url: 'https://a.dev' },
      { type: 'x\ny', url: 'https://a.dev' },
      { type: 3, url: 'https://a.dev' },
      { url: 'https://a.dev' },
      null,
      'image',
      [],
    ])
      expect(asAttachment(part), JSON.stringify(part)).toBe(null)
  })

  test('is told without bytes, wherever they stand', () => {
    const bytes = fc.constantFrom(BYTES, `data:audio/wav;base64,${BYTES}`, ` data:;base64,${BYTES}`)
    const value = fc.oneof(
      { weight: 3, arbitrary: bytes },
      fc.constantFrom<unknown>('a.png', 7, null, true, '', Number.NaN, new Uint8Array(9), []),
    )
    const fields = fc.dictionary(
      fc.constantFrom(
        'file',
        'url',
        'data',
        'image',
        'audio',
        'file_data',
        'image_url',
        'source',
        'uri',
        'filename',
      ),
      value,
    )
    const part = fc.record({
      type: fc.constantFrom('audio', 'image_url', 'input_audio', 'input_file', 'video', 'sticker'),
      own: fields,
      inner: fields,
      place: fc.constantFrom('image_url', 'input_audio', 'file', 'source', 'data'),
    })
    fc.assert(
      fc.property(part, ({ type, own, inner, place }) => {
        // A name is told as it stands, short of a data URL: those who write bytes there call them so.
        const { filename: _, ...withoutName } = own
        const { filename: __, ...innerWithoutName } = inner
        const whole = { type, ...withoutName, [place]: innerWithoutName }
        const told = JSON.stringify([
          summarizeAttachment(whole),
          attachmentName(whole),
          attachmentMediaType(whole),
        ])
        return !told.includes(BYTES.slice(0, 60))
      }),
    )
    expect(isBytes(BYTES)).toBe(true)
    expect(isBytes('https://a.dev/a.png')).toBe(false)
  })
})
