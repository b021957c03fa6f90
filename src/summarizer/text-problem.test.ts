import { expect, test } from 'vitest'
import { findTextProblem } from './text-problem.ts'

test.each([
  ['', 'empty'],
  [' \n ', 'empty'],
  ['Error generating summary', 'error_text'],
  ['500: Internal Server Error', 'error_text'],
  ['{"error": {"message": "overloaded"}}', 'error_text'],
  ['<!DOCTYPE html><html>', 'error_text'],
  ['**Too many requests**', 'error_text'],
  ["I'm sorry, but I can't assist with that.", 'refusal'],
  ['I’m sorry, I can’t help with summarizing this.', 'refusal'],
  ['很抱歉，我无法总结这段对话。', 'refusal'],
  ['Please provide the conversation that you would like me to summarize.', 'asks_for_conversation'],
  ['请提供对话内容，我来总结。', 'asks_for_conversation'],
  ['## Decisions\n(none)\n- Facts: n/a\n---', 'empty_template'],
  ['## 决定\n无\n## 事实\n- 没有', 'empty_template'],
  ['<tool_call>{"name":"x"}', 'tool_call'],
  ['{"name": "search", "arguments": {}}', 'tool_call'],
])('%j is no summary: %s', (text, problem) => {
  expect(findTextProblem(text)).toBe(problem)
})

test.each([
  'Ann ships forty crates to Porto on Friday.',
  '安和李雷决定星期五把柠檬运往波尔图，安付款。',
  'Анна отправляет сорок ящиков лимонов в Порту в пятницу.',
  '金曜日にレモンを四十箱ポルトへ送る。',
  '李雷说很抱歉，我无法参加星期五的会议，请安代替他去。',
  'Bob reported an error in the request handler; Ann said that she cannot help with it before Monday.',
  `Ann asked Bob: please send me the text of the contract. ${'He did so, and she signed it. '.repeat(15)}`,
])('%j is one', text => {
  expect(findTextProblem(text)).toBeNull()
})

test('takes no time on what is long and odd', () => {
  const started = performance.now()
  for (const text of [
    `${'-'.repeat(200_000)}x`,
    ' '.repeat(200_000),
    'a: '.repeat(100_000),
    '['.repeat(200_000),
  ])
    findTextProblem(text)
  expect(performance.now() - started).toBeLessThan(1_000)
})
