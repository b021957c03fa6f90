import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type { BurstRules } from './bursts.ts'
import type {
  CommandOptions,
  GroupOptions,
  InboxOptions,
  PrivateOptions,
  RuntimeOptions,
  TurnRules,
} from './options.ts'

const FAILURE_TEXT = 'I could not answer that. Please try again later.'

/** The options with every default filled in. */
export interface RuntimeRules {
  readonly bursts: BurstRules
  readonly groupsBy: 'sender' | 'chat'
  readonly privates: PrivateOptions
  readonly groups: GroupOptions & { readonly proactivePerHour: number }
  readonly turns: Required<TurnRules>
  readonly commands: Required<CommandOptions>
}

export function rulesOf({
  inbox = {},
  privates = {},
  groups = {},
  turns = {},
  commands = {},
}: RuntimeOptions): RuntimeRules {
  const { quietMs = 1_500, mostMs = 10_000, groupsBy = 'sender' } = inbox
  const { proactivePerHour = 4 } = groups
  const { during = 'queue', timeoutMs = 120_000, attempts = 4, backoffMs = 2_000 } = turns
  const { failureText = FAILURE_TEXT, concurrency = Infinity, botsPerHour = 0 } = turns
  return {
    bursts: { quietMs, mostMs },
    groupsBy,
    privates,
    groups: { ...groups, proactivePerHour },
    turns: { during, timeoutMs, attempts, backoffMs, failureText, concurrency, botsPerHour },
    commands: { newBeginning: commands.newBeginning ?? ['/new'] },
  }
}

type Check = readonly [allowed: string, accepts: (value: unknown) => boolean]

/** The longest time that a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

const milliseconds: Check = [
  `milliseconds from 0 to ${MAX_TIMER_MS}`,
  value => typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS,
]
const atLeastOne: Check = [
  'a whole number of at least 1',
  value => value === Infinity || (Number.isSafeInteger(value) && (value as number) >= 1),
]
const perHour: Check = [
  'a whole number of at least 0',
  value => Number.isSafeInteger(value) && (value as number) >= 0,
]
const people: Check = [
  "'all', or a list of ids such as telegram:7",
  value => value === 'all' || isTexts(value),
]
const flag: Check = ['true, false', value => typeof value === 'boolean']
const own: Check = ['a function of yours', value => typeof value === 'function']
const oneOf = (...values: readonly string[]): Check => [
  values.join(', '),
  value => values.includes(value as string),
]

const INBOX: Readonly<Record<keyof InboxOptions, Check>> = {
  quietMs: milliseconds,
  mostMs: milliseconds,
  groupsBy: oneOf('sender', 'chat'),
}
const PRIVATES: Readonly<Record<keyof PrivateOptions, Check>> = { seen: people, triggeredBy: people }
const GROUPS: Readonly<Record<keyof GroupOptions, Check>> = {
  seen: [`${people[0]}, or 'addressed'`, value => value === 'addressed' || people[1](value)],
  triggeredBy: people,
  mention: flag,
  reply: flag,
  names: [
    'a list of names that are not empty',
    value => isTexts(value) && value.every(name => name.trim() !== ''),
  ],
  proactive: own,
  proactivePerHour: perHour,
}
const TURNS: Readonly<Record<keyof TurnRules, Check>> = {
  during: oneOf('queue', 'join', 'interrupt'),
  timeoutMs: [
    `milliseconds from 1 to ${MAX_TIMER_MS}`,
    value => milliseconds[1](value) && (value as number) >= 1,
  ],
  attempts: atLeastOne,
  backoffMs: milliseconds,
  failureText: [
    'text that is not empty, or null',
    value => value === null || (typeof value === 'string' && value.trim() !== ''),
  ],
  concurrency: atLeastOne,
  botsPerHour: perHour,
}

const COMMANDS: Readonly<Record<keyof CommandOptions, Check>> = {
  newBeginning: [
    'a list of words such as /new that are not empty; an empty list for no such command',
    value => isTexts(value) && value.every(word => word.trim() !== ''),
  ],
}

/**
 * The options that hold other options, with what each accepts. Also used for options that are read from a
 * file.
 */
export const RUNTIME_SECTIONS = {
  inbox: INBOX,
  privates: PRIVATES,
  groups: GROUPS,
  turns: TURNS,
  commands: COMMANDS,
} as const

const OPTIONS = optionsOf<RuntimeOptions>({
  palimpsest: true,
  channels: true,
  responder: true,
  inbox: true,
  privates: true,
  groups: true,
  turns: true,
  commands: true,
  belongsTo: true,
  refresh: true,
  timers: true,
  onReply: true,
  onError: true,
  onFatal: true,
})

/**
 * Checks what TypeScript would have caught, for callers in plain JavaScript: a misspelt option would have no
 * effect.
 */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  const { palimpsest, channels, responder } = options ?? {}
  if (typeof palimpsest?.session !== 'function')
    throw new InvalidArgumentError('palimpsest', palimpsest, 'what createPalimpsest gave')
  if (typeof responder !== 'function')
    throw new InvalidArgumentError('responder', responder, 'a responder such as modelResponder({ model })')
  checkOptions('createRuntime', options, OPTIONS)
  checkChannels(channels)
  for (const [section, checks] of Object.entries(RUNTIME_SECTIONS))
    checkSection(section, options[section as keyof typeof RUNTIME_SECTIONS], checks)
}

/** Shorter messages hold no sentence, and cannot even hold some single characters. */
const MIN_CHARACTERS = 20

function checkChannels(channels: unknown): void {
  if (!Array.isArray(channels) || channels.some(channel => typeof channel?.send !== 'function'))
    throw new InvalidArgumentError('channels', channels, 'a list of channels such as telegram({ token })')
  const names = channels.map(({ name }) => name)
  for (const [index, name] of names.entries())
    if (typeof name !== 'string' || name === '' || names.indexOf(name) < index)
      throw new InvalidArgumentError('channels', name, 'channels with names, each of them another one')
  for (const { name, mostCharacters: most } of channels)
    if (most !== undefined && !(most >= MIN_CHARACTERS))
      throw new InvalidArgumentError(`${name}.mostCharacters`, most, `at least ${MIN_CHARACTERS}`)
}

function checkSection(section: string, given: object | undefined, checks: Readonly<Record<string, Check>>) {
  if (given === undefined) return
  checkOptions(section, given, new Set(Object.keys(checks)))
  for (const [name, [allowed, accepts]] of Object.entries(checks)) {
    const value = (given as Readonly<Record<string, unknown>>)[name]
    if (value !== undefined && !accepts(value))
      throw new InvalidArgumentError(`${section}.${name}`, value, allowed)
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
}
