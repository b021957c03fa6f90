import { InvalidArgumentError, UnknownOptionError } from './errors.ts'
import { nearestName } from './nearest-name.ts'

/** The options that a call takes, by name. */
export type KnownOptions = ReadonlySet<string>

/** Every option of a type: one that is left out here, or that the type does not have, does not compile. */
export function optionsOf<Options extends object>(
  names: Readonly<Record<keyof Options & string, true>>,
): KnownOptions {
  return new Set(Object.keys(names))
}

/**
 * What types would have caught, for callers who do without, and for objects that came a long way: a misspelt option
 * would be lost. `of` names the call. One that is `undefined` is not given; what a class keeps beside its own fields is
 * no option.
 */
export function checkOptions(of: string, given: unknown, known: KnownOptions): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InvalidArgumentError(of, given, `an object with ${[...known].join(', ')}`)
  for (const name of Object.keys(given))
    if (!known.has(name) && (given as Readonly<Record<string, unknown>>)[name] !== undefined)
      throw new UnknownOptionError(of, name, { allowed: [...known], meant: meantBy(name, known) })
}

/** What other libraries and older habits call them. The first that a call takes is meant. */
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
/** A shorter name is like almost any other. */
const MIN_NAME_CHARACTERS = 4

/** `null`: none is at all like it. */
export function meantBy(name: string, known: Iterable<string>): string | null {
  const names = [...known]
  const plain = plainName(name.slice(0, MAX_NAME_CHARACTERS))
  const same = names.find(each => plainName(each) === plain)
  const habits = Object.hasOwn(HABITS, plain) ? HABITS[plain]! : []
  const habit = habits.find(each => names.includes(each))
  return same ?? habit ?? (plain.length < MIN_NAME_CHARACTERS ? null : nearestName(plain, names))
}

/** For the words of an error, before all that is allowed. */
export function suggestion(name: string, known: Iterable<string>): string {
  const meant = meantBy(name, known)
  return meant === null ? '' : `${meant} (the nearest); `
}

/** Snake case, kebab case and capitals are no difference. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
