import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../../errors.ts'
import { decodeId, documentOf, documentOfShortened, encodeId, fileOf, isShortened } from './file-names.ts'

const user = (key: string) => fileOf({ layer: 'user', key })

const anyId = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom('.', '%', '~', 'a', 'A', 'ß', 'ẞ', '/', '\\', ' '),
      minLength: 1,
      maxLength: 90,
    }),
    fc.string({ unit: fc.constantFrom('%2e', 'con', 'nul.', 'com1', 'é'), minLength: 1, maxLength: 4 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1_300 }),
  )
  .filter(id => !id.includes('\0') && id.isWellFormed() && id.length <= 4_096)

describe('fileOf', () => {
  it('gives each layer its place', () => {
    expect(fileOf({ layer: 'persona', key: '' })).toBe('SOUL.md')
    expect(fileOf({ layer: 'global', key: '' })).toBe('MEMORY.md')
    expect(user('ann-2')).toBe('users/ann-2.md')
    expect(fileOf({ layer: 'scope', key: 'work' })).toBe('scopes/work.md')
    expect(fileOf({ layer: 'chat', key: 'v1.2_x' })).toBe('chat_memories/v1.2_x.md')
    expect(fileOf({ layer: 'daily', key: '2026-02-10/a/b' })).toBe('memory/2026-02-10.md')
  })

  it('makes any id a harmless name', () => {
    const names = {
      'a:b': 'a%3ab',
      a_b: 'a_b',
      'A:B': '%41%3a%42',
      '../x': '%2e%2e%2fx',
      '..': '%2e%2e',
      '.': '%2e',
      con: '%63on',
      'con.x': '%63on.x',
      CON: '%43%4f%4e',
      com7: '%63om7',
      console: 'console',
      '.hidden': '%2ehidden',
      'x.': 'x%2e',
      'a..b': 'a.%2eb',
      'a~b': 'a%7eb',
      '%41': '%2541',
      'a b': 'a%20b',
      '😀': '%f0%9f%98%80',
      安: '%e5%ae%89',
    }
    for (const [id, name] of Object.entries(names)) {
      expect(user(id)).toBe(`users/${name}.md`)
      expect(documentOf(`users/${name}.md`)).toEqual({ layer: 'user', key: id })
    }
  })

  it('shortens a long name, which then tells its id no more', () => {
    const [one, other] = ['安'.repeat(4_096), `${'安'.repeat(4_095)}好`]
    expect(user(one)).toMatch(/^users\/[a-z0-9%]{117,120}~[0-9a-f]{40}\.md$/)
    expect(user(one)).not.toBe(user(other))
    expect(documentOf(user(one))).toBeNull()
    expect(isShortened(user(one))).toBe(true)
    expect(documentOfShortened(user(one), one)).toEqual({ layer: 'user', key: one })
    expect(documentOfShortened(user(one), other)).toBeNull()
    expect(documentOfShortened(user('ann'), 'ann')).toBeNull()
    expect(isShortened(user('a'.repeat(200)))).toBe(false)
    expect(isShortened(user('a'.repeat(201)))).toBe(true)
  })

  it('refuses what is no id', () => {
    for (const key of ['', 'a\0', '\ud800', 'a'.repeat(4_097)])
      expect(() => user(key)).toThrow(InvalidArgumentError)
    expect(() => fileOf({ layer: 'daily', key: 'yesterday/a' })).toThrow(InvalidArgumentError)
  })

  it('has one safe name for one id, and gives the id back', () => {
    fc.assert(
      fc.property(anyId, id => {
        const path = fileOf({ layer: 'scope', key: id })
        expect(path).toMatch(/^scopes\/[a-z0-9_%~.-]+$/)
        expect(path).not.toContain('..')
        expect(path.split('/')).toHaveLength(2)
        expect(path.length).toBeLessThanOrEqual('scopes/'.length + 210)
        expect(documentOf(path) ?? documentOfShortened(path, id)).toEqual({ layer: 'scope', key: id })
        expect(decodeId(encodeId(id))).toBe(id)
      }),
      { numRuns: 1_000 },
    )
  })

  it('has two names for two ids, without regard to case', () => {
    const near = anyId.chain(id =>
      fc.tuple(
        fc.constant(id),
        fc.oneof(
          anyId,
          fc.constantFrom(id.toUpperCase(), encodeId(id).slice(0, 4_096), `${id.slice(0, 4_000)}.`),
        ),
      ),
    )
    fc.assert(
      fc.property(near, ([one, other]) => {
        fc.pre(one !== other)
        expect(user(one).toLowerCase()).not.toBe(user(other).toLowerCase())
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('documentOf', () => {
  it('knows days', () => {
    expect(documentOf('memory/2026-02-10.md')).toEqual({ layer: 'daily', day: '2026-02-10' })
    expect(documentOf('memory/2026-2-1.md')).toBeNull()
    expect(documentOf('memory/today.md')).toBeNull()
  })

  it('is not taken in by what is no document', () => {
    const others = [
      ...[
        '',
        'soul.md',
        'README.md',
        'SOUL.md~',
        '#SOUL.md#',
        '.SOUL.md.swp',
        'SOUL.md.set-aside-20260210T000000Z',
      ],
      ...[
        'users',
        'users/',
        'users/.md',
        'users/Ann.md',
        'users/ann.txt',
        'users/ann.md~',
        'users/.ann.md.0a1b2c3d.tmp',
      ],
      ...[
        'users/a/b.md',
        '/users/ann.md',
        'users/../x.md',
        'users/%41.MD',
        'users/%4A.md',
        'users/%61.md',
        'users/%.md',
      ],
      ...['users/%c3.md', 'users/%00.md', 'users/con.md', 'users/a..md', 'users/..a.md', 'users\\ann.md'],
      ...[`users/${'a'.repeat(201)}.md`, `users/a~${'0'.repeat(39)}.md`, `users/${'a'.repeat(1_000_000)}`],
    ]
    for (const path of others) expect(documentOf(path)).toBeNull()
  })

  it('gives every name that it knows to one document only', () => {
    const name = fc.string({
      unit: fc.constantFrom('%', '2', 'e', '4', '1', '.', 'a', '~', '-'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(name, name => {
        const found = documentOf(`users/${name}.md`)
        if (found && 'key' in found) expect(fileOf(found)).toBe(`users/${name}.md`)
      }),
      { numRuns: 2_000 },
    )
  })
})
