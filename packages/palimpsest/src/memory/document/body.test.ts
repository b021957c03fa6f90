import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../errors.ts'
import { checkBody } from './body.ts'
import { inertLine } from './inert-line.ts'
import { listSections, readSection } from './sections.ts'

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'#`~-=>*+_1.) \t\n\ra汉\u2028\u0085\u200b\0\u0007'), maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        '# A',
        '## A',
        'Title',
        '===',
        '---',
        '-',
        '```',
        '~~~~',
        '- # A',
        '> ## A',
        '> ---',
        '',
        'x',
      ),
      { maxLength: 10 },
    )
    .map(lines => lines.join('\n')),
)

describe('checkBody', () => {
  test.each([
    ['text', '\ufeffa\r\nb', undefined, 'a\nb\n'],
    ['nothing', ' \n', 'A', ''],
    ['a lower heading', '### B\nx', 'A', '### B\nx\n'],
    ['a lower heading under ###', '#### B', '### A', '#### B\n'],
    ['headings without a section', '# A\n## B', undefined, '# A\n## B\n'],
    ['a heading in a fence', '```\n# B\n```', 'A', '```\n# B\n```\n'],
    ['an open fence', '  ~~~~ md\n# B', 'A', '  ~~~~ md\n# B\n  ~~~~\n'],
    ['no heading', '#tag and \\# B', 'A', '#tag and \\# B\n'],
    ['lone surrogates and NUL', 'a\ud800\0b', 'A', 'a\ufffdb\n'],
  ])('takes %s', (_, body, section, expected) => {
    expect(checkBody('content', body, section)).toBe(expected)
  })

  test.each([
    ['the same level', 'x\n## B', 'A', '## B'],
    ['a higher level', '# B', '## A', '# B'],
    ['the same level, with marks', '### B ###', '### A', '### B ###'],
    ['indented', '   ##\tB', 'A', '##\tB'],
    ['behind a closed fence', '```\n```\n## B', 'A', '## B'],
    ['under the lowest level', '###### B', '###### A', '###### B'],
  ])('refuses a heading of %s', (_, body, section, heading) => {
    const refusal = (() => {
      try {
        return checkBody('content', body, section)
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toBeInstanceOf(InvalidArgumentError)
    const { message, details } = refusal as InvalidArgumentError
    expect(details).toMatchObject({ field: 'content', value: JSON.stringify(heading) })
    expect(message).toMatch(/would begin another section; use .* instead, or replace the whole document$/)
  })

  test.each([undefined, null, 7, ['a'], { text: 'a' }])('refuses %j', body => {
    expect(() => checkBody('body', body)).toThrow(
      /^body: (?:nothing is given|.* cannot be taken); allowed: text$/,
    )
  })

  test('what it returns it takes again as it is', () => {
    fc.assert(
      fc.property(text, given => {
        const once = checkBody('content', given)
        expect(checkBody('content', once)).toBe(once)
        // Nothing behind it is swallowed.
        expect(readSection(`${once}\n## After\nx`, 'After')).not.toBeNull()
      }),
    )
  })
})

describe('inertLine', () => {
  test.each([
    ['  a \t\r\n b\u2028c\u2029d\u0085e\u00a0f\u3000g  ', 'a b c d e f g'],
    ['a\0\u0007b\u001b[31mc', 'ab[31mc'],
    // What breaks a line is a blank, of whatever kind it is.
    ['a\u001cb\u001dc\u001ed\u0085e\u2028f\vg', 'a b c d e f g'],
    ['\ud800a', '\ufffda'],
    ['# A', '\\# A'],
    ['\n## A\n## B', '\\## A ## B'],
    ['#', '\\#'],
    ['#tag', '#tag'],
    ['- a', '\\- a'],
    ['* a', '\\* a'],
    ['+ a', '\\+ a'],
    ['-5 degrees', '-5 degrees'],
    ['**bold**', '**bold**'],
    ['1. a', '1\\. a'],
    ['12) a', '12\\) a'],
    ['1.5 litres', '1.5 litres'],
    ['2026-02-10: a', '2026-02-10: a'],
    ['> a', '\\> a'],
    ['---', '\\---'],
    ['===', '\\==='],
    ['***', '\\***'],
    ['```js', '\\```js'],
    ['~~~', '\\~~~'],
    ['```a``` is code', '```a``` is code'],
    ['`a` is code', '`a` is code'],
    ['\u200b\ufeff \u2060# A', '\\# A'],
    ['\u202e# A', '\\# A'],
    ['👨‍👩‍👧 家', '👨‍👩‍👧 家'],
    ['', ''],
    ['\n\0 ', ''],
  ])('%j', (given, expected) => expect(inertLine(given)).toBe(expected))

  test('is one line of text, whatever it is given', () => {
    fc.assert(
      fc.property(text, given => {
        const line = inertLine(given)
        expect(inertLine(line)).toBe(line)
        expect(line).not.toMatch(/[^\S ]|\p{Cc}|\u2028|\u2029| {2}|^ | $/u)
        expect(line).not.toMatch(/^(?:#{1,6}(?: |$)|[-*+](?: |$)|\d{1,9}[.)](?: |$)|>|~~~|```[^`]*$)/)
        expect(line.isWellFormed()).toBe(true)
        expect(listSections(line)).toEqual([])
        expect(readSection(`${line}\n## A\nx`, 'A')).toBe('x')
      }),
      { numRuns: 500 },
    )
  })
})
