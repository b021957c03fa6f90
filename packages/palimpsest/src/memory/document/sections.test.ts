import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../errors.ts'
import { checkBody } from './body.ts'
import { closeFence } from './markdown-lines.ts'
import { normalizeMarkdown } from './normalize-markdown.ts'
import { checkSectionName } from './section-name.ts'
import { appendText, listSections, readSection, replaceSection } from './sections.ts'

const DOCUMENT = `# Chat memory

## Basic information
- Kind: private

## About this conversation

### Food

Likes tea.

## 历史摘要
- 2026-02-10: 你好 👋
`

/** Lines that mean something to Markdown, more often than not. */
const line = fc.oneof(
  fc.constantFrom(
    ...[
      '# A',
      '## A',
      '## B ##',
      '### A',
      '###### C',
      '#',
      '##',
      '####### D',
      '   ## E',
      '    ## F',
      '#G',
      '\t# H',
    ],
    ...['```', '````', '```js', '``` a`b', '~~~', '~~~~', '   ```', '    ```', '- ```', '```   ', '~~~ x'],
    ...[
      '',
      '  ',
      '- a',
      '* b',
      '1. c',
      '2) d',
      '  - e',
      'text',
      'text  ',
      '---',
      '===',
      '> # q',
      '汉字 👋',
      '\u3000',
    ],
  ),
  fc.string({ unit: fc.constantFrom(...'#`~- \ta汉1.'), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }).map(text => text.replace(/[\r\n]/g, '')),
)
const document = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')), { maxLength: 25 }), line)
  .map(([lines, last]) => lines.flat().join('') + last)
const body = fc.array(line, { maxLength: 10 }).map(lines => lines.join('\n'))
const section = fc.constantFrom(
  'A',
  '## A',
  '### A',
  '# A',
  'B',
  'E',
  'New',
  '#### 新',
  'x #',
  '## ## y',
  '#G',
  'C',
)

const headingsOf = (content: string) =>
  listSections(content).map(({ level, heading }) => `${level} ${heading}`)

describe('listSections', () => {
  test('a section holds its subsections', () => {
    expect(listSections(DOCUMENT).slice(1)).toEqual([
      { heading: 'Basic information', level: 2, content: '- Kind: private' },
      { heading: 'About this conversation', level: 2, content: '### Food\n\nLikes tea.' },
      { heading: 'Food', level: 3, content: 'Likes tea.' },
      { heading: '历史摘要', level: 2, content: '- 2026-02-10: 你好 👋' },
    ])
    expect(listSections(DOCUMENT)[0]!.content).toBe(DOCUMENT.slice('# Chat memory\n\n'.length).trimEnd())
  })

  test.each([
    ['# A', '1 A'],
    ['###### A', '6 A'],
    ['#\tA', '1 A'],
    ['   ## A', '2 A'],
    ['##', '2 '],
    ['## ', '2 '],
    ['## #', '2 '],
    ['## A ##', '2 A'],
    ['## A #   ', '2 A'],
    ['## A#', '2 A#'],
    ['## A \\#', '2 A \\#'],
    ['## A # B', '2 A # B'],
    ['## A # #', '2 A #'],
    ['##   A  B  ', '2 A  B'],
    ['## 关于\u3000此对话\u3000', '2 关于\u3000此对话'],
  ])('%j is a heading', (text, expected) => expect(headingsOf(text)).toEqual([expected]))

  test.each([
    '#A',
    '####### A',
    '    # A',
    '\t# A',
    '\\# A',
    '- # A',
    '> # A',
    'A\n===',
    '＃ A',
    '#\u00a0A',
    '',
    '\n\n',
  ])('%j is none', text => expect(listSections(text)).toEqual([]))

  test.each([
    ['closed', '```\n# A\n```\n# B', ['1 B']],
    ['with an info string', '```md\n# A\n```\n# B', ['1 B']],
    ['tildes', '~~~ a`b\n# A\n~~~\n# B', ['1 B']],
    ['backticks in the info string: no fence', '``` a`b\n# A\n', ['1 A']],
    ['a shorter fence does not close', '````\n```\n# A\n````\n# B', ['1 B']],
    ['a longer one does', '```\n# A\n`````  \n# B', ['1 B']],
    ['the other kind does not', '```\n~~~\n# A\n```\n# B', ['1 B']],
    ['nothing may stand behind the closing one', '```\n``` x\n# A\n```\n# B', ['1 B']],
    ['indented by three', '   ```\n# A\n   ```\n# B', ['1 B']],
    ['indented by four: no fence', '    ```\n# A', ['1 A']],
    ['a closing one indented by four closes nothing', '```\n    ```\n# A', []],
    ['unclosed', '# A\n```\n# B\n## C', ['1 A']],
    ['two marks are no fence', '``\n# A', ['1 A']],
  ])('fences: %s', (_, text, expected) => expect(headingsOf(text)).toEqual(expected))

  test('any line break will do', () => {
    const contents = (text: string) => listSections(text).map(({ content }) => content)
    expect(contents('# A\r\nx\r\n\r\n## B\r\ny\r\n')).toEqual(['x\r\n\r\n## B\r\ny', 'y'])
    expect(contents('# A\rx\r## B\ry')).toEqual(['x\r## B\ry', 'y'])
  })

  test('nothing inside a fence is ever a heading', () => {
    fc.assert(
      fc.property(body, fc.constantFrom('```', '~~~~', '  ````md'), (inside, fence) => {
        const marks = fence.trim().replace('md', '')
        const isOpen = inside.split('\n').every(each => !each.trim().startsWith(marks))
        fc.pre(isOpen)
        expect(headingsOf(`# A\n${fence}\n${inside}\n${marks}\n# B`)).toEqual(['1 A', '1 B'])
        expect(headingsOf(`# A\n${fence}\n${inside}`)).toEqual(['1 A'])
      }),
    )
  })

  test('each can be read by its name, unless one before it has the same', () => {
    fc.assert(
      fc.property(document, content => {
        const seen = new Set<string>()
        for (const { heading, level, content: under } of listSections(content)) {
          const name = `${'#'.repeat(level)} ${heading}`
          if (heading !== '' && !seen.has(name)) expect(readSection(content, name)).toBe(under)
          seen.add(name)
        }
      }),
    )
  })
})

describe('readSection', () => {
  test.each([
    ['Basic information', '- Kind: private'],
    ['## Basic information', '- Kind: private'],
    [' 历史摘要 ', '- 2026-02-10: 你好 👋'],
    ['### Food', 'Likes tea.'],
    ['Food', null],
    ['## Food', null],
    ['# Basic information', null],
    ['basic information', null],
    ['Basic', null],
    ['', null],
    ['##', null],
    ['Basic information\n## 历史摘要', null],
  ])('%j', (name, expected) => expect(readSection(DOCUMENT, name)).toBe(expected))

  test('an empty one is empty, and the first of two wins', () => {
    expect(readSection('## A\n\n## B\nx', 'A')).toBe('')
    expect(readSection('## A', 'A')).toBe('')
    expect(readSection('## A\none\n## A\ntwo', 'A')).toBe('one')
  })

  test('only blank lines go, not indentation', () => {
    expect(readSection('## A\n \n\n  - x\n\n  y  \n\n\n', 'A')).toBe('  - x\n\n  y  ')
  })
})

describe('replaceSection', () => {
  test.each([
    ['in the middle', '# T\n\n## A\nold\n\n## B\nx\n', 'A', 'new', '# T\n\n## A\nnew\n\n## B\nx\n'],
    ['blank lines stay', '## A\n\n\nold\n\n\n## B\n', 'A', 'new', '## A\n\n\nnew\n\n\n## B\n'],
    ['with its subsections', '## A\na\n### S\ns\n## B\n', 'A', 'new\n### T', '## A\nnew\n### T\n## B\n'],
    ['a subsection alone', '## A\na\n### S\ns\n## B\n', '### S', 'new', '## A\na\n### S\nnew\n## B\n'],
    ['at the end', '## A\nold\n', 'A', 'new\n\n', '## A\nnew\n'],
    ['without a line break at the end', '## A', 'A', 'new', '## A\nnew\n'],
    ['an empty one', '## A\n\n## B\n', 'A', 'new', '## A\nnew\n\n## B\n'],
    ['an empty one right before another', '## A\n## B\n', 'A', 'new', '## A\nnew\n\n## B\n'],
    ['by nothing', '## A\n\nold\n\n## B\n', 'A', ' \n', '## A\n\n## B\n'],
    ['by nothing at the end', '## A\nold', 'A', '', '## A\n'],
    ['nothing by nothing', '## A\n\n\n## B\n', 'A', '', '## A\n\n\n## B\n'],
    ['missing', '## A\na\n', 'B', 'b', '## A\na\n\n## B\nb\n'],
    ['missing, with marks', '## A\na', '### B', 'b', '## A\na\n\n### B\nb\n'],
    ['missing, without a body', '## A\na\n', 'B', '', '## A\na\n\n## B\n'],
    ['missing, blank lines there', 'a\n\n\n', 'B', 'b', 'a\n\n\n## B\nb\n'],
    ['missing in nothing', '', 'B', 'b', '## B\nb\n'],
    ['missing behind an open fence', '```\n## B\n', 'B', 'b', '```\n## B\n```\n\n## B\nb\n'],
    ['missing, ending with marks', '', 'C #', 'c', '## C # ##\nc\n'],
    ['CRLF around it', '## A\r\nold\r\n\r\n## B\r\n', 'A', 'new', '## A\r\nnew\r\n\r\n## B\r\n'],
  ])('%s', (_, content, name, text, expected) => {
    const replaced = replaceSection(content, name, text)
    expect(replaced).toBe(expected)
    expect(replaceSection(replaced, name, text)).toBe(expected)
  })

  test.each(['', '  ', '##', 'a\nb', 'x'.repeat(201)])('adds no section %j', name => {
    expect(() => replaceSection('text', name, 'x')).toThrow(InvalidArgumentError)
  })

  test('reads back, and the other sections stay', () => {
    fc.assert(
      fc.property(document, section, body, (content, name, text) => {
        const checked = allowed(text, name)
        fc.pre(checked !== null)
        const before = listSections(content)
        const isThere = readSection(content, name) !== null
        const replaced = replaceSection(content, name, checked!)
        expect(readSection(replaced, name)).toBe(trimmed(checked!))
        expect(outside(closeFence(replaced), name)).toEqual(outside(closeFence(content), name))
        if (!isThere) expect(replaced.startsWith(content)).toBe(true)
        if (!isThere) expect(listSections(replaced).length).toBeGreaterThan(before.length)
      }),
      { numRuns: 500 },
    )
  })

  test('changes no byte outside', () => {
    fc.assert(
      fc.property(body, body, body, (before, old, after) => {
        const head = `${checkBody('before', before)}\n## Here\n`
        fc.pre(readSection(checkBody('before', before), 'Here') === null && allowed(old, 'Here') !== null)
        const content = `${head}\n${checkBody('old', old)}old\n\n## After\n${after}`
        const replaced = replaceSection(content, 'Here', 'new')
        expect(replaced.startsWith(head)).toBe(true)
        expect(replaced.endsWith(`new\n\n## After\n${after}`)).toBe(true)
      }),
    )
  })
})

describe('appendText', () => {
  test.each([
    ['a list goes on', '## A\n- a\n\n## B\n', '- b', 'A', '## A\n- a\n- b\n\n## B\n'],
    ['numbers too', '## A\n1. a\n', '2. b', 'A', '## A\n1. a\n2. b\n'],
    ['text after a list', '## A\n- a\n', 'b', 'A', '## A\n- a\n\nb\n'],
    ['a list after text', '## A\na\n', '* b\n* c', 'A', '## A\na\n\n* b\n* c\n'],
    ['text after text', '## A\na\n\n\n## B\n', 'b\n', 'A', '## A\na\n\nb\n\n\n## B\n'],
    ['under a heading', '## A\n\n## B\n', 'b', 'A', '## A\nb\n\n## B\n'],
    ['under a heading right before another', '## A\n## B\n', 'b', 'A', '## A\nb\n\n## B\n'],
    ['under a heading at the end', '## A', '- b', 'A', '## A\n- b\n'],
    ['under an empty subsection', '## A\na\n### S\n\n## B\n', 'b', 'A', '## A\na\n### S\nb\n\n## B\n'],
    ['behind subsections', '## A\n### S\n- s\n## B\n', '- b', 'A', '## A\n### S\n- s\n- b\n## B\n'],
    ['a new section', '## A\n- a\n', '- b', 'B', '## A\n- a\n\n## B\n- b\n'],
    ['a new subsection', '## A\n', '- b', '### B', '## A\n\n### B\n- b\n'],
    ['at the end of the document', '## A\n- a\n', '- b', undefined, '## A\n- a\n- b\n'],
    ['in an empty document', '', 'b', undefined, 'b\n'],
    ['without a line break at the end', 'a', 'b', undefined, 'a\n\nb\n'],
    ['nothing', '## A\n- a\n', ' \n\n', 'B', '## A\n- a\n'],
    ['behind an open fence', '## A\n```\n- a\n', '- b', 'A', '## A\n```\n- a\n```\n\n- b\n'],
    ['a list item in a fence is none', '~~~\n- a\n~~~\n', '- b', undefined, '~~~\n- a\n~~~\n\n- b\n'],
    ['a rule is no list item', '---\n', '- b', undefined, '---\n\n- b\n'],
    ['CRLF around it', '## A\r\n- a\r\n## B\r\n', '- b', 'A', '## A\r\n- a\r\n- b\n## B\r\n'],
  ])('%s', (_, content, addition, name, expected) => {
    expect(appendText(content, addition, name)).toBe(expected)
  })

  test('never loses a line, and adds at the end of the section', () => {
    fc.assert(
      fc.property(document, fc.option(section, { nil: undefined }), body, (content, name, text) => {
        const checked = name === undefined ? checkBody('text', text) : allowed(text, name)
        fc.pre(checked !== null && trimmed(checked) !== '')
        const added = trimmed(checked!)
        const appended = appendText(content, checked!, name)
        expect(isSubsequence(linesOf(content), linesOf(appended))).toBe(true)
        if (name === undefined) expect(trimmed(appended).endsWith(added)).toBe(true)
        else {
          const after = readSection(appended, name)!
          expect(after.endsWith(added)).toBe(true)
          expect(after.startsWith(readSection(content, name) ?? '')).toBe(true)
          expect(outside(closeFence(appended), name)).toEqual(outside(closeFence(content), name))
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('checkSectionName', () => {
  test.each([
    ['A', 'A'],
    [' ## 历史摘要 ', '## 历史摘要'],
    ['#tag', '#tag'],
    ['👋'.repeat(100), '👋'.repeat(100)],
  ])('%j', (name, expected) => expect(checkSectionName(name)).toBe(expected))

  test.each([
    '',
    ' \n',
    '#',
    '## ##',
    '#######',
    'a\nb',
    'a\rb',
    'a\u2028b',
    'a\tb',
    'a\0b',
    'a\u009bb',
    '\ud800',
    'x'.repeat(201),
    null,
    undefined,
    7,
    {},
  ])('refuses %j', name => {
    expect(() => checkSectionName(name)).toThrow(InvalidArgumentError)
    expect(() => checkSectionName(name)).toThrow(
      /^section: (?:nothing is given|.* cannot be taken); allowed: .*1 to 200 characters/s,
    )
  })

  test('what it lets through makes a section that is found again', () => {
    const names = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), section, line)
    fc.assert(
      fc.property(document, names, (content, name) => {
        fc.pre(isAllowedName(name))
        expect(readSection(replaceSection(content, name, 'found'), name)).toBe('found')
        expect(readSection(appendText('', 'found', name), name)).toBe('found')
      }),
    )
  })
})

describe('normalizeMarkdown', () => {
  test.each([
    ['', ''],
    [' \r\n\t\u3000\ufeff', ''],
    ['\ufeff# A', '# A\n'],
    ['\0\ufeff\0\ufeffa', 'a\n'],
    ['a\r\nb\rc\nd\r\r\n', 'a\nb\nc\nd\n'],
    ['a\r\0\nb', 'a\nb\n'],
    ['a\ud83d b\udc00', 'a\ufffd b\ufffd\n'],
    ['\ud83d\0\udc4b', '👋\n'],
    ['\n\n  a  \n\n', '\n\n  a\n'],
    ['a\n', 'a\n'],
  ])('%j', (text, expected) => expect(normalizeMarkdown(text)).toBe(expected))

  test('is what it is, once and for all', () => {
    const unit = fc.constantFrom(
      '\ufeff',
      '\r',
      '\n',
      '\0',
      ' ',
      '\t',
      'a',
      '#',
      '\ud83d',
      '\udc4b',
      '\u2028',
      '汉',
    )
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit, maxLength: 20 }), document), text => {
        const once = normalizeMarkdown(text)
        expect(normalizeMarkdown(once)).toBe(once)
        expect(once).not.toMatch(/[\0\r]|^\ufeff|\s\n$|^\n$/)
        expect(once.isWellFormed()).toBe(true)
        expect(once === '' || once.endsWith('\n')).toBe(true)
        expect(once === '').toBe(text.replaceAll('\0', '').trim() === '')
      }),
    )
  })
})

/** As `checkBody` returns it; `null`: it has a heading of another section. */
function allowed(text: string, name: string): string | null {
  try {
    return checkBody('text', text, name)
  } catch {
    return null
  }
}

function isAllowedName(name: string): boolean {
  try {
    return checkSectionName(name) !== ''
  } catch {
    return false
  }
}

const linesOf = (text: string) => text.split(/\r\n?|\n/)

function trimmed(text: string): string {
  const lines = text.split('\n')
  while (lines[0]?.trim() === '') lines.shift()
  while (lines.at(-1)?.trim() === '') lines.pop()
  return lines.join('\n')
}

/** The headings that stand neither in the first section of this name nor above it, with what stands under them. */
function outside(content: string, name: string) {
  const marks = /^(#{1,6}) /.exec(name)?.[1] ?? '##'
  const heading = name.replace(/^#{1,6} /, '').trim()
  const all = listSections(content)
  const index = all.findIndex(each => each.level === marks.length && each.heading === heading)
  const found = index < 0 ? all.length : index
  const isInside = (level: number, position: number) =>
    position >= found &&
    all.slice(found + 1, position + 1).every(each => each.level > marks.length) &&
    (position === found || level > marks.length)
  const isAbove = (level: number, position: number) =>
    position < found &&
    level < marks.length &&
    all.slice(position + 1, found).every(each => each.level > level)
  return all.filter(({ level }, position) => !isInside(level, position) && !isAbove(level, position))
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0
  for (const each of whole) if (found < part.length && each === part[found]) found++
  return found === part.length
}
