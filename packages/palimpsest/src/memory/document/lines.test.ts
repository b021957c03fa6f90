import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { datedLine, listLines, replaceLines, withLines, withoutLines } from './lines.ts'
import { readSection } from './sections.ts'

const DOCUMENT = `## About
- Likes tea  
  and cake
* no such line

## History
- 2026-01-15: one
- 2026-02-10: two
\`\`\`
- 2026-02-10: two
\`\`\`
  - nested
- 2026-03-01: three`

const line = fc.constantFrom(
  ...[
    '- a',
    '- b',
    '- c  ',
    '  - a',
    '* a',
    '-a',
    '-',
    '- ',
    '-\ta',
    'text',
    '',
    '## A',
    '## B',
    '```',
    '~~~',
    '- 你好',
  ],
)
const document = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 15 })
  .map(lines => {
    return lines.flat().join('')
  })
const wanted = fc.array(
  fc.constantFrom<string[]>('- a', '- b', '- c', '  - a', '- 你好', '- z', 'text', '```'),
  {
    maxLength: 4,
  },
)

test('datedLine', () => {
  expect(datedLine('2026-02-10', 'We met.')).toBe('- 2026-02-10: We met.')
  expect(datedLine('2026-02-10', '\n# Ann\r\nsaid\0 hi ')).toBe('- 2026-02-10: \\# Ann said hi')
})

describe('listLines', () => {
  test('in order, outside fences', () => {
    expect(listLines(DOCUMENT)).toEqual([
      '- Likes tea',
      '- 2026-01-15: one',
      '- 2026-02-10: two',
      '  - nested',
      '- 2026-03-01: three',
    ])
    expect(listLines('')).toEqual([])
    expect(listLines('- a\r\n- b\r- c')).toEqual(['- a', '- b', '- c'])
  })

  test('whatever is made a dated line is one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const made = datedLine('2026-02-10', text)
        expect(listLines(made)).toEqual([made.trimEnd()])
      }),
    )
  })
})

describe('withLines', () => {
  test.each([
    ['new ones', '## A\n- a\n\n## B\n', ['- a', '- b', '- c'], '## A\n- a\n- b\n- c\n\n## B\n'],
    ['none is new', '## A\n- b  \n- a\n', ['- a', '- b'], '## A\n- b  \n- a\n'],
    ['none is given', '## A\n', [], '## A\n'],
    ['twice the same', '## A\n', ['- a', '- a'], '## A\n- a\n'],
    ['a new section', '# T\n', ['- a'], '# T\n\n## A\n- a\n'],
    [
      'what stands in another section is not there',
      '## A\n\n## B\n- a\n',
      ['- a'],
      '## A\n- a\n\n## B\n- a\n',
    ],
    ['what stands in a fence is not there', '## A\n```\n- a\n```\n', ['- a'], '## A\n```\n- a\n```\n\n- a\n'],
  ])('%s', (_, content, lines, expected) => {
    expect(withLines(content, 'A', lines)).toBe(expected)
    expect(withLines(expected, 'A', lines)).toBe(expected)
  })

  test('a second time changes nothing', () => {
    const items = fc.array(fc.constantFrom('- a', '- b', '- c', '  - a', '- 你好'), { maxLength: 4 })
    fc.assert(
      fc.property(document, items, (content, lines) => {
        const once = withLines(content, 'A', lines)
        expect(withLines(once, 'A', lines)).toBe(once)
        const there = listLines(readSection(once, 'A') ?? '')
        for (const each of lines) expect(there).toContain(each)
      }),
    )
  })
})

describe('withoutLines', () => {
  test('exactly those', () => {
    expect(withoutLines(DOCUMENT, ['- 2026-02-10: two', '- Likes tea', '* no such line', '- 2026'])).toBe(
      DOCUMENT.replace('- Likes tea  \n', '').replace('- 2026-02-10: two\n', ''),
    )
    expect(withoutLines(DOCUMENT, new Set(['- 2026-03-01: three']))).toBe(
      DOCUMENT.replace('- 2026-03-01: three', ''),
    )
    expect(withoutLines('- a\r\nb\r\n- a\r\n', ['- a'])).toBe('b\r\n')
    expect(withoutLines(DOCUMENT, [])).toBe(DOCUMENT)
  })

  test('everything else stays', () => {
    fc.assert(
      fc.property(document, wanted, (content, lines) => {
        const without = withoutLines(content, lines)
        expect(listLines(without)).toEqual(listLines(content).filter(each => !lines.includes(each)))
        const kept = (text: string) => text.split('\n').filter(each => !lines.includes(each.trimEnd()))
        expect(kept(without)).toEqual(kept(content))
      }),
    )
  })
})

describe('replaceLines', () => {
  test('the first gives its place, the others go', () => {
    const lines = ['- 2026-02-10: two', '- 2026-01-15: one']
    const by = ['- 2026-01-15 – 2026-02-10: both']
    expect(replaceLines(DOCUMENT, { lines, by })).toBe(
      DOCUMENT.replace('- 2026-01-15: one\n- 2026-02-10: two\n', `${by[0]}\n`),
    )
  })

  test.each([
    ['at the very end', 'x\n- a', ['- a'], ['- b', '- c'], 'x\n- b\n- c'],
    ['by nothing', '- a\nx\n- b\n', ['- a', '- b'], [], 'x\n'],
    ['twice there', '- a\nx\n- a\n', ['- a'], ['- b'], '- b\nx\n'],
    ['CRLF', '- a\r\nx\r\n', ['- a'], ['- b'], '- b\r\nx\r\n'],
    ['one is missing', '- a\n', ['- a', '- b'], ['- c'], null],
    ['one stands in a fence only', '- a\n```\n- b\n```\n', ['- a', '- b'], ['- c'], null],
    ['none is given', '- a\n', [], ['- c'], null],
  ])('%s', (_, content, lines, by, expected) => expect(replaceLines(content, { lines, by })).toBe(expected))

  test('all or nothing', () => {
    fc.assert(
      fc.property(document, wanted, (content, lines) => {
        const replaced = replaceLines(content, { lines, by: ['- new'] })
        const isWhole = lines.length > 0 && lines.every(each => listLines(content).includes(each))
        expect(replaced !== null).toBe(isWhole)
        if (replaced === null) return
        expect(withoutLines(replaced, ['- new'])).toBe(withoutLines(content, lines))
        expect(listLines(replaced).filter(each => each === '- new')).toHaveLength(1)
      }),
    )
  })
})
