import Table from 'cli-table3'

export interface Heading {
  readonly title: string
  readonly side: 'left' | 'right'
}

export const left = (title: string): Heading => ({ title, side: 'left' })
export const right = (title: string): Heading => ({ title, side: 'right' })

/** The space between two columns. */
export const GAP = '  '

const NOTHING = {
  ...{ top: '', 'top-left': '', 'top-mid': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-left': '', 'bottom-mid': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', right: '', 'right-mid': '' },
}
const CHARACTERS = { ...NOTHING, middle: GAP, mid: '─', 'mid-mid': '─'.repeat(GAP.length) }

/** A table with a line under its headings and no other lines. */
export function drawTable(headings: readonly Heading[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    chars: CHARACTERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: headings.map(({ side }) => side),
  })
  table.push(
    headings.map(({ title }) => ({ content: title, vAlign: 'bottom' as const })),
    ...rows.map(row => [...row]),
  )
  const lines = table.toString().split('\n')
  const rule = lines.findIndex(isRule)
  return lines
    .filter((line, index) => index === rule || !isRule(line))
    .map(line => `${line.trimEnd()}\n`)
    .join('')
}

/** The line under the headings is as wide as the table. */
export function tableWidth(table: string): number {
  return table.split('\n').find(isRule)?.length ?? 0
}

function isRule(line: string): boolean {
  return /^─+$/.test(line)
}
