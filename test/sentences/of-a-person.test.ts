import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { extractive } from '../../packages/palimpsest/src/summarizer/index.ts'

interface Said {
  readonly part: string
  readonly holds: 'profile' | 'preferences' | 'ended' | '-'
  readonly text: string
}

function sentences(): readonly Said[] {
  const lines = readFileSync(new URL('./of-a-person.txt', import.meta.url), 'utf8').split(/\r?\n/)
  let part = ''
  return lines.flatMap(line => {
    part = /^# (\p{Lu})$/u.exec(line)?.[1] ?? part
    const [, holds, text] = /^(profile|preferences|ended|-) \| (.+)$/u.exec(line) ?? []
    return holds && text ? [{ part, holds: holds as Said['holds'], text }] : []
  })
}

async function sectionOf(text: string): Promise<string | null> {
  const { facts } = await extractive().extractFacts!({
    layer: 'user',
    subject: { id: 'u1', name: 'Ann' },
    messages: [
      {
        seq: 1,
        role: 'user',
        sender: { id: 'u1', name: 'Ann' },
        content: text,
        at: new Date('2026-03-02T10:00:00Z'),
        zone: null,
      },
    ],
    sources: new Set([1]),
    known: [],
    zone: 'UTC',
  })
  return facts[0]?.section ?? null
}

/** What holds a fact about who says it, and nothing else, is taken. */
const MIN_PRECISION = 0.97

test('what is taken from everyday sentences is a fact about who says it', async () => {
  const all = sentences()
  expect(all.length).toBeGreaterThanOrEqual(400)
  const wrong: string[] = []
  const missed: string[] = []
  const counts = new Map<string, { taken: number; right: number; facts: number }>()
  for (const { part, holds, text } of all) {
    const section = await sectionOf(text)
    const count = counts.get(part) ?? { taken: 0, right: 0, facts: 0 }
    counts.set(part, count)
    const isRight = holds === 'ended' ? section !== null : section === holds
    if (holds !== '-') count.facts += 1
    if (section !== null) count.taken += 1
    if (section !== null && isRight) count.right += 1
    if (section !== null && !isRight) wrong.push(`${part} ${holds} → ${section}: ${text}`)
    if (section === null && holds !== '-') missed.push(`${part} ${holds}: ${text}`)
  }
  const told = [...counts].map(
    ([part, { taken, right, facts }]) =>
      `${part}: precision ${right}/${taken} = ${(right / taken).toFixed(3)}, recall ${right}/${facts} = ${(right / facts).toFixed(3)}`,
  )
  console.log([...told, '', 'Wrong:', ...wrong, '', 'Missed:', ...missed].join('\n'))
  for (const { taken, right } of counts.values()) expect(right / taken).toBeGreaterThanOrEqual(MIN_PRECISION)
})
