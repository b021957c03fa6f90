import { expect, test } from 'vitest'
import { languageOfText, spokenLanguage } from '../../language/index.ts'
import * as document from './index.ts'

const LENGTH = 200_000

const CALLS: readonly ((text: string) => unknown)[] = [
  document.normalizeMarkdown,
  document.listSections,
  document.inertLine,
  document.listLines,
  languageOfText,
  spokenLanguage,
  text => document.readSection(text, 'A'),
  text => document.replaceSection(text, 'A', text),
  text => document.appendText(text, text, 'A'),
  text => document.appendText(text, text),
  text => document.checkBody('content', text),
  text => document.findHeading(text, ['A']),
  text => document.withLines(text, 'A', [`- ${text}`]),
  text => document.withoutLines(text, ['- a']),
  text => document.replaceLines(text, { lines: ['- a'], by: [] }),
  text => document.linesToCondense(text, { budgetTokens: 10, targetTokens: 5 }),
  text => document.clipDocument(text, 500),
]

test.each([
  '#',
  '`',
  '~',
  ' ',
  '\n',
  '\r',
  '- ',
  '-',
  '=',
  '# ',
  '## A\n',
  '```\n',
  '> ',
  '1. ',
  '哈',
  '😀',
  '\ud800',
])('much of %j takes no longer than much of anything else', unit => {
  const text = `${unit.repeat(LENGTH / unit.length)}x`
  for (const call of CALLS) {
    const started = performance.now()
    call(text)
    expect(performance.now() - started).toBeLessThan(30_000)
  }
})
