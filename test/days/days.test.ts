import { expect, test } from 'vitest'
import { findDates } from '../../packages/palimpsest/src/summarizer/relative-dates.ts'
import { describeScore, readSentences, scoreDays } from './sentences.ts'

/** Right, wrong and unresolved as at the beginning: docs/decisions/0049-days-that-are-certain.md. */
const MAX_UNRESOLVED = {
  'tuned.txt': 0.2,
  'held-out.txt': 0.2,
  'adversary.txt': 0.35,
  'fresh.txt': 0.35,
  'blind.txt': 0.2,
  'blind-again.txt': 0.2,
  'blind-third.txt': 0.2,
  'blind-fourth.txt': 0.2,
} as const

test.each(Object.entries(MAX_UNRESOLVED))(
  '%s: no day is wrong, and at most %d are left open',
  (file, most) => {
    const sentences = readSentences(file)
    const score = scoreDays(sentences, findDates)
    console.log(`${file}: ${describeScore(score)}`)
    expect(score.wrong).toEqual([])
    expect(score.unresolved.length / score.decidable).toBeLessThanOrEqual(most)
  },
)

test('there are more than nine hundred of them, half of them of days ahead', () => {
  const sentences = Object.keys(MAX_UNRESOLVED).flatMap(readSentences)
  expect(sentences.length).toBeGreaterThan(900)
  const known = sentences.flatMap(({ moment, marks }) =>
    marks.flatMap(({ means }) => (means === null ? [] : [means > moment.at.toISOString().slice(0, 10)])),
  )
  expect(known.filter(Boolean).length).toBeGreaterThanOrEqual(known.length / 2)
})

test('a day of the week that is marked is one', () => {
  const english = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
  for (const file of Object.keys(MAX_UNRESOLVED))
    for (const { text, marks } of readSentences(file))
      for (const { words, means } of marks) {
        if (means?.length !== 10) continue
        const weekday = new Date(`${means}T00:00:00Z`).getUTCDay()
        const named = english.findIndex(name => words.toLowerCase().includes(name))
        const han = /(?:周|星期|礼拜)([一二三四五六日天])/.exec(words)?.[1]
        if (named >= 0) expect({ text, weekday }).toEqual({ text, weekday: named })
        if (han !== undefined)
          expect({ text, weekday }).toEqual({
            text,
            weekday: han === '天' ? 0 : '日一二三四五六'.indexOf(han),
          })
      }
})
