import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseMarkdown } from './parse-markdown.ts'

/** Each style in brackets, so that a line of a test says all of it. */
function told(source: string): string {
  const { text, styles } = parseMarkdown(source)
  const marks = styles.flatMap(({ kind, from, to, url, language }, order) => [
    { at: from, order, mark: `{${[kind, url, language].filter(Boolean).join(' ')}|` },
    { at: to, order: 1_000 - order, mark: '}' },
  ])
  const inPlace = marks.toSorted((one, other) => other.at - one.at || other.order - one.order)
  // What ends stands before what begins.
  return inPlace
    .toSorted((one, other) => other.at - one.at || (one.mark === '}' ? 1 : 0) - (other.mark === '}' ? 1 : 0))
    .reduce((said, { at, mark }) => said.slice(0, at) + mark + said.slice(at), text)
}

test.each([
  [
    '**bold** and *italic* and __bold__ and _italic_',
    '{bold|bold} and {italic|italic} and {bold|bold} and {italic|italic}',
  ],
  ['~~gone~~ and ~here~', '{strike|gone} and ~here~'],
  ['这是**重点：**内容', '这是{bold|重点：}内容'],
  ['a **b *c* d**', 'a {bold|b {italic|c} d}'],
  ['`a*b*` and ``x ` y``', '{code|a*b*} and {code|x ` y}'],
  ['2*3*4 = 24, snake_case_name, 2 * 3', '2*3*4 = 24, snake_case_name, 2 * 3'],
  ['a ** b, **never closed', 'a ** b, **never closed'],
  ['\\*not italic\\* and \\# no heading', '*not italic* and # no heading'],
  ['[Ada](https://a.example/x_(y)) said', '{link https://a.example/x_(y)|Ada} said'],
  ['[x](javascript:alert) and [1] and a[0](b)', '[x](javascript:alert) and [1] and a[0](b)'],
  ['![a loom](https://a.example/l.png)', '{link https://a.example/l.png|a loom}'],
  ['<https://a.example> and <b>', 'https://a.example and <b>'],
  ['# A *title* #\ntext', '{bold|A {italic|title}}\ntext'],
  ['- one\n  * two\n- [x] done\n1. three', '• one\n  • two\n☑ done\n1. three'],
  ['> quoted **so**\n> and so\nnot', '{quote|quoted {bold|so}\nand so}\nnot'],
  ['```ts\nconst a = **b**\n```\nafter', '{pre ts|const a = **b**}\nafter'],
  ['~~~\n```\n~~~', '{pre|```}'],
  ['```\nstill open', '{pre|still open}'],
  ['a | b\n--|--\n1 | 2\nafter', '{pre|a | b\n--|--\n1 | 2}\nafter'],
  ['above\n\n---\n\nbelow', 'above\n\n———\n\nbelow'],
  ['**over\ntwo lines**', '{bold|over\ntwo lines}'],
  ['**over\n\nparagraphs**', '**over\n\nparagraphs**'],
])('%j', (source, expected) => {
  expect(told(source)).toBe(expected)
})

const signs = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.constantFrom(
        ...[
          '**',
          '*',
          '_',
          '__',
          '~~',
          '`',
          '``',
          '```',
          '\n',
          '\n\n',
          '> ',
          '- ',
          '# ',
          '[',
          '](https://a.b)',
          '|',
          '--',
        ],
      ),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join(''))

test('is never longer than its source, and its styles are nested and within it', () => {
  fc.assert(
    fc.property(signs, source => {
      const { text, styles } = parseMarkdown(source)
      expect(text.length).toBeLessThanOrEqual(source.length)
      for (const [index, { from, to }] of styles.entries()) {
        expect(0 <= from && from < to && to <= text.length).toBe(true)
        for (const other of styles.slice(0, index))
          expect(from >= other.to || to <= other.from || (from >= other.from && to <= other.to)).toBe(true)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('words without marks come out as they went in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zA-Zé中。,.:;'"()=?!{}/ 0-9]{0,20}$/), { maxLength: 8 }),
      lines => {
        const source = lines.map(line => line.replace(/^\d+[.)]/, '')).join('\n')
        expect(parseMarkdown(source)).toEqual({ text: source, styles: [] })
      },
    ),
  )
})
