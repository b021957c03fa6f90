import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Channel } from '@palimpsest/bot/internals/channel'
import { TELEGRAM_CHECKS, type TelegramOptions } from '@palimpsest/bot/internals/channels/telegram/options'
import { RUNTIME_SECTIONS } from '@palimpsest/bot/internals/check-options'
import type { RuntimeOptions } from '@palimpsest/bot/internals/options'
import type { Responder } from '@palimpsest/bot/internals/responder'
import {
  environmentNamespace,
  findSetting,
  type Layer,
  namesWithin,
  tryLayer,
} from 'palimpsest/internals/config/index'
import { InvalidSettingsError } from 'palimpsest/internals/errors'
import { ID_RULE, isId } from 'palimpsest/internals/log/index'
import { withFlatNames } from 'palimpsest/internals/older-names'
import {
  aFunction,
  checked,
  type Field,
  filledIn,
  HIDDEN,
  isObject,
  objectOf,
  Problems,
  text,
} from './bot-fields.ts'

/** The checked content of a bot's file. File names are absolute. */
export interface BotConfig extends Pick<RuntimeOptions, keyof typeof RUNTIME_SECTIONS | 'belongsTo'> {
  /** Either this or `db`. When both are left out, the environment decides. */
  readonly store?: string
  readonly db?: string
  readonly namespace: string
  readonly settings: Layer
  readonly instructions?: string
  readonly channels: readonly (Channel | TelegramConfig)[]
  readonly tools?: Readonly<Record<string, unknown>>
  readonly responder?: Responder
}

interface TelegramConfig extends Omit<TelegramOptions, 'timers'> {
  readonly type: 'telegram'
  readonly name: string
}

/** Throws an error that lists everything that is wrong with the file. */
export function readBotConfig(given: unknown, folder: string): BotConfig {
  const problems = new Problems()
  const read = BOT(given, '', problems) as Partial<BotConfig> | undefined
  const { found } = problems
  if (read && read.channels === undefined && !problems.has('channels'))
    problems.refuse('channels', undefined, CHANNELS_RULE)
  if (read?.db !== undefined && read.store !== undefined)
    problems.refuse('db', written(given, 'db'), 'one of db and store: a file, or a PostgreSQL database')
  if (read?.responder)
    for (const field of ['instructions', 'tools'] as const)
      if (read[field] !== undefined)
        problems.refuse(field, HIDDEN, 'nothing beside a responder of your own, which brings them itself')
  const instructions = readInstructions(read?.instructions, { given, folder, problems })
  refuseStrangers(read ?? {}, given, problems)
  if (found.length > 0) throw new InvalidSettingsError(found)
  const { db, settings = {}, ...rest } = read as BotConfig
  return {
    ...rest,
    namespace: rest.namespace ?? environmentNamespace(),
    ...(db !== undefined && { db: resolve(folder, db) }),
    settings: { ...settings, ...besideFile(settings, folder) },
    ...(instructions !== undefined && { instructions }),
  }
}

/** Files and folders in the settings are relative to the folder of the bot's file. */
function besideFile(settings: Layer, folder: string): Layer {
  const named = ['workspace', 'erasedList', 'backup'].filter(name => typeof settings[name] === 'string')
  return Object.fromEntries(named.map(name => [name, resolve(folder, settings[name] as string)]))
}

/** What the file itself has at this path, before variables were filled in. */
function written(given: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce((value, step) => (value as Readonly<Record<string, unknown>>)[step], given)
}

/** Refuses ids that no sender can have: they would keep everyone out, or let the wrong people in. */
function refuseStrangers(read: Partial<BotConfig>, given: unknown, problems: Problems) {
  const { channels, belongsTo, privates, groups } = read
  if (!channels || belongsTo) return
  const prefixes = channels.flatMap(channel => (channel ? [`${channel.name}:`] : []))
  // The problem with the channels is noted already.
  if (prefixes.length === 0) return
  for (const [place, options] of Object.entries({ privates, groups }))
    for (const field of ['seen', 'triggeredBy'] as const) {
      const ids = options?.[field]
      if (!Array.isArray(ids)) continue
      for (const [index, id] of ids.entries())
        if (!prefixes.some(prefix => id.startsWith(prefix) && id !== prefix))
          problems.refuse(
            `${place}.${field}[${index}]`,
            written(given, place, field, index),
            `an id after a channel's name, as ${prefixes[0]}123456`,
          )
    }
}

function readInstructions(
  read: unknown,
  {
    given,
    folder,
    problems,
  }: { readonly given: unknown; readonly folder: string; readonly problems: Problems },
): string | undefined {
  if (!isObject(read)) return read as string | undefined
  const { file } = read
  if (file === undefined) return undefined
  const at = 'instructions.file'
  const shown = written(given, 'instructions', 'file')
  try {
    const content = readFileSync(resolve(folder, file as string), 'utf8')
      .replace(/^\uFEFF/, '')
      .trim()
    return content === '' ? problems.refuse(at, shown, 'a file that is not empty') : content
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return problems.refuse(at, shown, `a file that can be read, relative to this one's folder (${code})`)
  }
}

/** The sections that the runtime has, with the runtime's own checks. */
const sections = Object.fromEntries(
  Object.entries(RUNTIME_SECTIONS).map(([section, checks]) => [section, objectOf(fieldsOf(checks))]),
)

function fieldsOf(checks: Readonly<Record<string, readonly [string, (value: unknown) => boolean]>>) {
  const rules = Object.entries(checks).map(([name, [allowed, accepts]]) => [
    name,
    checked({ allowed, accepts }),
  ])
  return Object.fromEntries(rules) as Record<string, Field>
}

const [TOKEN_RULE, isToken] = TELEGRAM_CHECKS.token
const [CHANNEL_NAME_RULE, isChannelName] = TELEGRAM_CHECKS.name

/** The fields of each type of channel beside `type`. */
const CHANNEL_TYPES: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  telegram: {
    ...fieldsOf(TELEGRAM_CHECKS),
    token: checked({
      allowed: `${TOKEN_RULE}, best as a variable such as \${TELEGRAM_TOKEN}`,
      accepts: isToken,
      isSecret: true,
    }),
  },
}
const TYPE_NAMES = Object.keys(CHANNEL_TYPES).join(', ')
const METHODS = ['start', 'stop', 'send'] as const
const OWN_CHANNEL_RULE = `a channel of your own with a name and the methods ${METHODS.join(', ')}`
const CHANNELS_RULE = `a list of at least one channel, such as [{ "type": "telegram", "token": "…" }]`

const channels: Field = (given, path, problems) => {
  if (!Array.isArray(given) || given.length === 0) return problems.refuse(path, given, CHANNELS_RULE)
  const read = given.map((item, index) => readChannel(item, `${path}[${index}]`, problems))
  const names = read.map(channel => channel?.name)
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name)
    if (name !== undefined && first < index)
      problems.refuse(`${path}[${index}].name`, name, `a name of its own; ${path}[${first}] has this one`)
  }
  return read
}

function readChannel(given: unknown, path: string, problems: Problems): Channel | TelegramConfig | undefined {
  if (!isObject(given))
    return problems.refuse(
      path,
      HIDDEN,
      `an object with a type of ${TYPE_NAMES}, or in a module ${OWN_CHANNEL_RULE}`,
    )
  if (METHODS.some(method => typeof given[method] === 'function'))
    return readOwnChannel(given, path, problems)
  const { type } = given
  if (typeof type !== 'string' || !Object.hasOwn(CHANNEL_TYPES, type))
    return problems.refuse(`${path}.type`, type, `${TYPE_NAMES}; in a module also ${OWN_CHANNEL_RULE}`)
  const read = objectOf({ type: text(), ...CHANNEL_TYPES[type] })(given, path, problems) as TelegramConfig
  if (read.token === undefined && !problems.has(`${path}.token`))
    problems.refuse(`${path}.token`, undefined, 'the token that @BotFather gave; no bot is without one')
  return { ...read, name: read.name ?? type }
}

function readOwnChannel(
  given: Readonly<Record<string, unknown>>,
  path: string,
  problems: Problems,
): Channel | undefined {
  const missing = METHODS.filter(method => typeof given[method] !== 'function')
  if (missing.length > 0)
    return problems.refuse(path, given, `${OWN_CHANNEL_RULE}; this one has no ${missing.join(', ')}`)
  if (!isChannelName(given['name'])) return problems.refuse(`${path}.name`, given['name'], CHANNEL_NAME_RULE)
  return given as unknown as Channel
}

/**
 * The settings that a bot's file may set. The database stands beside them in the file, and a bot listens on
 * no port.
 */
const SETTING_NAMES = namesWithin('start').filter(
  name => !['db', 'store', 'host', 'port', 'maxBodyBytes'].includes(name),
)

const settings: Field = (written, path, problems) => {
  if (!isObject(written))
    return problems.refuse(path, written, `an object with settings of ${SETTING_NAMES.join(', ')}`)
  const given = withFlatNames(written)
  const known: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const at = `${path}.${name}`
    if (SETTING_NAMES.includes(findSetting(name)?.name ?? '')) known[name] = filledIn(value, at, problems)
    else problems.refuseName(at, name, SETTING_NAMES)
  }
  const { layer, problems: wrong } = tryLayer(known, 'start')
  for (const { setting, allowed } of wrong)
    problems.refuse(`${path}.${setting}`, findSetting(setting)!.secret ? HIDDEN : given[setting], allowed)
  return layer
}

const wholeText = text()
const textFromFile = objectOf({ file: text("the name of a file, relative to this one's folder") })
const instructions: Field = (given, path, problems) => {
  if (isObject(given) && Object.keys(given).length > 0) return textFromFile(given, path, problems)
  if (typeof given === 'string') return wholeText(given, path, problems)
  return problems.refuse(path, given, 'a text, or { "file": "persona.md" }')
}

/** Follows the package `pg`, which also accepts an address without a host. */
function isDatabaseAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !/^postgres(ql)?:\/\//.test(value)) return false
  return URL.canParse(value) || URL.canParse(value.replace('@/', '@host/'))
}

const BOT = objectOf({
  store: checked({
    allowed: 'postgres://user@host/database; for SQLite name the file with db',
    accepts: isDatabaseAddress,
    isSecret: true,
  }),
  db: text("the name of a file, relative to this one's folder"),
  namespace: checked({ allowed: ID_RULE, accepts: isId }),
  settings,
  instructions,
  channels,
  ...sections,
  tools: checked({
    allowed: 'tools by their names, which only a module can hold: name the file .mjs or .ts',
    accepts: value => isObject(value) && Object.values(value).every(isObject),
  }),
  responder: aFunction,
  belongsTo: aFunction,
})
