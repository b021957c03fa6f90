import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** `docs/described.md` names a test for each of the 95 requirements, and each of them is there. */

const ROW = /^\| (\d+)\. (.+?) +\| `([^`]+)`: (.+?) +\|$/gm
const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/described.md', root), 'utf8')
const rows = [...page.matchAll(ROW)].map(([, number, requirement, file, title]) => ({
  number: Number(number),
  requirement: requirement!,
  file: file!,
  title: title!,
}))

test('the page has a row for each of the 95 requirements, in order', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 95 }, (_, place) => place + 1))
})

test('each test that it names is there, under that title', () => {
  const texts = new Map<string, string>()
  const missing = rows.filter(({ file, title }) => {
    const url = new URL(file, root)
    if (!texts.has(file)) texts.set(file, existsSync(url) ? readFileSync(url, 'utf8') : '')
    return !quotations(title).some(quoted => texts.get(file)!.includes(quoted))
  })
  const told = missing.map(({ number, file, title }) => `${number}: ${file}: ${title}`)
  expect(
    missing.map(({ number }) => number),
    told.join('\n'),
  ).toEqual([])
})

/** As a title can be written in a program. */
function quotations(title: string): readonly string[] {
  return ["'", '"', '`'].map(quote => `${quote}${title}${quote}`)
}
