import { Option } from 'commander'
import { InvalidArgumentError, InvalidSettingsError } from '../errors.ts'
import {
  describeParameter,
  type Parameter,
  type Policy,
  PRESET_NAMES,
  PRESETS,
  type PresetName,
  presetFromSettings,
  type SettingsInput,
} from '../policy/index.ts'
import type { Store } from '../store/index.ts'

/** Options that several commands share. */

export const jsonOption = () => new Option('--json', 'print JSON on standard output, and nothing else there')

export const kindOption = () =>
  new Option(
    '--kind <kind>',
    'what the chat is; by default a group where more than one person speaks',
  ).choices(['private', 'group', 'agent'])

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
  if (!PRESET_NAMES.includes(name as PresetName))
    throw new InvalidSettingsError([{ setting: 'policy', value: name, allowed: PRESET_NAMES.join(', ') }])
  return presetFromSettings(name as PresetName, settings)
}

/** Every preset with its settings, for `--help`. */
export function describePresets(): string {
  return PRESET_NAMES.map(name => {
    const parameters = Object.entries<Parameter>(PRESETS[name])
    const lines = parameters.map(([setting, parameter]) => {
      const { help, default: fallback } = parameter
      return `    ${setting.padEnd(24)} ${help} (${fallback ?? 'none'}; ${describeParameter(parameter)})`
    })
    return `  ${name}\n${lines.join('\n')}`
  }).join('\n')
}

export const dbOption = () => new Option('--db <file>', 'the SQLite database').default('palimpsest.db')
export const storeOption = () =>
  new Option('--store <url>', 'a PostgreSQL database instead: postgres://user@host/database')

/** Loaded only when a command needs a store. */
export async function openStore({ db, store: url }: { db: string; store?: string }): Promise<Store> {
  const store =
    url === undefined
      ? (await import('../store/sqlite/index.ts')).sqlite(db)
      : (await import('../store/postgres/index.ts')).postgres(checkUrl(url))
  await store.open()
  return store
}

function checkUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url)) return url
  throw new InvalidArgumentError('--store', url, 'postgres://…; for SQLite name the file with --db')
}
