import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeDocuments } from './merge.ts'

const merge = (base: string | null, ours: string, theirs: string) => mergeDocuments({ base, ours, theirs })

const BASE = '# Memory\n\n## People\n\n- Ann likes tea\n- Bob is away\n\n## Plans\n\n- Porto on Friday\n'

describe('mergeDocuments', () => {
  it('takes the only change there is', () => {
    const changed = BASE.replace('tea', 'coffee')
    expect(merge(BASE, changed, BASE)).toEqual({ content: changed, conflicts: 0 })
    expect(merge(BASE, BASE, changed)).toEqual({ content: changed, conflicts: 0 })
    expect(merge(BASE, changed, changed)).toEqual({ content: changed, conflicts: 0 })
    expect(merge(null, changed, changed)).toEqual({ content: changed, conflicts: 0 })
  })

  it('joins changes of different sections, and leaves everything else byte for byte', () => {
    const ours = BASE.replace('tea', 'coffee')
    const theirs = BASE.replace('Friday', 'Monday')
    expect(merge(BASE, ours, theirs)).toEqual({ content: ours.replace('Friday', 'Monday'), conflicts: 0 })
  })

  it('joins changes of different lines of one section', () => {
    const ours = BASE.replace('- Ann likes tea\n', '- Ann likes coffee\n')
    const theirs = BASE.replace('- Bob is away\n', '')
    expect(merge(BASE, ours, theirs).content).toBe(ours.replace('- Bob is away\n', ''))
    const next = BASE.replace('Bob is away', 'Bob is back')
    expect(merge(BASE, ours, next)).toEqual({
      content: ours.replace('Bob is away', 'Bob is back'),
      conflicts: 0,
    })
  })

  it('keeps the additions of both, ours first, the same ones once', () => {
    const ours = BASE.replace('away\n', 'away\n- Cem sails\n- Dora: +1\n')
    const theirs = BASE.replace('away\n', 'away\n- Eve paints\n- Dora: +1\n')
    expect(merge(BASE, ours, theirs)).toEqual({
      content: BASE.replace('away\n', 'away\n- Cem sails\n- Eve paints\n- Dora: +1\n'),
      conflicts: 0,
    })
  })

  it('keeps both forms of a line that both changed', () => {
    const [ours, theirs] = [BASE.replace('tea', 'coffee'), BASE.replace('tea', 'milk')]
    expect(merge(BASE, ours, theirs)).toEqual({
      content: BASE.replace('- Ann likes tea', '- Ann likes coffee\n- Ann likes milk'),
      conflicts: 1,
    })
  })

  it('puts ours first where changes overlap, whoever began earlier', () => {
    expect(merge('a\nb\nc\n', 'a\nX\n', 'Y\nc\n')).toEqual({ content: 'X\nY\n', conflicts: 1 })
    expect(merge('a\nb\nc\n', 'X\nc\n', 'a\nY\n')).toEqual({ content: 'X\nY\n', conflicts: 1 })
  })

  it('keeps what one side adds inside what the other removes', () => {
    expect(merge('a\nb\nc\nd\n', 'a\nd\n', 'a\nb\nnew\nc\nd\n')).toEqual({
      content: 'a\nnew\nd\n',
      conflicts: 0,
    })
  })

  it('removes a section that one side removed and the other left alone', () => {
    const theirs = '# Memory\n\n## Plans\n\n- Porto on Friday\n'
    const ours = BASE.replace('Friday', 'Monday')
    expect(merge(BASE, ours, theirs).content).toBe('# Memory\n\n## Plans\n\n- Porto on Monday\n')
  })

  it('keeps a section that one side removed and the other changed', () => {
    const removed = '# Memory\n\n## Plans\n\n- Porto on Friday\n'
    const changed = BASE.replace('tea', 'coffee')
    expect(merge(BASE, `${removed}- and back\n`, changed)).toEqual({
      content: `${changed}- and back\n`,
      conflicts: 1,
    })
    expect(merge(BASE, changed, `${removed}- and back\n`)).toEqual({
      content: `${changed}- and back\n`,
      conflicts: 1,
    })
  })

  it('puts new sections of both at the end, apart from each other', () => {
    expect(merge(BASE, `${BASE}\n## Ours\n\n- o\n`, `${BASE}\n## Theirs\n\n- t\n`).content).toBe(
      `${BASE}\n## Ours\n\n- o\n\n## Theirs\n\n- t\n`,
    )
    expect(merge('', '## Ours\n- o\n', 'no heading\n').content).toBe('no heading\n\n## Ours\n- o\n')
  })

  it('merges a section that both added', () => {
    expect(merge('', '## New\n\n- o\n', '## New\n\n- t\n')).toEqual({
      content: '## New\n\n- o\n- t\n',
      conflicts: 0,
    })
  })

  it('follows the side that moved sections', () => {
    const moved = '# Memory\n\n## Plans\n\n- Porto on Friday\n\n## People\n\n- Ann likes tea\n- Bob is away\n'
    const ours = BASE.replace('tea', 'coffee')
    expect(merge(BASE, ours, moved).content).toBe(moved.replace('tea', 'coffee'))
    expect(merge(BASE, moved, ours).content).toBe(moved.replace('tea', 'coffee'))
  })

  it('tells sections of the same heading apart', () => {
    const base = '## A\n1\n\n## A\n2\n'
    expect(merge(base, '## A\n1\nx\n\n## A\n2\n', '## A\n1\n\n## A\n2\ny\n').content).toBe(
      '## A\n1\nx\n\n## A\n2\ny\n',
    )
  })

  it('takes a comment in a block of code for no heading', () => {
    const base = '## Setup\n\n```sh\n# install\nnpm i\n```\n\n## Other\n'
    const ours = '## Other\n- x\n'
    const theirs = base.replace('npm i', 'npm ci')
    expect(merge(base, ours, theirs).content).toBe(`${theirs}- x\n`)
  })

  it('removes nothing where the base is not known', () => {
    expect(merge(null, '- a\n- b\n', '- b\n- c\n')).toEqual({ content: '- a\n- b\n- c\n', conflicts: 0 })
    expect(merge(null, BASE, '## Plans\n\n- Lisbon\n').content).toBe(`${BASE}- Lisbon\n`)
  })

  it('piles up no blank lines where both wrote', () => {
    const [ours, theirs] = ['a\n\nours\n\nz\n', 'a\n\ntheirs\n\n\nz\n']
    expect(merge('a\n\nz\n', ours, theirs).content).not.toMatch(/\n\n\n/)
    expect(merge(null, ours, theirs).content).not.toMatch(/\n\n\n/)
  })

  it('loses nothing of documents that are too long to compare, and is quick', () => {
    const lines = (name: string, count: number) =>
      Array.from({ length: count }, (_, place) => `${name} ${place}\n`).join('')
    const merged = merge(lines('a', 300), lines('b', 6_000), lines('c', 6_000)).content.split('\n')
    expect(merged).toContain('b 5999')
    expect(merged).toContain('c 5999')
    const begin = performance.now()
    merge(lines('a', 4_000), lines('b', 4_000), lines('c', 4_000))
    merge('# \n'.repeat(100_000), '# \nx\n'.repeat(100_000), '# \ny\n'.repeat(100_000))
    merge('#'.repeat(1_000_000), '`'.repeat(1_000_000), ' '.repeat(1_000_000))
    expect(performance.now() - begin).toBeLessThan(30_000)
  })

  const line = fc.constantFrom(
    ...[
      '- a',
      '- b',
      '- c',
      '- d',
      '',
      '',
      ' ',
      '# One',
      '## Two',
      '## Three',
      '### Four',
      '```',
      '人😀',
      '\\',
    ],
  )
  const document = fc
    .array(line, { maxLength: 14 })
    .map(lines => lines.join('\n').replace(/\n+$/, ''))
    .map(text => (text === '' ? '' : `${text}\n`))
  const fresh = fc.tuple(document, document).map(([text, more]) => text + more.replaceAll('- ', '- new '))
  const base = fc.option(document)

  it('keeps every line that either side added', () => {
    fc.assert(
      fc.property(base, fresh, fresh, (base, ours, theirs) => {
        const known = new Set((base ?? '').split('\n'))
        const merged = new Set(merge(base, ours, theirs).content.split('\n'))
        for (const line of [...ours.split('\n'), ...theirs.split('\n')])
          if (line.trim() !== '' && !known.has(line)) expect(merged).toContain(line)
      }),
      { numRuns: 2_000 },
    )
  })

  it('invents nothing', () => {
    fc.assert(
      fc.property(base, fresh, fresh, (base, ours, theirs) => {
        const known = new Set(`${ours}\n${theirs}`.split('\n'))
        const { content } = merge(base, ours, theirs)
        for (const line of content.split('\n')) expect(known).toContain(line)
        if (content !== '') expect(content.endsWith('\n')).toBe(true)
      }),
    )
  })

  it('leaves every line of the base in its place where both only add', () => {
    const addition = fc.array(fc.tuple(fc.nat(14), fc.constantFrom('- new 1', '- new 2', '- new 3')))
    fc.assert(
      fc.property(document, addition, addition, (base, first, second) => {
        const withLines = (added: readonly (readonly [number, string])[]) => {
          const lines = base.split('\n')
          for (const [place, line] of added) lines.splice(Math.min(place, lines.length - 1), 0, line)
          return lines.join('\n')
        }
        const merged = merge(base, withLines(first), withLines(second)).content.split('\n')
        const shown = merged.filter(line => line.trim() !== '' && !line.startsWith('- new'))
        expect(shown).toEqual(base.split('\n').filter(line => line.trim() !== ''))
      }),
    )
  })

  it('gives back the only change, and the same again for the same', () => {
    fc.assert(
      fc.property(document, fresh, fresh, (base, one, other) => {
        expect(merge(base, one, base).content).toBe(one)
        expect(merge(base, base, one).content).toBe(one)
        expect(merge(base, one, one).content).toBe(one)
        expect(merge(base, one, other)).toEqual(merge(base, one, other))
        const merged = merge(base, one, other).content
        expect(merge(merged, merged, other).content).toBe(other)
      }),
    )
  })

  it('comes to the same when it reads the same change once more', () => {
    const lines = Array.from({ length: 8 }, (_, number) => (number === 4 ? '## Heading' : `- line ${number}`))
    const changed = (name: string) =>
      fc
        .array(fc.constantFrom('keep', 'keep', 'drop', 'add', 'both'), { minLength: 8, maxLength: 8 })
        .map(steps =>
          steps
            .flatMap((step, number) => {
              if (step === 'drop' && number !== 4) return []
              if (step === 'keep' || number === 4) return [lines[number]]
              return [lines[number], `- ${step === 'add' ? name : 'both'} ${number}`]
            })
            .map(line => `${line}\n`)
            .join(''),
        )
    fc.assert(
      fc.property(changed('ours'), changed('theirs'), (ours, theirs) => {
        const base = lines.map(line => `${line}\n`).join('')
        const merged = merge(base, ours, theirs).content
        const again = merge(base, merged, theirs).content
        expect(again.split('\n').sort()).toEqual(merged.split('\n').sort())
        expect(new Set(again.trimEnd().split('\n')).size).toBe(again.trimEnd().split('\n').length)
      }),
      { numRuns: 2_000 },
    )
  })

  it('never loses a line without knowing the base', () => {
    fc.assert(
      fc.property(fresh, fresh, (ours, theirs) => {
        const merged = new Set(merge(null, ours, theirs).content.split('\n'))
        for (const line of `${ours}${theirs}`.split('\n'))
          if (line.trim() !== '') expect(merged).toContain(line)
      }),
      { numRuns: 1_000 },
    )
  })
})
