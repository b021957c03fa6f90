import { InvalidArgumentError, UnknownOptionError } from './errors.ts'
import { nearestName } from './nearest-name.ts'

/** The options that a call takes, by name. */
export type KnownOptions = ReadonlySet<string>

/**
 * Every option of a type. It does not compile if an option is missing here, or if the type does not have it.
 */
export function optionsOf<Options extends object>(
  names: Readonly<Record<keyof Options & string, true>>,
): KnownOptions {
  return new Set(Object.keys(names))
}

/**
 * Finds at run time what types find at compile time, for callers without types and for objects that passed
 * through untyped code. Otherwise a misspelt option would be lost. `of` names the call. An option that is
 * `undefined` counts as not given. Inherited fields of a class are no options.
 */
export function checkOptions(of: string, given: unknown, known: KnownOptions): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InvalidArgumentError(of, given, `an object with ${[...known].join(', ')}`)
  for (const name of Object.keys(given))
    if (!known.has(name) && (given as Readonly<Record<string, unknown>>)[name] !== undefined)
      throw new UnknownOptionError(of, name, { allowed: [...known], meant: meantBy(name, known) })
}

/** Names from other libraries and older habits. The first option that the call takes is meant. */
const HABITS: Readonly<Record<string, readonly string[]>> = {
  system: ['instructions'],
  systemprompt: ['instructions'],
  prompt: ['instructions'],
  maxtokens: ['budget', 'tokens', 'outputReserve'],
  contextwindow: ['budget', 'windowTokens'],
  window: ['windowTokens', 'budget'],
  k: ['limit', 'finds'],
  topk: ['limit', 'finds'],
  max: ['limit', 'finds'],
  count: ['limit', 'points'],
  size: ['limit'],
  offset: ['after', 'cursor'],
  since: ['after'],
  from: ['after', 'fromSeq'],
  until: ['before'],
  to: ['before', 'toSeq'],
  name: ['sender', 'author', 'id'],
  userid: ['user'],
  scopeid: ['scope'],
  sessionid: ['session', 'sessions', 'id'],
  tenant: ['namespace'],
  timezone: ['zone'],
  tz: ['zone'],
  type: ['kind'],
  db: ['store'],
  database: ['store'],
  model: ['summarizer'],
  llm: ['summarizer', 'model'],
  summariser: ['summarizer'],
  timestamp: ['at'],
  createdat: ['at'],
  date: ['at'],
  parts: ['content'],
  message: ['content'],
  messageid: ['externalId'],
  id: ['externalId', 'segment'],
  abortsignal: ['signal'],
  timeout: ['timeoutMs', 'summarizerTimeoutMs'],
}

const MAX_NAME_CHARACTERS = 60
/** A shorter name is similar to almost any other. */
const MIN_NAME_CHARACTERS = 4

/** The option that was probably meant. `null`: none is similar. */
export function meantBy(name: string, known: Iterable<string>): string | null {
  const names = [...known]
  const plain = plainName(name.slice(0, MAX_NAME_CHARACTERS))
  const same = names.find(each => plainName(each) === plain)
  const habits = Object.hasOwn(HABITS, plain) ? HABITS[plain]! : []
  const habit = habits.find(each => names.includes(each))
  return same ?? habit ?? (plain.length < MIN_NAME_CHARACTERS ? null : nearestName(plain, names))
}

/** For the text of an error, before the list of all that is allowed. */
export function suggestion(name: string, known: Iterable<string>): string {
  const meant = meantBy(name, known)
  return meant === null ? '' : `${meant} (the nearest); `
}

/** Ignores the differences of snake case, kebab case and capitals. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
