import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../tokens/index.ts'
import { listLines, replaceLines } from './lines.ts'
import { condensedLine, linesToCondense } from './over-budget.ts'

const STORY = 'Ann told about her new job in Hangzhou and that she cycles to work every day.'
const history = (...days: readonly string[]) =>
  `# Chat memory\n\n## Basic information\n- First contact: 2025-01-01\n\n## History\n${days
    .map(day => `- ${day}: ${STORY}\n`)
    .join('')}`

const OVER = { budgetTokens: 10, targetTokens: 5 }

test('condensedLine', () => {
  expect(condensedLine('2026-01-15', '2026-02-10', 'They\nmet.')).toBe('- 2026-01-15 – 2026-02-10: They met.')
})

describe('linesToCondense', () => {
  test('nothing while the document is within its budget', () => {
    const content = history('2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04')
    const budgetTokens = estimateTokens(content)
    expect(linesToCondense(content, { budgetTokens, targetTokens: 1 })).toBeNull()
    expect(linesToCondense(content, { budgetTokens: budgetTokens - 1, targetTokens: 1 })).not.toBeNull()
    expect(linesToCondense('', { budgetTokens: 0, targetTokens: 0 })).toBeNull()
  })

  test('the oldest by date, then by place; never the newest two', () => {
    const content = `${history('2026-03-01', '2026-01-02', '2026-01-01 – 2026-01-31', '2026-02-01')}- 2026-01-02: b\n`
    expect(linesToCondense(content, OVER)).toEqual({
      lines: [`- 2026-01-01 – 2026-01-31: ${STORY}`, `- 2026-01-02: ${STORY}`, '- 2026-01-02: b'],
      from: '2026-01-01',
      to: '2026-01-31',
      tokens: expect.any(Number),
    })
  })

  test('as many as it takes', () => {
    const content = history(
      ...Array.from({ length: 20 }, (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}`),
    )
    const whole = estimateTokens(content)
    const line = estimateTokens(`- 2026-01-01: ${STORY}\n`)
    const targetTokens = whole - line * 3
    const found = linesToCondense(content, { budgetTokens: whole - 1, targetTokens })!
    expect(found.lines).toHaveLength(4)
    expect(found).toMatchObject({ from: '2026-01-01', to: '2026-01-04', tokens: line * 4 })
  })

  test.each([
    ['three dated lines', history('2026-01-01', '2026-01-02', '2026-01-03')],
    ['none', `${STORY}\n- ${STORY}\n- First contact: 2026-01-01`],
    ['in a fence', `\`\`\`\n${history('2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04')}`],
    ['dates that are none', `- 2026-1-1: ${STORY}\n- 2026-01-01 - 2026-01-02: x\n`.repeat(5)],
  ])('nothing that can go: %s', (_, content) => expect(linesToCondense(content, OVER)).toBeNull())

  test('comes to an end, and keeps the newest', () => {
    const day = fc.integer({ min: 1, max: 28 }).map(number => `2026-02-${String(number).padStart(2, '0')}`)
    const days = fc.array(
      fc.oneof(
        day,
        fc.tuple(day, day).map(pair => pair.sort().join(' – ')),
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: 10, max: 500 }),
        fc.integer({ min: 5, max: 500 }),
        (all, budget, target) => {
          const limits = { budgetTokens: budget, targetTokens: Math.min(budget, target) }
          let content = history(...all)
          for (let rounds = 0; ; rounds++) {
            expect(rounds).toBeLessThanOrEqual(all.length)
            const found = linesToCondense(content, limits)
            if (found === null) break
            const { lines, from, to, tokens } = found
            expect(lines.length).toBeGreaterThanOrEqual(2)
            const dated = listLines(content).filter(line => /^- \d/.test(line))
            const byDay = dated.toSorted((one, other) => (one.slice(2, 12) < other.slice(2, 12) ? -1 : 1))
            const newest = new Set(byDay.slice(-2))
            expect(lines.some(line => newest.has(line))).toBe(false)
            expect(from <= to).toBe(true)
            const rest = [...dated]
            for (const line of lines) rest.splice(rest.indexOf(line), 1)
            for (const line of rest) expect(line.slice(2, 12) >= lines.at(-1)!.slice(2, 12)).toBe(true)
            const isWithin = estimateTokens(content) - tokens * 0.75 <= limits.targetTokens
            expect(isWithin || rest.every(line => newest.has(line))).toBe(true)
            content = replaceLines(content, { lines, by: [condensedLine(from, to, 'Ann')] })!
          }
        },
      ),
    )
  })
})
