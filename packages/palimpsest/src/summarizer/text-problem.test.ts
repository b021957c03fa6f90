import { expect, test } from 'vitest'
import { findTextProblem, isTooShort } from './text-problem.ts'

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
  ['null', 'empty_template'],
  ['undefined', 'empty_template'],
  ['[object Object]', 'empty_template'],
  ['Ok.', 'empty_template'],
  ['The conversation is empty.', 'asks_for_conversation'],
  ['No messages were provided.', 'asks_for_conversation'],
  ["It looks like you haven't provided a conversation.", 'asks_for_conversation'],
  ['I need the conversation to summarize. Could you paste it?', 'asks_for_conversation'],
  ['Could you please paste it here?', 'asks_for_conversation'],
  ['对话内容为空。', 'asks_for_conversation'],
  ['Sorry, something went wrong. Please try again later.', 'error_text'],
  ['Something went wrong.', 'error_text'],
  ['An unexpected error occurred. Please try again.', 'error_text'],
  ['Failed to fetch', 'error_text'],
  ['TypeError: fetch failed', 'error_text'],
  ['Network error.', 'error_text'],
  ['Es tut mir leid, aber ich kann diese Unterhaltung nicht zusammenfassen.', 'refusal'],
  ['Tut mir leid, dabei kann ich nicht helfen.', 'refusal'],
  ['Je suis désolé, mais je ne peux pas résumer cette conversation.', 'refusal'],
  ['Désolée, je ne peux pas vous aider.'.normalize('NFD'), 'refusal'],
  ['Lo siento, pero no puedo ayudar con eso.', 'refusal'],
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
  'Something went wrong with the pump on Friday; Ann replaced it, and Bob paid for the part.',
  'The conversation is about an empty warehouse in Porto, which Ann wants to rent.',
  'Failed to fetch the crates on Friday: Bob goes again on Monday, with the larger van.',
  'Sorry, the song that Bob wrote, is to be played at the wedding on Friday.',
  'The chat is empty of decisions but for one: the crates sail on Friday.',
  'Es tut mir leid, schrieb Ann, und Bob nahm die Entschuldigung an.',
  'Null results in the survey worry Ann; she asks for another one in May.',
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
    'sorry, '.repeat(50_000),
    '[object Object]'.repeat(20_000),
    'no conversation '.repeat(20_000),
  ])
    findTextProblem(text)
  expect(performance.now() - started).toBeLessThan(10_000)
})

test.each(['Ok', 'Done!', 'Summary written.', '好的。', '以下是总结：', '要約しました', '…'])(
  '%j says too little of a long source',
  text => {
    expect(isTooShort(text, 300)).toBe(true)
    expect(isTooShort(text, 299)).toBe(false)
  },
)

test.each([
  '- Ann: forty crates on Friday',
  '- 2026-03-02 陈: 下周二上线',
  '安决定星期五发货到波尔图。',
  '금요일에 레몬 마흔 상자를 보낸다.',
  'แอนส่งมะนาวสี่สิบลังวันศุกร์',
])('%j says enough', text => {
  expect(isTooShort(text, 20_000)).toBe(false)
})

test('how much a text says takes no time either', () => {
  const started = performance.now()
  for (const text of ['a'.repeat(1_000_000), 'a '.repeat(500_000), '安'.repeat(500_000)])
    isTooShort(text, 9999)
  expect(performance.now() - started).toBeLessThan(10_000)
})
