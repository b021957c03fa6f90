import { DatabaseSync } from 'node:sqlite'
import { STOP_WORDS } from '../../packages/palimpsest/src/search/index.ts'
import type { Conversation } from '../conversation.ts'
import { MAX_RESULTS, type Outcome, outcomeOf } from './figures.ts'
import { measuredQuestions } from './measured-questions.ts'

/** What a plain full-text index gives: stemmed words, stop words taken out, any of the others, best first. */
export function searchWithFts5(conversation: Conversation): Outcome[] {
  const database = new DatabaseSync(':memory:')
  try {
    database.exec(`CREATE VIRTUAL TABLE messages USING fts5(text, tokenize = 'porter unicode61')`)
    const insert = database.prepare('INSERT INTO messages (rowid, text) VALUES (?, ?)')
    for (const [place, { text }] of conversation.messages.entries()) insert.run(place + 1, text)
    const select = database.prepare(
      `SELECT rowid FROM messages WHERE messages MATCH ? ORDER BY rank, rowid LIMIT ${MAX_RESULTS}`,
    )
    return measuredQuestions(conversation).map(question => {
      const expression = anyWordOf(question.question)
      const found = expression === '' ? [] : select.all(expression)
      return outcomeOf(
        question,
        found.map(({ rowid }) => Number(rowid)),
      )
    })
  } finally {
    database.close()
  }
}

function anyWordOf(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = words.filter(word => word.length > 1 && !STOP_WORDS.has(word))
  return (telling.length > 0 ? telling : words).map(word => `"${word}"`).join(' OR ')
}
