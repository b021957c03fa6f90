import { expect, test } from 'vitest'
import { markdownBlocks } from './markdown-blocks.ts'

test('headings, lists and paragraphs', () => {
  expect(
    markdownBlocks(
      '# Chat memory\n\n## History\n- one\n  - two\n\n- three\n1. four\n\nText\nof two lines\n\nAnother',
    ),
  ).toEqual([
    { kind: 'heading', level: 1, text: 'Chat memory' },
    { kind: 'heading', level: 2, text: 'History' },
    {
      kind: 'list',
      items: [
        { depth: 0, text: 'one' },
        { depth: 1, text: 'two' },
        { depth: 0, text: 'three' },
        { depth: 0, text: 'four' },
      ],
    },
    { kind: 'paragraph', text: 'Text\nof two lines' },
    { kind: 'paragraph', text: 'Another' },
  ])
})

test('an item may go on in the next line', () => {
  expect(markdownBlocks('- one\n  goes on\nnot this')).toEqual([
    { kind: 'list', items: [{ depth: 0, text: 'one\ngoes on' }] },
    { kind: 'paragraph', text: 'not this' },
  ])
})

test('what stands in fenced code is no heading', () => {
  expect(markdownBlocks('```md\n# not one\n```\n# one')).toEqual([
    { kind: 'code', text: '# not one' },
    { kind: 'heading', level: 1, text: 'one' },
  ])
  expect(markdownBlocks('~~~~\n~~~\nopen to the end')).toEqual([
    { kind: 'code', text: '~~~\nopen to the end' },
  ])
})

test('what means something elsewhere is text here', () => {
  const hostile = '<img src=x onerror=alert(1)>**bold** [link](javascript:alert(1))'
  expect(markdownBlocks(hostile)).toEqual([{ kind: 'paragraph', text: hostile }])
  expect(markdownBlocks('#hash\n-dash')).toEqual([{ kind: 'paragraph', text: '#hash\n-dash' }])
  expect(markdownBlocks('')).toEqual([])
})
