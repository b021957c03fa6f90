import { Option } from 'commander'
import { environmentNamespace } from 'palimpsest/internals/config/index'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import {
  describeSeveral,
  type Policy,
  type PresetName,
  presetFromSettings,
  presetsOfNumbers,
  readPresetName,
  type SettingsInput,
} from 'palimpsest/internals/policy/index'
import type { Store } from 'palimpsest/internals/store/index'

export const jsonOption = () => new Option('--json', 'print JSON on standard output, and nothing else there')

export const kindOption = () =>
  new Option(
    '--kind <kind>',
    'what the chat is; by default a group where more than one person speaks',
  ).choices(['private', 'group', 'agent'])

export const selfOption = () =>
  new Option(
    '--self <name or id>',
    'who of a Telegram chat is the assistant; in a chat with a bot, the bot is',
  )

export const conversationOption = () =>
  new Option('--conversation <id or title>', 'one conversation of a file that holds several')

export const setOption = () =>
  new Option('--set <name=value>', 'a setting of the policy; may be repeated')
    .argParser((text: string, settings: Record<string, string>) => ({ ...settings, ...parseSetting(text) }))
    .default({}, 'none')

function parseSetting(text: string): Record<string, string> {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('--set', text, 'name=value, such as fullContextTurns=4')
  return { [text.slice(0, equals).trim()]: text.slice(equals + 1).trim() }
}

export function readPolicy(name: string, settings: SettingsInput): Policy {
  return presetFromSettings(readPresetName(name), settings)
}

/**
 * The policy that has these settings, where no policy is named. `null`: the settings fit no single policy.
 */
export function presetOfFlags(names: readonly string[]): PresetName | null {
  const found = presetsOfNumbers(names)
  if (found.size > 1) throw new InvalidArgumentError('--policy', null, describeSeveral(found))
  return [...found.keys()][0] ?? null
}

export const dbOption = () => new Option('--db <file>', 'the SQLite database').default('palimpsest.db')
export const storeOption = () =>
  new Option('--store <url>', 'a PostgreSQL database instead: postgres://user@host/database')

export const namespaceOption = () =>
  new Option('--namespace <name>', 'the tenant: nothing is seen of others').default(environmentNamespace())

export function wholeNumberOption(flags: string, help: string, { least = 1 } = {}): Option {
  const option = new Option(flags, help)
  return option.argParser((text: string) => {
    const value = Number(text)
    if (/^\d{1,15}$/.test(text) && value >= least) return value
    throw new InvalidArgumentError(option.long ?? flags, text, `a whole number of at least ${least}`)
  })
}

/** Loads a database driver only when a command needs a store. */
export async function openStore({
  db,
  store: url,
  queue = false,
}: {
  db: string
  store?: string
  /** On PostgreSQL: every due fold becomes a job. */
  queue?: boolean
}): Promise<Store> {
  const store =
    url === undefined
      ? (await import('palimpsest/internals/store/sqlite/index')).sqlite(db)
      : (await import('palimpsest/internals/store/postgres/index')).postgres(checkUrl(url), { queue })
  await store.open()
  return store
}

export function checkUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url)) return url
  // The address is not shown: it may hold a password.
  throw new InvalidArgumentError('--store', '…', 'postgres://…; for SQLite name the file with --db')
}
