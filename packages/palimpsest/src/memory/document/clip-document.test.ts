import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../tokens/index.ts'
import { clipDocument } from './clip-document.ts'

const DOCUMENT = `# Chat memory

## Basic information
- Kind: private

## History
${Array.from({ length: 100 }, (_, number) => `- 2026-02-10: entry ${number}, of no more than a dozen words`).join('\n')}
`

describe('clipDocument', () => {
  test('as it is where it fits', () => {
    expect(clipDocument(DOCUMENT, 10_000)).toEqual({ text: DOCUMENT, isClipped: false })
    expect(clipDocument('', 40)).toEqual({ text: '', isClipped: false })
  })

  test('beginning and end where it does not', () => {
    const { text, isClipped } = clipDocument(DOCUMENT, 300)
    expect(isClipped).toBe(true)
    expect(text.startsWith('# Chat memory\n\n## Basic information\n- Kind: private\n\n## History\n')).toBe(
      true,
    )
    expect(text.endsWith('- 2026-02-10: entry 99, of no more than a dozen words\n')).toBe(true)
    const [, leftOut] = /^\[… (\d+) lines are left out here …\]$/m.exec(text)!
    expect(text.split('\n').length - 1 + Number(leftOut)).toBe(DOCUMENT.split('\n').length)
    expect(estimateTokens(text)).toBeGreaterThan(250)
  })

  test('one line that is missing', () => {
    const content = `# A\n${'long '.repeat(200)}\nend\n`
    expect(clipDocument(content, 60).text).toBe('# A\n[… 1 line is left out here …]\nend\n')
  })

  test('a first line that is too long is cut', () => {
    const { text } = clipDocument(`# ${'汉字 '.repeat(1_000)}\nmiddle ${'x '.repeat(1_000)}\nend\n`, 80)
    expect(text).toMatch(/^# 汉字 [汉字 ]+…\n\[… 1 line is left out here …\]\nend\n$/)
    const alone = clipDocument('word '.repeat(1_000), 80)
    expect(alone.text).toMatch(/^word [word ]+…\n$/)
    expect(estimateTokens(alone.text)).toBeGreaterThan(50)
  })

  test('lines that may give way do so first, the oldest of them first, wherever they stand', () => {
    const lines = [3, 1, 2].flatMap(day =>
      Array.from(
        { length: 8 },
        (_, place) => `- 2026-02-0${day}: line ${place} of day ${day}, which a fold left`,
      ),
    )
    const document = `# Chat memory\n\n## About\n- by hand, and to last\n\n## History\n${lines.join('\n')}\n\n## Notes\n- the end\n`
    const { text, isClipped } = clipDocument(document, 300, { yielding: new Set(lines) })
    expect(isClipped).toBe(true)
    expect(estimateTokens(text)).toBeLessThanOrEqual(300)
    for (const lasting of ['- by hand, and to last', '- the end']) expect(text).toContain(lasting)
    const kept = lines.filter(line => text.includes(line))
    const newestFirst = lines.toSorted((one, other) => (one.slice(0, 12) < other.slice(0, 12) ? -1 : 1))
    expect(new Set(kept.map(line => line.slice(0, 12))).has('- 2026-02-03')).toBe(true)
    expect(kept.toSorted()).toEqual(newestFirst.slice(-kept.length).toSorted())
    expect(text).toContain(`[… ${lines.length - kept.length} lines are left out here …]`)
    expect(estimateTokens(text)).toBeGreaterThan(250)
  })

  test('beginning and end, where what may not give way takes more than half', () => {
    const lines = Array.from({ length: 30 }, (_, place) => `- 2026-02-10: line ${place} that a fold left`)
    const about = Array.from({ length: 30 }, (_, place) => `- by hand ${place}, in a good many words`)
    const document = `## About\n${about.join('\n')}\n\n## History\n${lines.join('\n')}\n`
    const { text } = clipDocument(document, 200, { yielding: new Set(lines) })
    expect(text).toContain(about[0])
    expect(text).toContain(lines.at(-1))
    expect(estimateTokens(text)).toBeLessThanOrEqual(200)
  })

  test('nothing below 40 tokens', () => {
    expect(clipDocument(DOCUMENT, 39)).toEqual({ text: '', isClipped: true })
    expect(clipDocument('', 0)).toEqual({ text: '', isClipped: false })
  })

  test('fits, with whole lines in order and its first line', () => {
    const line = fc.oneof(
      fc.constantFrom('', '## A', '- 2026-02-10: été à Paris, déjà vu', '你好世界', '😀😀', '```'),
      fc.string({ unit: 'binary', maxLength: 200 }).map(text => text.replace(/[\r\n]/g, '')),
      fc.integer({ min: 1, max: 400 }).map(count => 'word '.repeat(count)),
    )
    const document = fc.tuple(fc.array(line, { maxLength: 60 }), fc.constantFrom('', '\n'))
    fc.assert(
      fc.property(document, fc.integer({ min: 40, max: 400 }), ([lines, end], tokens) => {
        const content = lines.join('\n') + end
        const { text, isClipped } = clipDocument(content, tokens)
        expect(estimateTokens(text)).toBeLessThanOrEqual(tokens)
        expect(isClipped).toBe(text !== content)
        if (!isClipped) return
        const [head, tail] = text.split(/\[… \d+ lines? (?:are|is) left out here …\]\n/)
        expect(content.startsWith(head!) || head!.includes('…\n')).toBe(true)
        expect(content.endsWith(tail ?? '')).toBe(true)
        if (estimateTokens(lines[0]!) < 20) expect(head!.startsWith(lines[0]!)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
