import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasDotSegment } from './raw-target.ts'

test('finds a part that is . or .. in any spelling', () => {
  for (const part of ['.', '..', '%2e', '%2E%2e', '.%2E', '%2e.', '.\t.'])
    for (const target of [
      `/v1/sessions/${part}/search`,
      `/v1/sessions/${part}`,
      `/v1/sessions/${part}?limit=1`,
      `/v1/sessions\\${part}\\search`,
      `http://127.0.0.1:8787/v1/sessions/${part}/settings`,
      `http://127.0.0.1:8787/${part}`,
      `/${part}`,
      part,
    ])
      expect([target, hasDotSegment(target)]).toEqual([target, true])
})

test('leaves all others alone', () => {
  for (const target of [
    '/',
    '*',
    '',
    '/v1/sessions/telegram:42/messages',
    '/v1/sessions/.../search',
    '/v1/sessions/a..b/search',
    '/v1/sessions/.hidden/v1.2',
    '/v1/sessions/%252e%252e/search',
    '/v1/sessions/..%2F..%2fetc%2Fpasswd/messages',
    '/v1/sessions/a%5C..%5cb',
    '/v1/search?q=../..&limit=1',
    '/#/../x',
    'http://a.b../v1/sessions',
  ])
    expect([target, hasDotSegment(target)]).toEqual([target, false])
})

test('what is let through, a URL has as many parts of as it was sent with', () => {
  const piece = fc.constantFrom('.', '%2e', '%2E', '/', '\\', 'a', '%', '%2f', '\t', '?', '#', '..', 'x:y')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const target = `/v1/${pieces.join('')}`
      const [path = ''] = target.replaceAll('\t', '').replaceAll('\\', '/').split(/[?#]/, 1)
      const { pathname } = new URL(`http://localhost${target}`)
      if (!hasDotSegment(target)) expect(pathname.split('/').length).toBe(path.split('/').length)
    }),
  )
})
