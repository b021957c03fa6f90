import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findSetting, type Layer, namesWithin, tryLayer } from '../config/index.ts'
import { InvalidSettingsError } from '../errors.ts'
import { ID_RULE, isId } from '../log/index.ts'
import type { Channel } from '../runtime/channel.ts'
import { RUNTIME_SECTIONS } from '../runtime/check-options.ts'
import type {
  GroupOptions,
  InboxOptions,
  PrivateOptions,
  RuntimeOptions,
  TurnRules,
} from '../runtime/options.ts'
import type { Responder } from '../runtime/responder.ts'
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
  wholeNumber,
} from './bot-fields.ts'

/** What a bot's file says, checked; names of files are whole. */
export interface BotConfig {
  /** Either this or `db`; none of both: as the environment says. */
  readonly store?: string
  readonly db?: string
  readonly namespace: string
  readonly settings: Layer
  readonly instructions?: string
  readonly channels: readonly (Channel | TelegramConfig)[]
  readonly inbox?: InboxOptions
  readonly privates?: PrivateOptions
  readonly groups?: GroupOptions
  readonly turns?: TurnRules
  readonly tools?: Readonly<Record<string, unknown>>
  readonly responder?: Responder
  readonly belongsTo?: NonNullable<RuntimeOptions['belongsTo']>
}

interface TelegramConfig {
  readonly type: 'telegram'
  readonly name: string
  readonly token: string
  readonly apiRoot?: string
  readonly pollTimeoutSec?: number
  readonly editEveryMs?: number
}

/** Throws with everything that is wrong with it. */
export function readBotConfig(given: unknown, folder: string): BotConfig {
  const problems = new Problems()
  const read = BOT(given, '', problems) as Partial<BotConfig> | undefined
  const { found } = problems
  if (isObject(given) && given['channels'] === undefined)
    problems.refuse('channels', undefined, CHANNELS_RULE)
  if (read?.db !== undefined && read.store !== undefined)
    problems.refuse('db', read.db, 'one of db and store: a file, or a PostgreSQL database')
  if (read?.responder)
    for (const field of ['instructions', 'tools'] as const)
      if (read[field] !== undefined)
        problems.refuse(field, HIDDEN, 'nothing beside a responder of your own, which brings them itself')
  const instructions = readInstructions(read?.instructions, folder, problems)
  refuseStrangers(read ?? {}, problems)
  if (found.length > 0) throw new InvalidSettingsError(found)
  const { db, settings = {}, ...rest } = read as BotConfig
  const workspace = settings['workspace']
  return {
    ...rest,
    namespace: rest.namespace ?? 'default',
    ...(db !== undefined && { db: resolve(folder, db) }),
    settings:
      typeof workspace === 'string' ? { ...settings, workspace: resolve(folder, workspace) } : settings,
    ...(instructions !== undefined && { instructions }),
  }
}

/** An id that nobody can have would keep everybody out, or somebody in. */
function refuseStrangers({ channels, belongsTo, privates, groups }: Partial<BotConfig>, problems: Problems) {
  if (!channels || belongsTo) return
  const prefixes = channels.flatMap(channel => (channel ? [`${channel.name}:`] : []))
  for (const [place, options] of Object.entries({ privates, groups }))
    for (const field of ['seen', 'triggeredBy'] as const) {
      const ids = options?.[field]
      if (!Array.isArray(ids)) continue
      for (const [index, id] of ids.entries())
        if (!prefixes.some(prefix => id.startsWith(prefix)))
          problems.refuse(
            `${place}.${field}[${index}]`,
            id,
            `an id after a channel's name, as ${prefixes[0]}${id}`,
          )
    }
}

function readInstructions(given: unknown, folder: string, problems: Problems): string | undefined {
  if (!isObject(given)) return given as string | undefined
  const file = given['file']
  if (file === undefined) return undefined
  const at = 'instructions.file'
  try {
    const content = readFileSync(resolve(folder, file as string), 'utf8')
      .replace(/^\uFEFF/, '')
      .trim()
    return content === '' ? problems.refuse(at, file, 'a file that is not empty') : content
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return problems.refuse(at, file, `a file that can be read, relative to this one's folder (${code})`)
  }
}

/** As the runtime has them. */
const sections = Object.fromEntries(
  Object.entries(RUNTIME_SECTIONS).map(([section, checks]) => [section, objectOf(fieldsOf(checks))]),
)

function fieldsOf(checks: (typeof RUNTIME_SECTIONS)[keyof typeof RUNTIME_SECTIONS]) {
  const rules = Object.entries(checks).map(([name, [allowed, accepts]]) => [
    name,
    checked({ allowed, accepts }),
  ])
  return Object.fromEntries(rules) as Record<string, Field>
}

const CHANNEL_NAME_RULE = '1 to 64 letters, digits, -, _ and .'
const isChannelName = (value: unknown) => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)

/** The fields of each type of channel beside `type`. */
const CHANNEL_TYPES: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  telegram: {
    name: checked({ allowed: CHANNEL_NAME_RULE, accepts: isChannelName }),
    token: checked({
      allowed: 'the token that @BotFather gave, best as a variable such as $' + '{TELEGRAM_TOKEN}',
      accepts: value => typeof value === 'string' && /^\d+:[\w-]{20,}$/.test(value),
      isSecret: true,
    }),
    apiRoot: checked({
      allowed: 'an address such as https://api.telegram.org',
      accepts: value => /^https?:$/.test(URL.parse(String(value))?.protocol ?? ''),
    }),
    pollTimeoutSec: wholeNumber(1, 50),
    editEveryMs: wholeNumber(1),
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
  const { type, ...options } = given
  if (typeof type !== 'string' || !Object.hasOwn(CHANNEL_TYPES, type))
    return problems.refuse(`${path}.type`, type, `${TYPE_NAMES}; in a module also ${OWN_CHANNEL_RULE}`)
  const read = objectOf({ type: text(), ...CHANNEL_TYPES[type] })(given, path, problems) as TelegramConfig
  if (options['token'] === undefined)
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

/** Those that a bot knows: where it stores stands beside them, and it listens nowhere. */
const SETTING_NAMES = namesWithin('start').filter(
  name => !['db', 'store', 'host', 'port', 'maxBodyBytes'].includes(name),
)

const settings: Field = (given, path, problems) => {
  if (!isObject(given))
    return problems.refuse(path, given, `an object with settings of ${SETTING_NAMES.join(', ')}`)
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
  if (isObject(given)) return textFromFile(given, path, problems)
  if (typeof given === 'string') return wholeText(given, path, problems)
  return problems.refuse(path, given, 'a text, or { "file": "persona.md" }')
}

const BOT = objectOf({
  store: checked({
    allowed: 'postgres://user@host/database; for SQLite name the file with db',
    accepts: value => /^postgres(ql)?:\/\//.test(String(value)),
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
