import Table from 'cli-table3'
import { ABOUT } from './about.ts'
import { CONTESTANTS, type ContestantName, type Finding, type Verdict } from './contestant.ts'
import type { Measured } from './run-probe.ts'

const SIGNS: Readonly<Record<Verdict, string>> = {
  kept: '✓',
  stops: '~',
  wrong: '✗',
  none: '—',
  unknown: '?',
}

export const LEGEND =
  '✓ nothing lost or wrong · ~ a turn fails or waits, nothing acknowledged is lost · ✗ lost, hidden or false · — no such feature'

interface Row {
  readonly title: string
  readonly cells: Readonly<Partial<Record<ContestantName, Finding>>>
}

/** In the order in which they were measured. */
function rowsIn(results: readonly Measured[]): Row[] {
  const rows = new Map<string, Row>()
  for (const { contestant, findings } of results)
    for (const finding of findings) {
      const { cells } = rows.get(finding.row) ?? { cells: {} }
      rows.set(finding.row, { title: finding.row, cells: { ...cells, [contestant]: finding } })
    }
  return [...rows.values()]
}

function cell(finding: Finding | undefined): string {
  return finding ? `${SIGNS[finding.verdict]} ${finding.short}` : ''
}

export function toTable(results: readonly Measured[]): string {
  const table = new Table({
    head: ['', ...CONTESTANTS.map(name => ABOUT[name].title)],
    colWidths: [24, ...CONTESTANTS.map(() => 18)],
    wordWrap: true,
    style: { head: [], border: [] },
  })
  for (const { title, cells } of rowsIn(results))
    table.push([title, ...CONTESTANTS.map(name => cell(cells[name]))])
  return `${table.toString()}\n${LEGEND}`
}

export function toDetails(results: readonly Measured[]): string {
  const lines = rowsIn(results).flatMap(({ title, cells }) => [
    '',
    title,
    ...CONTESTANTS.filter(name => cells[name]?.detail).map(
      name => `  ${ABOUT[name].title}: ${cells[name]!.detail}`,
    ),
  ])
  const reached = [...new Set(results.flatMap(result => result.reached))]
  if (reached.length > 0) lines.push('', `Refused, since only loopback is allowed: ${reached.join(', ')}`)
  return lines.join('\n')
}

/** The part of the page; it says what was measured, and how. */
export function toMarkdown(results: readonly Measured[], versions: Readonly<Record<string, string>>): string {
  const head = ['fault', ...CONTESTANTS.map(name => ABOUT[name].title)]
  const rows = rowsIn(results).map(({ title, cells }) => [
    title,
    ...CONTESTANTS.map(name => cell(cells[name])),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => widthOf(row[column]!))))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text + ' '.repeat(widths[column]! - widthOf(text))).join(' | ')} |`
  const settings = CONTESTANTS.map(name => {
    const { title, packages, setting } = ABOUT[name]
    const named = packages
      .filter(each => each !== 'palimpsest')
      .map(each => `${each} ${versions[each]}`)
      .join(', ')
    return `- **${title}**${named === '' ? '' : ` (${named})`}: ${setting}.`
  })
  const sources = CONTESTANTS.flatMap(name =>
    ABOUT[name].sources.map(source => `- **${ABOUT[name].title}**: ${source}.`),
  )
  return `${line(head)}
${line(widths.map(width => '-'.repeat(width)))}
${rows.map(line).join('\n')}

${LEGEND.replaceAll(' · ', '; ')}.

How it is counted: each message carries a mark, a summariser that works names the marks that it was shown, and so a mark is in the next request (as it was said, or in a summary), or only in a store, or in no place. _Out of context_ means that the messages are kept, and that the model is shown neither them nor anything in their stead, also after the summariser works again. Twenty-five messages are those of thirteen turns, but for the last answer. mem0 stands for the conversation by what it has extracted, so there the memories are counted. An empty answer of OpenAI’s compaction is a list without items; what its summaries say, only OpenAI can read, so a refusal or a cut in them is nothing that a client could see. A kill is a SIGKILL; before seven of the writes of a compaction, and with \`--thorough\` before each of them. What counts as acknowledged is written down by the process that is killed, and the conversation is then opened again and continued. The search needs an embedder in Mastra and in mem0: theirs is one on 127.0.0.1 that hashes characters and pairs of them, which is kind to them; what a real one finds depends on the model.

How each is set up:

${settings.join('\n')}

Where it comes from, as read in their sources:

${sources.join('\n')}`
}

/** In a fixed-width font a Chinese character takes the place of two. */
function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0)
}
