import { Command } from 'commander'
import { jsonOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface KeysFlags {
  readonly db?: string
  readonly store?: string
  readonly json?: true
}

export interface CreateKeyFlags extends KeysFlags {
  readonly scope: string
  readonly namespace?: string
}

export interface RevokeKeyFlags extends KeysFlags {
  readonly namespace?: string
}

export function keysCommand(terminal: Terminal): Command {
  const command = new Command('keys').description(
    'Make, list and revoke the keys that a server asks its callers for.',
  )
  for (const create of [createCommand, listCommand, revokeCommand]) command.addCommand(create(terminal))
  return command.addHelpText(
    'after',
    `
As soon as a database has a key, every call to a server on it needs one. Changes are in force at once, in every
server on the database. list changes nothing: an older database has to be migrated first.

Examples:
  palimpsest keys create telegram-bot
  palimpsest keys list
  palimpsest keys revoke telegram-bot`,
  )
}

/** Loaded when the command runs, so that no other command waits for it. */
const work = () => import('./run-keys.ts')

function createCommand(terminal: Terminal): Command {
  return withStore(
    new Command('create').description(
      'Make a key and print it, this once: only a hash of it is kept. A database that is not there is made.',
    ),
  )
    .argument('<name>', 'for people, in lists and messages')
    .option('--scope <scopes>', 'what it allows: read, write, admin (which is all of them)', 'read,write')
    .option('--namespace <name>', 'the only one that it opens (default: PALIMPSEST_NAMESPACE, or "default")')
    .addHelpText(
      'after',
      `
The key is alone on standard output; what is to be known of it is on standard error.

Examples:
  KEY=$(palimpsest keys create telegram-bot --db palimpsest.db)
  palimpsest keys create dashboard --scope read --namespace customer-7
  palimpsest keys create operator --scope admin --json`,
    )
    .action(async (name: string, flags: CreateKeyFlags) => (await work()).createKey(name, flags, terminal))
}

function listCommand(terminal: Terminal): Command {
  return withStore(
    new Command('list').description('List the keys of all namespaces, without what is secret.'),
  )
    .addHelpText(
      'after',
      `
Examples:
  palimpsest keys list
  palimpsest keys list --store postgres://user@host/database --json`,
    )
    .action(async (flags: KeysFlags) => (await work()).listKeys(flags, terminal))
}

function revokeCommand(terminal: Terminal): Command {
  return withStore(new Command('revoke').description('Take a key away: its next call is refused.'))
    .argument('<key>', 'its id or its name')
    .option('--namespace <name>', 'where it is, if several namespaces have one of that name')
    .addHelpText(
      'after',
      `
Examples:
  palimpsest keys revoke telegram-bot
  palimpsest keys revoke dashboard --namespace customer-7`,
    )
    .action(async (key: string, flags: RevokeKeyFlags) => (await work()).revokeKey(key, flags, terminal))
}

function withStore(command: Command): Command {
  return command
    .option('--db <file>', 'the SQLite database (default: PALIMPSEST_DB, or palimpsest.db)')
    .addOption(storeOption())
    .addOption(jsonOption())
}
