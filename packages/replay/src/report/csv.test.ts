import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryComparison } from '../../../../test/browser/arbitrary-comparison.ts'
import { exampleComparison } from '../../../../test/browser/example-comparison.ts'
import { COLUMNS, comparisonCsv } from './csv.ts'

/** RFC 4180, strictly: every line ends with CRLF, and quotes stand only around whole cells. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y
  for (let place = 0; place < text.length; ) {
    cell.lastIndex = place
    const found = cell.exec(text)!
    row.push(found[1]?.replaceAll('""', '"') ?? found[2]!)
    place += found[0].length
    if (text[place] === ',') place += 1
    else if (text.startsWith('\r\n', place)) {
      rows.push(row)
      row = []
      place += 2
    } else throw new Error(`Neither a comma nor a line's end at ${place}`)
  }
  return rows
}

function parseRecords(text: string): Record<string, string>[] {
  const [header, ...rows] = parseCsv(text)
  return rows.map(row => Object.fromEntries(row.map((cell, index) => [header![index]!, cell])))
}

test('a row for each run, then one for each point of the sweep', () => {
  const comparison = exampleComparison()
  const records = parseRecords(comparisonCsv(comparison))
  expect(records.map(record => record['kind'])).toEqual([
    ...comparison.runs.map(run => run.kind),
    ...comparison.sweep!.points.map(() => 'sweep'),
  ])
  expect(records[2]).toMatchObject({
    name: 'rounds fullContextTurns=6',
    policy: 'rounds',
    settings: 'fullContextTurns=6',
    currency: '$',
    memo_calls: '0',
  })
  expect(records.at(-1)).toMatchObject({
    kind: 'sweep',
    name: 'rounds fullContextTurns=16',
    settings: 'fullContextTurns=16',
    messages: '',
    reply_calls: '',
  })
})

test('the parts add up to the money', () => {
  for (const record of parseRecords(comparisonCsv(exampleComparison('none')))) {
    const parts = ['input', 'cache_write', 'cached_input', 'output', 'memory']
    const sum = parts.reduce((total, part) => total + Number(record[`${part}_money`]), 0)
    expect(sum).toBeCloseTo(Number(record['money']), 9)
  }
})

test('any comparison can be read back', () => {
  fc.assert(
    fc.property(arbitraryComparison, comparison => {
      const rows = parseCsv(comparisonCsv(comparison))
      expect(rows[0]).toEqual(COLUMNS)
      for (const row of rows) expect(row).toHaveLength(COLUMNS.length)
      const records = parseRecords(comparisonCsv(comparison))
      for (const [index, run] of comparison.runs.entries()) {
        expect(records[index]!['name']).toBe(run.name)
        expect(records[index]!['money']).toMatch(/^\d+(\.\d+)?$/)
        expect(Number(records[index]!['money']) - run.cost.total).toBeLessThanOrEqual(run.cost.total * 1e-12)
        expect(Number(records[index]!['peak_context_tokens'])).toBeCloseTo(run.tokens.peakContext, 3)
      }
    }),
  )
})
