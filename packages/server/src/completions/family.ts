import { createHmac } from 'node:crypto'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { isId, MAX_ID_CHARACTERS } from 'palimpsest/internals/log/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Session, SessionInfo } from 'palimpsest/internals/session'
import type { Laid } from './history.ts'

/** A session and the forks that contradictions made of it, which clients go on calling by its name. */
export interface Family {
  readonly named: Session
  /** The newest first. */
  readonly forks: readonly Session[]
  /** Above all of them, also those that are too old to be looked at. */
  readonly nextNumber: number
}

const MAX_FORKS = 20
const FIRST_FORK = 2
/** Mostly there are none. */
const PAGE = 20

/** `null`: there is no such session yet. */
export async function familyOf(palimpsest: Palimpsest, named: Session): Promise<Family | null> {
  const { id } = named
  if ((await named.info()) === null) return null
  const numbered = await numberedSessions(palimpsest, id)
  const forks = forksAmong(numbered, id)
  return {
    named,
    forks: await Promise.all(forks.slice(0, MAX_FORKS).map(fork => palimpsest.session(fork.info.id).bound())),
    nextNumber: Math.max(FIRST_FORK - 1, ...forks.map(({ number }) => number)) + 1,
  }
}

interface Numbered {
  readonly number: number
  readonly info: SessionInfo
}

/** The sessions that are called as a fork of this one would be. */
async function numberedSessions(palimpsest: Palimpsest, id: string): Promise<readonly Numbered[]> {
  const prefix = `${id}~`
  const numbered: Numbered[] = []
  for (let after = prefix; ; ) {
    const page = await palimpsest.sessions({ after, limit: PAGE })
    for (const info of page) {
      const [, digits] = info.id.startsWith(prefix) ? (NUMBER.exec(info.id.slice(prefix.length)) ?? []) : []
      if (digits !== undefined) numbered.push({ number: Number(digits), info })
    }
    const last = page.at(-1)
    if (page.length < PAGE || !last?.id.startsWith(prefix)) return numbered
    after = last.id
  }
}

/** Forks that an earlier version made have the number alone. */
const NUMBER = /^([1-9]\d{0,14})(?:-[0-9a-f]{16})?$/
const MARK_LENGTH = 16

/** Somebody else's session may have such a name: a fork comes from the session itself, or from a fork of it. */
function forksAmong(numbered: readonly Numbered[], id: string): readonly Numbered[] {
  const oldestFirst = numbered.toSorted((one, other) => one.number - other.number)
  const there = new Set(oldestFirst.map(({ info }) => info.id))
  const kept = new Set([id])
  for (const { id: forkId, origin } of oldestFirst.map(({ info }) => info)) {
    const from = origin?.sessionId
    if (from === undefined) continue
    const isErased = !there.has(from) && from.startsWith(`${id}~`)
    if (kept.has(from) || isErased) kept.add(forkId)
  }
  return oldestFirst.filter(({ info }) => kept.has(info.id)).reverse()
}

/**
 * The id of the next fork. Programs name sessions after people, and a person may choose the name: the mark, which
 * follows from the key, keeps one who is called as a fork of another's session would be out of that fork. Two processes
 * at once choose the same id, and one of them tries again. Only the caller who needs a fork hears that there cannot be
 * any.
 */
export function nextForkId({ named, nextNumber }: Family, key: string): string {
  const mark = createHmac('sha256', key)
    .update(`${nextNumber} ${named.id}`)
    .digest('hex')
    .slice(0, MARK_LENGTH)
  const suffix = `~${nextNumber}-${mark}`
  const id = `${named.id}${suffix}`
  if (isId(id)) return id
  const most = MAX_ID_CHARACTERS - suffix.length
  throw new PalimpsestError(
    'invalid_argument',
    `The list contradicts the session, and the session's id is too long for a fork of it; allowed: an id of at most ${most} characters. Choose a shorter one.`,
    { field: 'x-palimpsest-session', allowed: `at most ${most} characters` },
  )
}

/** The session that a list goes to: the newest that fits without a doubt, or the best of all. */
export async function bestLaid(
  { named, forks }: Family,
  lay: (session: Session, options: { readonly isDeep: boolean }) => Promise<Laid>,
): Promise<Laid> {
  let best: Laid | null = null
  for (const session of [...forks, named]) {
    const laid = await lay(session, { isDeep: session === named })
    if (laid.isClear) return laid
    if (best === null || isBetter(laid, best)) best = laid
  }
  return best!
}

/**
 * `next` is older. Where their last reply is there comes first, then where most agrees, then where nothing contradicts.
 * Of equal ones the newest goes on, and the oldest is forked, so that forks do not descend from each other.
 */
function isBetter(next: Laid, best: Laid): boolean {
  const [isAnchored, wasAnchored] = [next.anchor !== null, best.anchor !== null]
  if (isAnchored !== wasAnchored) return isAnchored
  if (next.score !== best.score) return next.score > best.score
  return best.outcome === 'contradicts'
}
