import { findSetting } from '../../packages/palimpsest/src/config/index.ts'
import { OLDER_NAMES } from '../../packages/palimpsest/src/older-names.ts'
import { markdownTable } from './settings-table.ts'

/** The table of docs/policies.md: `node test/server/older-names-table.ts` prints it. */
export function olderNamesTable(): string {
  const rows = Object.entries(OLDER_NAMES).map(([name, older]) => [
    `\`${name}\``,
    older.map(each => `\`${each}\``).join(', '),
    (findSetting(name)?.presets ?? ['the memo']).join(', '),
  ])
  return markdownTable([['setting', 'older names, the newest first', 'of'], ...rows])
}

if (import.meta.main) process.stdout.write(`${olderNamesTable()}\n`)
