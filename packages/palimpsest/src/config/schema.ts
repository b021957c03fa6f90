import { isLanguageSetting, LANGUAGE_RULE } from '../language/index.ts'
import { GROUP_TURN_MESSAGES, isId, isZone } from '../log/index.ts'
import { olderNames } from '../older-names.ts'
import {
  DEFAULT_VERBATIM_BELOW_TOKENS,
  describeParameter,
  MAX_VERBATIM_BELOW_TOKENS,
  type Parameter,
  PRESET_NAMES,
  PRESETS,
  type PresetName,
  readParameter,
} from '../policy/index.ts'
import { DURATION_RULE, readDuration } from './duration.ts'
import { isModelName, MODEL_NAME_RULE } from './model-name.ts'
import { environmentName, type NamespaceRight, type Reach, type Setting } from './setting.ts'

/** One parameter of one preset, as the policies define it. `null`: that preset does not have it. */
export function presetParameter(preset: PresetName, name: string): Parameter | null {
  return (PRESETS[preset] as Readonly<Record<string, Parameter>>)[name] ?? null
}

/** A name such as `budget` is a parameter of several presets. Each has its own default. */
function parameterSetting(name: string): Setting {
  const presets = PRESET_NAMES.filter(preset => presetParameter(preset, name) !== null)
  const parameters = presets.map(preset => presetParameter(preset, name)!)
  const first = parameters[0]!
  const allowed = describeParameter(first)
  return {
    name,
    environment: environmentName(name),
    reach: 'request',
    namespace: 'free',
    default: first.default,
    allowed,
    help: first.help,
    type: first.oneOf ? 'string' : first.integer ? 'integer' : 'number',
    presets,
    aliases: olderNames(name),
    // A value is accepted if one of the presets accepts it. The chosen policy makes the last check.
    read: given => {
      const reads = parameters.map(parameter => readParameter(parameter, given))
      return reads.find(read => 'value' in read) ?? { allowed }
    },
  }
}

interface Plain<Default> {
  readonly reach?: Reach
  /** Left out: `free`, or `fixed` for a setting that is set only at the start. */
  readonly namespace?: NamespaceRight
  readonly freeWithKey?: true
  readonly default: Default
  readonly help: string
  readonly secret?: true
}

/** @typeParam Value What `read` returns for a valid input. */
function plainSetting<Name extends string, Value>(
  name: Name,
  { reach = 'server', namespace = reach === 'start' ? 'fixed' : 'free', ...plain }: Plain<unknown>,
  kind: Pick<Setting, 'allowed' | 'read' | 'type'>,
): Setting<Name, Value> {
  const named = { name, environment: environmentName(name), aliases: olderNames(name) }
  return { ...named, reach, namespace, ...plain, ...kind } as Setting<Name, Value>
}

type NumberCheck = Omit<Parameter, 'default' | 'help' | 'oneOf'>

function numberSetting<Name extends string, const Check extends NumberCheck>(
  name: Name,
  { check, ...plain }: Plain<number | null> & { check: Check },
) {
  const parameter = { default: null, help: plain.help, ...check }
  type MayBeNone = Check extends { optional: true } | { offAtZero: true } ? null : never
  return plainSetting<Name, number | MayBeNone>(name, plain, {
    allowed: describeParameter(parameter),
    read: given => readParameter(parameter, given),
    type: check.integer ? 'integer' : 'number',
  })
}

const MAX_TEXT = 20_000

interface TextRules<Default> extends Plain<Default> {
  readonly allowed: string
  readonly accepts: (text: string) => boolean
}

function textSetting<Name extends string, Default extends string | null>(
  name: Name,
  { allowed, accepts, ...plain }: TextRules<Default>,
) {
  return plainSetting<Name, string | Extract<Default, null>>(name, plain, {
    allowed,
    read: given =>
      plain.default === null && (given === null || given === 'none')
        ? { value: null }
        : typeof given === 'string' && given.length <= MAX_TEXT && isStorable(given) && accepts(given)
          ? { value: given }
          : { allowed },
    type: 'string',
  })
}

/** `none`: in words, what an unset value stands for, if there is no other default. */
function choiceSetting<
  Name extends string,
  const Choice extends string,
  Default extends NoInfer<Choice> | null,
>(name: Name, { choices, none, ...plain }: Plain<Default> & { choices: readonly Choice[]; none?: string }) {
  return textSetting(name, {
    ...plain,
    allowed: choices.join(', ') + (none === undefined ? '' : `, or none ${none}`),
    accepts: text => choices.includes(text as Choice),
  }) as Setting<Name, Choice | Extract<Default, null>>
}

/** Text with one value a line, as it is stored; or a list. */
function linesSetting<Name extends string>(name: Name, rules: TextRules<null>) {
  const setting = textSetting(name, rules)
  return {
    ...setting,
    read: (given: unknown) => {
      if (!Array.isArray(given)) return setting.read(given)
      const isList = given.every(each => typeof each === 'string')
      return isList ? setting.read(given.join('\n')) : { allowed: rules.allowed }
    },
  }
}

/** Text separated by commas; or a list, as it is stored. */
function listSetting<Name extends string>(
  name: Name,
  {
    allowed,
    accepts,
    spell = text => text.toLowerCase(),
    ...plain
  }: TextRules<null> & { readonly spell?: (text: string) => string },
) {
  return plainSetting<Name, readonly string[] | null>(name, plain, {
    allowed,
    read: given => {
      if (given === null || given === 'none') return { value: null }
      const parts: readonly unknown[] = Array.isArray(given) ? given : String(given).split(',')
      if (!isText(given) && !Array.isArray(given)) return { allowed }
      if (!parts.every(isText)) return { allowed }
      const items = parts.map(item => spell(item.trim()))
      return items.every(accepts) ? { value: [...new Set(items)] } : { allowed }
    },
    type: 'string',
  })
}

function isText(given: unknown): given is string {
  return typeof given === 'string' && given.length <= MAX_TEXT && isStorable(given)
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** A URL with a user or a password is refused, because the value is shown. */
function isHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Scheme, host and port as a browser sends them, and nothing more. */
function isOrigin(text: string): boolean {
  return isHttpUrl(text) && URL.parse(text)?.origin === text
}

/** A host name or an address. IPv6 stands in brackets. */
function isHostName(text: string): boolean {
  return /^([\w-]+\.)*[\w-]+$|^\[[\da-f:.]+\]$/.test(text)
}

/** The same limit as an instance has. */
const MAX_NAMESPACE = 200

/**
 * The defaults are those of `packages/palimpsest/src/memory/budgets.ts`. Nothing here may import that file.
 */
function memoryTokens<Name extends string>(name: Name, usual: number, help: string) {
  return numberSetting(name, {
    default: usual,
    check: { integer: true, above: 99 },
    help: `tokens of ${help}; its oldest lines are condensed above that`,
  })
}

/** The limit is for one hour of the clock and for each model. */
function spendLimit<Name extends string>(name: Name, what: string) {
  return numberSetting(name, {
    namespace: 'max',
    default: null,
    check: { integer: true, above: -1, below: 1_000_000_000_001, offAtZero: true },
    help: `${what}; above that folds are made without the model and extractions wait`,
  })
}

/**
 * The ids in the setting `memoryOwner`. The setting stays one text, because an older program takes it for one
 * id.
 */
export function ownerIds(text: string): readonly string[] {
  return text.split(',').map(id => id.trim())
}

const PARAMETER_NAMES = [...new Set(PRESET_NAMES.flatMap(preset => Object.keys(PRESETS[preset])))]

/**
 * Every setting. This one table serves the environment, the server, the command line's help and the
 * documentation.
 */
const DECLARED = [
  choiceSetting('policy', {
    reach: 'request',
    default: 'tokens',
    choices: PRESET_NAMES,
    help: 'when to fold: one of the presets',
  }),
  ...PARAMETER_NAMES.map(parameterSetting),
  textSetting('zone', {
    default: 'UTC',
    allowed: 'an IANA time zone such as "Asia/Shanghai"',
    accepts: isZone,
    help: 'in which times without an offset are taken',
  }),
  textSetting('language', {
    reach: 'session',
    default: 'auto',
    allowed: LANGUAGE_RULE,
    accepts: isLanguageSetting,
    help: 'in which language the engine writes into contexts, memory and tools: by what is said, or always this one; in force with the next epoch',
  }),
  numberSetting('groupTurnMessages', {
    default: GROUP_TURN_MESSAGES,
    check: { integer: true, above: 0 },
    help: 'in groups a turn is also complete after so many messages without a reply',
  }),
  textSetting('model', {
    namespace: 'fixed',
    freeWithKey: true,
    default: null,
    allowed: `${MODEL_NAME_RULE}, or none for the built-in extractive summariser`,
    accepts: isModelName,
    help: 'the language model that writes the summaries; none: the built-in extractive summariser',
  }),
  textSetting('modelBaseUrl', {
    namespace: 'fixed',
    freeWithKey: true,
    default: null,
    allowed: 'an address such as http://127.0.0.1:11434/v1, or none',
    accepts: isHttpUrl,
    help: "where the model's API is; openai-compatible needs it",
  }),
  textSetting('modelApiKey', {
    namespace: 'fixed',
    default: null,
    secret: true,
    allowed: 'a key of printable characters, or none',
    accepts: text => /^[\x21-\x7e]+$/.test(text),
    help: "the key for the model's API; stored as it is, never shown; sent only to the address and the provider that it was given for",
  }),
  textSetting('fallbackModel', {
    namespace: 'fixed',
    freeWithKey: true,
    default: null,
    allowed: `${MODEL_NAME_RULE}, or none`,
    accepts: isModelName,
    help: 'asked where the model fails; with the same address and key',
  }),
  listSetting('allowedModels', {
    namespace: 'fixed',
    default: null,
    allowed: 'models such as anthropic:claude-haiku-4-5, separated by commas, or none',
    accepts: isModelName,
    spell: text => text,
    help: "the models that a namespace may choose on the server's own key; none: only the model that the environment names",
  }),
  numberSetting('modelTimeoutSec', {
    namespace: 'max',
    default: 120,
    check: { above: 0, below: 3_601 },
    help: 'seconds that a summary may take, a second try included',
  }),
  numberSetting('modelWindow', {
    namespace: 'fixed',
    freeWithKey: true,
    default: null,
    check: { integer: true, above: 3_999, optional: true },
    help: "tokens of the model's window; longer sources are read in pieces; none: 32000",
  }),
  numberSetting('verbatimBelowTokens', {
    reach: 'request',
    default: DEFAULT_VERBATIM_BELOW_TOKENS,
    check: { integer: true, above: 0, below: MAX_VERBATIM_BELOW_TOKENS + 1 },
    help: 'what has fewer tokens is kept word for word, without a call, until more has come to be summarised together',
  }),
  spendLimit('summaryCallsPerHour', 'calls of the model in an hour, for summaries and memory'),
  spendLimit('summaryTokensPerHour', 'tokens that these may take in an hour'),
  spendLimit('sessionSummaryCallsPerHour', 'the same calls for one session'),
  spendLimit('sessionSummaryTokensPerHour', 'the same tokens for one session'),
  linesSetting('memoInstructions', {
    default: null,
    allowed: `text of at most ${MAX_TEXT} characters, or a list of texts, or none`,
    accepts: text => text.trim() !== '',
    help: 'what the memo of a session has to hold, one instruction a line',
  }),
  choiceSetting('extract', {
    default: null,
    choices: ['turn', 'batch', 'off'],
    none: 'for turn with the policy rounds and batch with others',
    help: 'when user and scope memory are extracted: after each turn, in batches, or never',
  }),
  choiceSetting('scopeLearnsFrom', {
    default: 'shared',
    choices: ['shared', 'all'],
    help: "from which sessions a workspace's memory is learned: those that are no private chats, or all, so that what is said in private is shown in the whole workspace",
  }),
  textSetting('memoryOwner', {
    default: null,
    allowed: 'user ids, separated by commas, or none',
    accepts: text => ownerIds(text).every(isId),
    help: 'in whose private chats the model may write what everybody sees (write_memory); none: in no chat',
  }),
  choiceSetting('ownerSharesIn', {
    default: 'private',
    choices: ['private', 'groups'],
    help: 'where those owners share what everybody sees: in their private chats alone, or in groups, too, when what they say there is answered',
  }),
  choiceSetting('redact', {
    reach: 'start',
    default: 'secrets',
    choices: ['secrets', 'off'],
    help: 'what is taken out before anything is stored: keys, tokens, passwords and card numbers, or nothing',
  }),
  numberSetting('personaTokens', {
    default: 2_000,
    check: { integer: true, above: 99 },
    help: 'tokens of the persona; what is above that is not shown',
  }),
  memoryTokens('globalMemoryTokens', 1_500, 'global memory'),
  memoryTokens('userMemoryTokens', 800, "a person's memory"),
  memoryTokens('scopeMemoryTokens', 1_000, "a workspace's memory"),
  memoryTokens('chatMemoryTokens', 1_200, "a chat's memory"),
  memoryTokens('dailyLogTokens', 500, "a chat's log of a day"),
  numberSetting('outputReserve', {
    reach: 'request',
    default: 0,
    check: { integer: true, above: -1, below: 100_000_001 },
    help: "tokens of a context's budget that are left for the reply",
  }),
  numberSetting('maxBodyBytes', {
    namespace: 'max',
    default: 16 * 1024 * 1024,
    check: { integer: true, above: 1_023, below: 512 * 1024 * 1024 + 1 },
    help: 'how large the body of a request may be',
  }),
  numberSetting('maxHeldBodyBytes', {
    reach: 'start',
    default: 128 * 1024 * 1024,
    check: { integer: true, above: 1_048_575, below: 2 ** 40 + 1 },
    help: 'how much the bodies of all requests under way may hold together, one caller at most half of it; above that a request is answered with 503',
  }),
  numberSetting('rateLimit', {
    namespace: 'max',
    default: null,
    check: { integer: true, above: -1, below: 1_000_001, offAtZero: true },
    help: 'requests a minute from one key, or from one address without; off this machine 1200 unless set',
  }),
  textSetting('db', {
    reach: 'start',
    default: 'palimpsest.db',
    allowed: 'the name of a file',
    accepts: text => text !== '',
    help: 'the SQLite database',
  }),
  textSetting('store', {
    reach: 'start',
    default: null,
    // The URL may hold a password.
    secret: true,
    allowed: 'postgres://user@host/database; for SQLite name the file with db',
    accepts: text => /^postgres(ql)?:\/\//.test(text),
    help: 'a PostgreSQL database instead of the file',
  }),
  choiceSetting('queue', {
    reach: 'start',
    default: 'on',
    choices: ['on', 'off'],
    help: 'on PostgreSQL, whether folds are jobs of a queue that all workers share; off: each process folds what it appends',
  }),
  numberSetting('foldWorkers', {
    reach: 'start',
    default: 4,
    check: { integer: true, above: -1, below: 65 },
    help: 'how many sessions this process folds at a time; 0: none, workers do',
  }),
  numberSetting('foldLeaseSec', {
    reach: 'start',
    default: 60,
    check: { above: 0, below: 3_601 },
    help: 'seconds without a sign of life after which another process takes over a fold',
  }),
  textSetting('workspace', {
    reach: 'start',
    default: null,
    allowed: 'the name of a folder, or none',
    accepts: text => text !== '',
    help: 'a folder in which the memory is kept as files, to be read and edited',
  }),
  textSetting('erasedList', {
    reach: 'start',
    default: null,
    allowed: 'the name of a file, or none',
    accepts: text => text !== '',
    help: 'the list of what was erased, for restores of older backups; none: beside the SQLite database, and for PostgreSQL none',
  }),
  numberSetting('eventRetentionDays', {
    reach: 'start',
    default: 30,
    check: { integer: true, above: 0, below: 36_501, optional: true },
    help: 'days that events are kept for those who read them, of all namespaces; none: for ever',
  }),
  textSetting('backup', {
    reach: 'start',
    default: null,
    allowed: 'the name of a folder, or none',
    accepts: text => text !== '',
    help: 'a folder in which the SQLite database is backed up at intervals',
  }),
  textSetting('backupEvery', {
    reach: 'start',
    default: '24h',
    allowed: DURATION_RULE,
    accepts: text => readDuration(text) !== null,
    help: 'how long after a backup the next one is made',
  }),
  numberSetting('backupKeep', {
    reach: 'start',
    default: 7,
    check: { integer: true, above: 0, below: 100_001 },
    help: 'how many backups of the database are kept in that folder; the oldest above that are removed',
  }),
  textSetting('host', {
    reach: 'start',
    default: '127.0.0.1',
    allowed: 'a name or an address of this machine',
    accepts: text => /^[^\s/]+$/.test(text),
    help: 'where the server listens',
  }),
  numberSetting('port', {
    reach: 'start',
    default: 8787,
    check: { integer: true, above: -1, below: 65_536 },
    help: 'the port of the server; 0: any that is free',
  }),
  textSetting('namespace', {
    reach: 'start',
    default: 'default',
    allowed: `text of 1 to ${MAX_NAMESPACE} characters without NUL and lone surrogates`,
    accepts: text => isId(text) && text.length <= MAX_NAMESPACE,
    help: 'the tenant of those who need no key, and of the workspace',
  }),
  listSetting('allowedHosts', {
    reach: 'start',
    default: null,
    allowed: 'names without a port, separated by commas, or none',
    accepts: isHostName,
    help: 'the names under which the server answers; none: those of this machine, and off it any',
  }),
  listSetting('corsOrigins', {
    reach: 'start',
    default: null,
    allowed: 'origins such as https://app.example.com, separated by commas, or none',
    accepts: isOrigin,
    help: 'the sites whose pages may call from a browser',
  }),
  choiceSetting('trustProxy', {
    reach: 'start',
    default: 'off',
    choices: ['on', 'off'],
    help: 'whether a proxy of yours says in x-forwarded-for who calls',
  }),
] as const

export const SETTINGS: readonly Setting[] = DECLARED

/** The type of each setting after it was read. Parameters of policies are also values by their names. */
export type SettingValues = {
  readonly [Each in (typeof DECLARED)[number] as Each['name']]: Each extends Setting<string, infer Value>
    ? Value
    : never
}

const BY_NAME = new Map(
  SETTINGS.flatMap(setting => [setting.name, ...setting.aliases].map(name => [name, setting])),
)

/** Finds a setting by its name or by an older name. */
export function findSetting(name: string): Setting | undefined {
  return BY_NAME.get(name)
}
