import { describeDefault, describeRight, SETTINGS } from '../../packages/palimpsest/src/config/index.ts'

/** The table of docs/server.md: `node test/server/settings-table.ts` prints it. */
export function settingsTable(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = SETTINGS.map(setting => {
    const { name, reach, help, allowed } = setting
    const where = {
      request: 'request, server',
      session: 'session, server',
      server: 'server',
      start: 'start',
    }[reach]
    return [`\`${name}\``, describeDefault(setting), cell(allowed), where, describeRight(setting), cell(help)]
  })
  const all = [['setting', 'default', 'allowed', 'where', 'in a namespace', 'what it is'], ...rows]
  return markdownTable(all)
}

/** The first row is its head. */
export function markdownTable(all: readonly (readonly string[])[]): string {
  const widths = all[0]!.map((_, column) => Math.max(...all.map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`
  return [line(all[0]!), line(widths.map(width => '-'.repeat(width))), ...all.slice(1).map(line)].join('\n')
}

if (import.meta.main) process.stdout.write(`${settingsTable()}\n`)
