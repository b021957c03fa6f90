import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { categoryName } from '../categories.ts'
import { readData } from '../read-data.ts'

const folderOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

describe.each(['tuned', 'held-out'])('the group chats in %s', name => {
  test('are read, and every answer stands in its evidence', async () => {
    const conversations = await readData([folderOf(name)])
    expect(conversations).toHaveLength(3)
    for (const { name: chat, messages, questions } of conversations) {
      expect(messages.length, chat).toBeGreaterThanOrEqual(120)
      expect(new Set(questions.map(({ question }) => question)).size, chat).toBe(questions.length)
      for (const { question, answer, evidence, category } of questions) {
        const shown = messages.filter(({ externalId }) => evidence.includes(externalId))
        const where = `${chat}: ${question}`
        expect(shown.length, where).toBe(new Set(evidence).size)
        expect(shown.map(({ text }) => text).join('\n'), where).toContain(answer)
        expect(categoryName(category), where).not.toContain('category')
      }
    }
  })

  test('name for what was corrected what it was before, which was said, too', () => {
    for (const file of readdirSync(folderOf(name)).filter(each => each.endsWith('.qa.json'))) {
      const said = readFileSync(folderOf(`${name}/${file.replace('.qa.json', '.jsonl')}`), 'utf8')
      const questions: { answer: string; superseded?: string[] }[] = JSON.parse(
        readFileSync(folderOf(`${name}/${file}`), 'utf8'),
      )
      const superseded = questions.flatMap(each => each.superseded ?? [])
      expect(superseded.length, file).toBeGreaterThanOrEqual(3)
      for (const value of superseded) expect(said, file).toContain(value)
      for (const { answer, superseded: before = [] } of questions)
        for (const value of before) expect(answer, file).not.toContain(value)
    }
  })
})
