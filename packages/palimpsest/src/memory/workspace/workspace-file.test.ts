import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dailyKey } from '../../store/index.ts'
import { normalizeMarkdown } from '../document/index.ts'
import { fileOf } from './file-names.ts'
import { type FileName, parseFile, readFile, readIdLine, renderFile } from './workspace-file.ts'

const END = '<!-- palimpsest: end of the file -->'
const DAY = { layer: 'daily', day: '2026-02-10' } as const
const ANN = { layer: 'user', key: 'ann' } as const
const LONG = { layer: 'chat', key: '--><b>"安'.repeat(400) } as const

const bytes = (text: string) => new TextEncoder().encode(text)
const line = fc.constantFrom(
  ...[
    '# One',
    '## Two',
    '## ann',
    '\\## ann',
    '### Three',
    '#',
    '##',
    '\\',
    '\\\\# x',
    '- a',
    '',
    ' ',
    '\t',
    '`',
    '人😀',
    '\u2028## x',
  ],
  ...[
    END,
    `\\${END}`,
    `  \\\\${END}`,
    `\t${END}\u0020`,
    `# ${DAY.day}`,
    '<!-- palimpsest: {"id":"x"} -->',
    '---',
    '\ufeff',
    'a\rb',
  ],
)
const content = fc.oneof(
  fc.array(line, { maxLength: 8 }).map(lines => lines.join('\n')),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const id = fc.oneof(
  fc.constantFrom('ann', 'Ann', 'a:b', '# x', '😀', LONG.key),
  fc.string({ minLength: 1, maxLength: 20 }),
)

/** Through a file and back. */
function roundTrip(name: FileName, parts: readonly { key: string; content: string }[], loose?: string) {
  const read = readFile(bytes(renderFile(name, parts, loose)))
  if ('damage' in read) throw new Error(read.damage)
  return { ...parseFile(name, read.text), text: read.text }
}

describe('renderFile', () => {
  it('writes a document as it is, and an end', () => {
    expect(renderFile(ANN, [{ key: 'ann', content: '# Ann\n\n- tea\n' }])).toBe(`# Ann\n\n- tea\n${END}\n`)
    expect(renderFile(ANN, [{ key: 'ann', content: '' }])).toBe(`${END}\n`)
  })

  it('writes one section for each chat of a day', () => {
    const parts = [
      { key: dailyKey(DAY.day, 'a:B'), content: '- one\n- two\n' },
      { key: dailyKey(DAY.day, 'b'), content: '# Title\n\n- three\n' },
    ]
    expect(renderFile(DAY, parts)).toBe(
      `# 2026-02-10\n\n## a%3a%42\n\n- one\n- two\n\n## b\n\n\\# Title\n\n- three\n\n${END}\n`,
    )
  })

  it('tells a long id in the first line, which no id can end', () => {
    const text = renderFile(LONG, [{ key: LONG.key, content: '- x\n' }])
    const [first] = text.split('\n')
    expect(first?.slice(4, -3)).not.toMatch(/--|>/)
    expect(readIdLine(text)).toBe(LONG.key)
    expect(readIdLine('- x\n')).toBeNull()
    expect(readIdLine('<!-- palimpsest: {"id":7} -->')).toBeNull()
    expect(readIdLine('<!-- palimpsest: {id} -->')).toBeNull()
    expect(fileOf(LONG)).toContain('~')
  })

  it('gives back the document, whatever it says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(ANN, LONG, { layer: 'persona', key: '' } as const),
        content,
        (name, content) => {
          const read = roundTrip(name, [{ key: name.key, content }])
          expect(read.parts).toEqual([{ ...name, content: normalizeMarkdown(content) }])
          expect(read.isEnded).toBe(true)
          expect(renderFile(name, read.parts)).toBe(read.text)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('gives back all documents of a day, whatever they say', () => {
    const parts = fc.uniqueArray(fc.tuple(id, content), { selector: ([id]) => id, maxLength: 4 })
    fc.assert(
      fc.property(parts, content, (parts, loose) => {
        const documents = parts.map(([id, content]) => ({ key: dailyKey(DAY.day, id), content }))
        const read = roundTrip(DAY, documents, loose)
        expect(read.parts).toEqual(
          documents.map(({ key, content }) => ({ layer: 'daily', key, content: normalizeMarkdown(content) })),
        )
        expect(read.loose).toBe(normalizeMarkdown(loose))
        expect(read.isEnded).toBe(true)
        expect(renderFile(DAY, read.parts, read.loose)).toBe(read.text)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('readFile', () => {
  it('takes other line ends and a byte order mark for the same text', () => {
    const same = { text: '- 人\n- b\n', isTerminated: true }
    for (const text of ['- 人\n- b\n', '- 人\r\n- b\r\n', '\ufeff- 人\n- b\n', '- 人\r- b\n\n\n'])
      expect(readFile(bytes(text))).toEqual(same)
    expect(readFile(bytes('- 人\n- b'))).toEqual({ ...same, isTerminated: false })
    expect(readFile(bytes(''))).toEqual({ text: '', isTerminated: false })
  })

  it('takes nothing from what is no text', () => {
    expect(readFile(Buffer.from('caf\xe9', 'latin1'))).toEqual({ damage: 'it is not UTF-8' })
    expect(readFile(Buffer.from('\ufeffcafé', 'utf16le'))).toEqual({ damage: 'it is not UTF-8' })
    expect(readFile(Buffer.from('cafe', 'utf16le'))).toEqual({ damage: 'it holds NULs' })
    expect(readFile(bytes('a\0\0'))).toEqual({ damage: 'it holds NULs' })
    expect(readFile(bytes('安').slice(0, 2))).toEqual({ damage: 'it is not UTF-8' })
  })
})

describe('parseFile', () => {
  it('takes what a person adds below the end', () => {
    expect(parseFile(ANN, `- a\n${END}\n- b\n`)).toEqual({
      parts: [{ ...ANN, content: '- a\n- b\n' }],
      loose: '',
      isEnded: true,
    })
    expect(parseFile(ANN, '- a\n').isEnded).toBe(false)
  })

  it("reads a person's own headings inside a chat as its text", () => {
    const text = `# 2026-02-10\n## ann\n- a\n## My notes\n- b\n# Top\n## ann\n- c\n${END}\n`
    expect(parseFile(DAY, text)).toEqual({
      parts: [{ layer: 'daily', key: '2026-02-10/ann', content: '- a\n## My notes\n- b\n# Top\n- c\n' }],
      loose: '',
      isEnded: true,
    })
  })

  it('is quick with anything', () => {
    const begin = performance.now()
    for (const character of ['\\', ' ', '#', '\n', '}', '<!-- palimpsest: {', ' -->', '## a\n', '- '])
      for (const name of [ANN, LONG, DAY]) {
        const text = character.repeat(Math.ceil(1_000_000 / character.length))
        parseFile(name, text)
        readIdLine(`<!-- palimpsest: {${text}`)
        renderFile(name, [{ key: `${DAY.day}/a`, content: text }])
      }
    expect(performance.now() - begin).toBeLessThan(30_000)
  })
})
