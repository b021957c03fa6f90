import { describe, expect, test } from 'vitest'
import { findSummaryProblem } from './validate-summary.ts'

const check = (text: string, summary = 10, source = 1000, budget = 1000) =>
  findSummaryProblem(text, { summary, source, budget })

describe('what is no summary', () => {
  test.each([
    ['', 'empty'],
    [' \n\t', 'empty'],
    ['Error generating summary', 'error_text'],
    ['Error: the request failed', 'error_text'],
    ['Failed to generate a summary of the conversation.', 'error_text'],
    ['{"error":{"message":"overloaded"}}', 'error_text'],
    ['429 Too Many Requests', 'error_text'],
    ["I'm sorry, but I can't help with that.", 'refusal'],
    ['I cannot assist with summarizing this content.', 'refusal'],
    ['As an AI language model, I …', 'refusal'],
    ['抱歉，我无法总结这段对话。', 'refusal'],
    ['Please provide the conversation that you would like me to summarize.', 'asks_for_conversation'],
    ['I do not see any conversation to summarize.', 'asks_for_conversation'],
    ['请提供对话内容', 'asks_for_conversation'],
    ['<tool_call>{"name":"search"}</tool_call>', 'tool_call'],
    ['{"name": "search", "arguments": {}}', 'tool_call'],
    ['## Decisions\n(none)\n## Open questions\n- None', 'empty_template'],
    ['Decisions: none\nDates: N/A', 'empty_template'],
  ])('%j', (text, problem) => {
    expect(check(text)).toBe(problem)
  })

  test('nor what is far too short for its source, where there was room for more', () => {
    expect(check('Summary done.', 4)).toBe('too_short')
    expect(check('Summary done.', 4, 200)).toBeNull()
    expect(check('Summary done.', 4, 1000, 20)).toBeNull()
  })

  test('nor is what is as long as its source', () => {
    expect(check('- Ann: quite a long one', 500, 500)).toBe('longer_than_source')
    expect(check('- Ann: quite a long one', 500, 5000, 200)).toBe('over_budget')
    expect(check('- Ann: quite a long one', 300, 5000, 200)).toBeNull()
  })
})

describe('what is one', () => {
  test.each([
    ['- 2026-03-02 Ann: The build failed with an error; she restarted it.'],
    ['- Bob: "I cannot help with that on Friday", so they chose Monday.'],
    ['Ann reported the error "429 Too Many Requests" from the summary job and asked Bob to look.'],
    ['- Ann: none of them has the key'],
    ['- 2026-03-02 陈: 下周二上线'],
  ])('%j', text => {
    expect(check(text)).toBeNull()
  })
})
