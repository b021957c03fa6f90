import { describe, expect, test } from 'vitest'
import { InvalidMessageError } from '../errors.ts'
import { parseInstant } from './instant.ts'
import { MAX_CONTENT_CHARACTERS, type MessageInput, normalizeMessage } from './normalize-message.ts'

const normalize = (input: unknown) => normalizeMessage(input as MessageInput, { zone: 'UTC' })

describe('a message', () => {
  test('may be terse', () => {
    expect(normalize({ role: 'user', text: 'hi' })).toEqual({
      role: 'user',
      content: 'hi',
      sender: null,
      at: null,
      zone: null,
      externalId: null,
      replyTo: null,
    })
    expect(normalize({ role: 'user', content: 'hi', sender: 'Ann' }).sender).toEqual({
      id: 'Ann',
      name: 'Ann',
    })
    const sender = { id: 'u1', name: 'Ann', isSelf: true }
    expect(normalize({ role: 'user', content: 'hi', sender }).sender).toEqual(sender)
  })

  test('keeps whatever text it is given', () => {
    for (const content of ['\0', '\ud800', ' ', '\u2028', '👨‍👩‍👧', '你好', '\r\n'])
      expect(normalize({ role: 'user', content }).content).toBe(content)
  })

  test('keeps fields of parts that it does not know', () => {
    const content = [
      { type: 'text', text: 'look', providerOptions: { a: 1 } },
      { type: 'image', url: 'https://example.com/a.png', width: 3 },
      { type: 'tool-call', toolCallId: '1', toolName: 'x', input: { deep: [1, { two: null }] } },
    ]
    expect(normalize({ role: 'assistant', content }).content).toEqual(content)
  })

  test.each([
    [null, 'message', 'an object with role'],
    [[], 'message', 'an object'],
    ['hi', 'message', 'an object'],
    [{ role: 'bot', text: 'x' }, 'role', 'system, user, assistant, tool'],
    [{ text: 'x' }, 'role', 'system, user'],
    [{ role: 'user' }, 'content', 'text, or a list of parts'],
    [{ role: 'user', text: '' }, 'content', 'at least one character'],
    [{ role: 'user', content: [] }, 'content', 'at least one part'],
    [{ role: 'user', content: 5 }, 'content', 'text, or a list of parts'],
    [{ role: 'user', content: 'a', text: 'b' }, 'text', 'either content or text'],
    [{ role: 'user', content: 'x'.repeat(MAX_CONTENT_CHARACTERS + 1) }, 'content', 'at most 16000000'],
    [{ role: 'user', content: [{ type: 'sticker' }] }, 'content[0].type', 'one of file, url, path, id, name'],
    [
      { role: 'user', content: [{ type: 'tool_use', id: 'c', name: 'look' }] },
      'content[0].type',
      'tool-call',
    ],
    [{ role: 'user', content: [{ type: 'a b', url: 'https://a.dev' }] }, 'content[0].type', 'image_url'],
    [{ role: 'user', content: [{ type: 'text' }] }, 'content[0].text', 'a string'],
    [{ role: 'user', content: [null] }, 'content[0].type', 'text, reasoning'],
    [{ role: 'user', content: [{ type: 'toString' }] }, 'content[0].type', 'text, reasoning'],
    [{ role: 'user', text: 'x', at: 'yesterday' }, 'at', 'ISO 8601'],
    [{ role: 'user', text: 'x', at: Number.NaN }, 'at', 'ISO 8601'],
    [{ role: 'user', text: 'x', at: '2026-02-30' }, 'at', 'ISO 8601'],
    [{ role: 'user', text: 'x', zone: 'Mars/Base' }, 'zone', 'IANA'],
    [{ role: 'user', text: 'x', externalId: '' }, 'externalId', '1 to 4096'],
    [{ role: 'user', text: 'x', externalId: 7 }, 'externalId', 'text'],
    [{ role: 'user', text: 'x', externalId: 'a\0' }, 'externalId', 'without NUL'],
    [{ role: 'user', text: 'x', externalId: '\udc00' }, 'externalId', 'lone surrogates'],
    [{ role: 'user', text: 'x', externalId: 'x'.repeat(4097) }, 'externalId', '4096'],
    [{ role: 'user', text: 'x', replyTo: 0 }, 'replyTo', 'a seq'],
    [{ role: 'user', text: 'x', sender: 5 }, 'sender', 'a name'],
    [{ role: 'user', text: 'x', sender: {} }, 'sender.id', 'text'],
    [{ role: 'user', text: 'x', sender: { id: 'a', name: 5 } }, 'sender.name', 'text'],
    [{ role: 'user', text: 'x', sender: { id: 'a', isSelf: 'yes' } }, 'sender.isSelf', 'true or false'],
  ])('%# is refused by name', (input, field, allowed) => {
    try {
      normalize(input)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidMessageError)
      expect((error as InvalidMessageError).details.field).toBe(field)
      expect((error as InvalidMessageError).details.allowed).toContain(allowed)
      expect((error as InvalidMessageError).message.length).toBeLessThan(500)
    }
  })

  test('a part that JSON cannot hold is refused', () => {
    const loop: Record<string, unknown> = { type: 'file' }
    loop['self'] = loop
    expect(() => normalize({ role: 'user', content: [loop] })).toThrow('JSON')
    for (const odd of [1n, new Map(), Number.NaN, () => 1, Symbol('x'), new (class Own {})()])
      expect(() => normalize({ role: 'user', content: [{ type: 'file', meta: [{ odd }] }] })).toThrow(
        'content[0].meta[0].odd',
      )
  })

  test('bytes are kept as base64, dates and links as text', () => {
    const content = [
      { type: 'image', image: new Uint8Array([1, 2, 3]), url: new URL('https://x.y/'), none: undefined },
    ]
    expect(normalize({ role: 'user', content }).content).toEqual([
      { type: 'image', image: 'AQID', url: 'https://x.y/' },
    ])
  })
})

describe('an instant', () => {
  const noon = Date.UTC(2026, 0, 15, 12)

  test.each([
    ['2026-01-15T12:00:00Z', 'UTC', noon],
    ['2026-01-15T12:00:00z', 'UTC', noon],
    ['2026-01-15 12:00Z', 'UTC', noon],
    ['2026-01-15T12:00:00.000Z', 'UTC', noon],
    ['2026-01-15T20:00:00+08:00', 'UTC', noon],
    ['2026-01-15T20:00:00+0800', 'UTC', noon],
    ['2026-01-15T20:00+08', 'UTC', noon],
    ['2026-01-15T07:00:00-05:00', 'Asia/Shanghai', noon],
    // Without an offset: in the given zone, never in the machine's.
    ['2026-01-15T12:00:00', 'UTC', noon],
    ['2026-01-15 20:00:00', 'Asia/Shanghai', noon],
    ['2026-01-15T07:00:00', 'America/New_York', noon],
    ['2026-07-15T08:00:00', 'America/New_York', Date.UTC(2026, 6, 15, 12)],
    ['2026-01-15', 'UTC', Date.UTC(2026, 0, 15)],
    ['2026-01-15T12:00:00.123456Z', 'UTC', noon + 123],
    [noon, 'UTC', noon],
    [noon + 0.7, 'UTC', noon],
    [new Date(noon), 'UTC', noon],
    ['2099-12-31T00:00:00Z', 'UTC', Date.UTC(2099, 11, 31)],
    [-1, 'UTC', -1],
    ['0001-01-01T00:00:00Z', 'UTC', Date.parse('0001-01-01T00:00:00Z')],
    ['1850-01-01', 'UTC', Date.UTC(1850, 0, 1)],
    ['2026-02-30T00:00:00Z', 'UTC', null],
    ['2026-01-15T10:30:75', 'UTC', null],
    ['15.01.2026', 'UTC', null],
    ['2026-13-01', 'UTC', null],
    ['2026-01-15T25:00:00', 'UTC', null],
    ['', 'UTC', null],
    ['1700000000', 'UTC', null],
    [Number.POSITIVE_INFINITY, 'UTC', null],
    [1e17, 'UTC', null],
    [new Date('x'), 'UTC', null],
    [true, 'UTC', null],
  ])('%s in %s', (value, zone, expected) => {
    expect(parseInstant(value, zone)).toBe(expected)
  })
})
