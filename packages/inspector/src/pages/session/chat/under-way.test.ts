import { expect, test } from 'vitest'
import { isQuestionIn } from './under-way.ts'

const said = (seq: number, text: string, role: 'user' | 'assistant' = 'user') => ({ seq, text, role })

test('a question is in the log once it is stored, whoever speaks after it', () => {
  const asked = { question: 'yes', afterSeq: 4 }
  expect(isQuestionIn([said(3, 'no'), said(4, 'yes')], asked)).toBe(false)
  expect(isQuestionIn([said(4, 'yes'), said(5, 'yes', 'assistant')], asked)).toBe(false)
  expect(isQuestionIn([said(4, 'yes'), said(5, 'yes'), said(6, 'somebody else')], asked)).toBe(true)
})
