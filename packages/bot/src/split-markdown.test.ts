import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseMarkdown } from './markdown/index.ts'
import { splitMarkdown } from './split-markdown.ts'

const word = fc.stringMatching(/^[a-z中👍]{1,9}$/u)
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map(said => said.join(' '))
const paragraph = fc
  .array(
    fc.oneof(
      words,
      words.map(said => `**${said}**`),
      word.map(said => `\`${said}\``),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map(said => said.join(' '))
const block = fc.oneof(
  paragraph,
  fc.array(words, { minLength: 1, maxLength: 12 }).map(lines => `\`\`\`py\n  ${lines.join('\n  ')}\n\`\`\``),
  words.map(said => `# ${said}`),
)
const document = fc.array(block, { minLength: 1, maxLength: 6 }).map(blocks => blocks.join('\n\n'))
const most = fc.integer({ min: 300, max: 500 })

const bare = (text: string) => text.replace(/\s/g, '')

test('every piece fits and is Markdown of its own: what looks as it does in the whole looks so in the pieces', () => {
  fc.assert(
    fc.property(document, most, (text, most) => {
      const pieces = splitMarkdown(text, most)
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(most)
        expect(piece.isWellFormed()).toBe(true)
      }
      const whole = parseMarkdown(text)
      const parts = pieces.map(parseMarkdown)
      expect(bare(parts.map(part => part.text).join(''))).toBe(bare(whole.text))
      for (const kind of ['pre', 'bold', 'code'] as const) {
        const looks = ({ text, styles }: typeof whole) =>
          styles.filter(style => style.kind === kind).map(({ from, to }) => bare(text.slice(from, to)))
        expect(parts.flatMap(looks).join('')).toBe(looks(whole).join(''))
      }
    }),
    { numRuns: 300 },
  )
})

const anything = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom('```', '\n```js\n', '\n', '\n\n', '**', '`', '['),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join(' '))

test('whatever it is, it fits, and pieces that are full stay what they are while it grows', () => {
  fc.assert(
    fc.property(anything, anything, fc.integer({ min: 20, max: 90 }), (text, more, most) => {
      const before = splitMarkdown(text, most)
      const after = splitMarkdown(text + more, most)
      for (const piece of before) expect(piece.length).toBeLessThanOrEqual(most)
      expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    }),
    { numRuns: 1_000 },
  )
})

test('a block of code goes to the next piece as a whole, or is closed and opened again', () => {
  const code = 'x = 1\ny = 2\nz = 3'
  expect(splitMarkdown(`${'word '.repeat(10)}\n\n\`\`\`py\n${code}\n\`\`\``, 70)).toEqual([
    'word '.repeat(10).trimEnd(),
    `\`\`\`py\n${code}\n\`\`\``,
  ])
  expect(splitMarkdown('```py\nx = 1\n  y = 2\n  z = 3\n```\nafter it', 30)).toEqual([
    '```py\nx = 1\n  y = 2\n```',
    '```py\n  z = 3\n```\nafter it',
  ])
})

test('what is bold is not cut in two where there is room before it', () => {
  expect(splitMarkdown('One two three four. **five six seven** eight', 30)).toEqual([
    'One two three four.',
    '**five six seven** eight',
  ])
})
