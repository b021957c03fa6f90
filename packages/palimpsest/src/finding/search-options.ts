import { InvalidArgumentError } from '../errors.ts'
import { optionsOf } from '../known-options.ts'
import { ID_RULE, isId, nameKeys, parseInstant, ROLES, type Role, type Sender } from '../log/index.ts'
import type { Accepts } from './best-hits.ts'

export interface SearchOptions {
  /** How many results. Default: 10, at most 100. */
  readonly limit?: number
  /** The `next` of the page before this one. */
  readonly cursor?: string
  /**
   * Only messages of this sender: an id, or a display name, which may fit several people. A role finds
   * messages without a sender.
   */
  readonly sender?: string
  readonly role?: Role
  /**
   * From this instant on, to the minute. A date, or text such as `2026-02-10` or `2026-02-10T14:00` in the
   * zone of the instance.
   */
  readonly after?: Date | string
  /** Before this instant; the instant itself is not included. */
  readonly before?: Date | string
  /** How many messages before and after each result are shown with it. Default: 1, at most 5. */
  readonly neighbours?: number
}

/** Which sessions are searched. Each field narrows the search further. */
export interface SessionsOptions {
  readonly sessions?: readonly string[]
  /** Sessions that belong to this user. */
  readonly user?: string
  readonly scope?: string
}

export const SEARCH = optionsOf<SearchOptions>({
  limit: true,
  cursor: true,
  sender: true,
  role: true,
  after: true,
  before: true,
  neighbours: true,
})

/** Options of a search in all sessions, or in the named ones. */
export const SEARCH_EVERYWHERE = new Set([
  ...SEARCH,
  ...optionsOf<SessionsOptions>({ sessions: true, user: true, scope: true }),
])

export function checkWithin(
  field: string,
  value: unknown,
  { least, most }: { least: number; most: number },
): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
    throw new InvalidArgumentError(field, value, `a whole number from ${least} to ${most}`)
}

export function checkSessions({ sessions, user, scope }: { [Name in keyof SessionsOptions]: unknown }): void {
  if (sessions !== undefined && !Array.isArray(sessions))
    throw new InvalidArgumentError('sessions', sessions, 'a list of ids of sessions')
  for (const id of (sessions as readonly unknown[] | undefined) ?? []) checkId('sessions', id)
  if (user !== undefined) checkId('user', user)
  if (scope !== undefined) checkId('scope', scope)
}

function checkId(field: string, value: unknown): void {
  if (!isId(value)) throw new InvalidArgumentError(field, value, ID_RULE)
}

export function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (typeof cursor !== 'string' || !/^\d{1,9}$/.test(cursor))
    throw new InvalidArgumentError('cursor', cursor, 'what an earlier answer gave as next')
  return Number(cursor)
}

/** Filters by the columns of the index, so it reads no message. */
export function filterOf(
  options: Pick<SearchOptions, 'sender' | 'role' | 'after' | 'before'> & { readonly below?: number },
  zone: string,
): Accepts {
  const { sender, role, below = Number.POSITIVE_INFINITY } = options
  if (role !== undefined && !ROLES.includes(role))
    throw new InvalidArgumentError('role', role, ROLES.join(', '))
  // The index stores times in minutes.
  const from = Math.floor((instantOf('after', options.after, zone) ?? Number.NEGATIVE_INFINITY) / 60_000)
  const until = Math.ceil((instantOf('before', options.before, zone) ?? Number.POSITIVE_INFINITY) / 60_000)
  const isBounded = [from, until, below].some(Number.isFinite)
  if (sender === undefined && role === undefined && !isBounded) return () => undefined
  return ({ index, speakers }) => {
    const isSpeaker = speakers.map(
      speaker =>
        (role === undefined || speaker.role === role) && (sender === undefined || isFrom(speaker, sender)),
    )
    return seq => {
      const minute = index.minutes[seq]!
      return seq < below && isSpeaker[index.speakers[seq]!]! && minute >= from && minute < until
    }
  }
}

function isFrom({ role, sender }: { role: Role; sender: Sender | null }, wanted: string): boolean {
  if (sender === null) return role === wanted
  return bearsId(sender, wanted) || isCalled(sender, wanted)
}

/** The id alone, or behind the name as answers show it. */
function bearsId({ id }: Sender, wanted: string): boolean {
  return id === wanted || wanted.endsWith(` (${id})`)
}

/** A name that looks alike is found too. A caller who means one name cannot see that the other exists. */
function isCalled({ name }: Sender, wanted: string): boolean {
  if (name === undefined) return false
  if (name.toLowerCase() === wanted.toLowerCase()) return true
  const keys = nameKeys(wanted)
  return nameKeys(name).some(key => keys.includes(key))
}

/** The people whom a searched name means. Several people may have it. Empty if the text is an id. */
export function peopleCalled(
  speakers: Iterable<{ readonly sender: Sender | null }>,
  wanted: string,
): readonly Sender[] {
  const people = new Map<string, Sender>()
  for (const { sender } of speakers) {
    if (sender === null) continue
    if (bearsId(sender, wanted)) return []
    if (isCalled(sender, wanted)) people.set(sender.id, sender)
  }
  return [...people.values()]
}

/** A day begins at midnight in the zone of the instance. */
function instantOf(field: string, value: Date | string | undefined, zone: string): number | null {
  if (value === undefined) return null
  const text =
    value instanceof Date ? (Number.isNaN(value.getTime()) ? '' : value.toISOString()) : String(value)
  const instant = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text, zone)
  if (instant === null)
    throw new InvalidArgumentError(
      field,
      value,
      'a day or an instant, such as 2026-02-10 or 2026-02-10T14:00Z',
    )
  return instant
}
