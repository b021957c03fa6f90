import { splitLines } from '../log/index.ts'
import { isStandIn } from './plausible-value.ts'
import type { Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/** Passwords in the options of commands, where no name stands before them: `curl -u user:…`, `mysql -p…`. */

const MAX_COMMAND = 14
const MAX_LINE = 600

/** The password after an option: quoted, or up to the end of the word. */
const VALUE = `(?:"([^"\\n]{3,128})"|'([^'\\n]{3,128})'|([^\\s"'<>|;]{3,128}))`
/** The same after a name and a colon. */
const AFTER_NAME = `(?:"[^":\\n]{1,64}:([^"\\n]{3,128})"|'[^':\\n]{1,64}:([^'\\n]{3,128})'|[^\\s"':<>|;]{1,64}:([^\\s"'<>|;]{3,128}))`

interface Option {
  readonly commands: string
  readonly option: RegExp
  /** The beginning of the command has to match this too. */
  readonly only?: RegExp
}

const OPTIONS: readonly Option[] = [
  {
    commands: 'curl',
    option: new RegExp(
      `[ \\t](?:-[a-zA-Z]{0,6}[uU][ \\t]{0,4}|--(?:proxy-)?user[ \\t=]{1,4})${AFTER_NAME}`,
      'dg',
    ),
  },
  {
    commands: 'mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump 7z',
    option: new RegExp(`[ \\t]-p${VALUE}`, 'dg'),
  },
  { commands: 'sshpass', option: new RegExp(`[ \\t]-p[ \\t]{0,4}${VALUE}`, 'dg') },
  { commands: 'redis-cli', option: new RegExp(`[ \\t](?:-a|--pass)[ \\t]{1,4}${VALUE}`, 'dg') },
  {
    commands: 'docker podman az',
    option: new RegExp(`[ \\t]-p[ \\t=]{1,4}${VALUE}`, 'dg'),
    only: /^[^\n]{1,40}login/,
  },
  {
    commands: 'mongo mongosh mongodump mongorestore',
    option: new RegExp(`[ \\t]-p[ \\t]{1,4}${VALUE}`, 'dg'),
  },
  { commands: 'sqlcmd unzip zip', option: new RegExp(`[ \\t]-P[ \\t]{1,4}${VALUE}`, 'dg') },
  { commands: 'ldapsearch', option: new RegExp(`[ \\t]-w[ \\t]{1,4}${VALUE}`, 'dg') },
  { commands: 'plink pscp', option: new RegExp(`[ \\t]-pw[ \\t]{1,4}${VALUE}`, 'dg') },
  {
    commands: 'htpasswd',
    option: new RegExp(
      `[ \\t]-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \\t]{1,4}\\S{1,120}[ \\t]{1,4}\\S{1,64}[ \\t]{1,4}${VALUE}`,
      'dg',
    ),
  },
]
const BY_COMMAND: ReadonlyMap<string, Option> = new Map(
  OPTIONS.flatMap(option => option.commands.split(' ').map(command => [command, option] as const)),
)
const COMMANDS = new RegExp(`(?<![\\w./-])(?:${[...BY_COMMAND.keys()].join('|')})(?=[ \\t])`, 'g')

const ANY_COMMAND = new RegExp(COMMANDS.source)

/** Whether one of these commands stands in the text at all. */
export function mayHoldCommand(text: string): boolean {
  return ANY_COMMAND.test(text)
}

export function* findInCommands(text: string, found: Spans): Steps<void> {
  let previous = -1
  for (let from = 0; from < text.length; from += STEP) {
    const part = text.length <= STEP ? text : text.slice(Math.max(0, from - 1), from + STEP + MAX_COMMAND)
    const offset = text.length <= STEP ? 0 : Math.max(0, from - 1)
    for (const { index } of part.matchAll(COMMANDS)) {
      const at = offset + index
      if (at >= from + STEP) break
      if (at < from) continue
      // Up to the next command, so that no part of a line is read twice.
      if (previous !== -1) findInCommand(text, previous, at, found)
      previous = at
    }
    yield
  }
  if (previous !== -1) findInCommand(text, previous, text.length, found)
}

function findInCommand(text: string, start: number, next: number, found: Spans): void {
  const [line = ''] = splitLines(text.slice(start, Math.min(next, start + MAX_LINE)))
  const { option, only } = BY_COMMAND.get(/^[\w-]+/.exec(line)![0])!
  if (only && !only.test(line)) return
  option.lastIndex = 0
  for (let match = option.exec(line); match !== null; match = option.exec(line)) {
    const [from, to] = match.indices!.slice(1).find(place => place !== undefined)!
    const value = line.slice(from, to)
    if (!isStandIn(value) && !/^[-$%{[]/.test(value))
      found.push({ start: start + from, end: start + to, kind: 'password' })
  }
}
