import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const DOCS = join(import.meta.dirname, '../../docs')
const PAGE = join(DOCS, 'benchmarks.md')

/** Puts what was measured into docs/benchmarks.md, between the marks of its part. */
export function putIntoPage(part: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const [begin, end] = [`<!-- figures: ${part} -->`, `<!-- end: ${part} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`There is no place for "${part}" in ${PAGE}.`)
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`)
}
