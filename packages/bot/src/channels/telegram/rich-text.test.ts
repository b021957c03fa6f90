import type { RichMessage } from 'grammy/types'
import { expect, test } from 'vitest'
import { richText } from './rich-text.ts'

test('the words of a rich message, a block a line', () => {
  const blocks = [
    { type: 'heading', size: 1, text: 'Looms' },
    {
      type: 'paragraph',
      text: [
        'Of ',
        { type: 'bold', text: ['wood', ' '] },
        { type: 'custom_emoji', custom_emoji_id: '1', alternative_text: '🪵' },
      ],
    },
    { type: 'divider' },
    {
      type: 'list',
      items: [
        { label: '1.', blocks: [{ type: 'paragraph', text: 'Warp' }] },
        { label: '2.', blocks: [{ type: 'mathematical_expression', expression: 'x^2' }] },
      ],
    },
    { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'Weft' }], credit: 'Ada' },
    {
      type: 'table',
      cells: [
        [{ text: 'a' }, { text: 'b' }],
        [{}, { text: 'd' }],
      ],
    },
  ] as unknown as RichMessage['blocks']
  expect(richText({ blocks })).toBe(
    ['Looms', 'Of wood 🪵', '1. Warp', '2. x^2', 'Weft', 'Ada', 'a | b', ' | d'].join('\n'),
  )
})

test('no rich message', () => {
  expect(richText(undefined)).toBe('')
})
