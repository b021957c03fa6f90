import { createHmac } from 'node:crypto'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { isId, MAX_ID_CHARACTERS } from 'palimpsest/internals/log/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Session, SessionInfo } from 'palimpsest/internals/session'
import type { Laid } from './history.ts'

/**
 * A session with its forks. A fork is made when a client's list contradicts the session; clients go on using
 * the name of the session.
 */
export interface Family {
  readonly named: Session
  /** Newest first. */
  readonly forks: readonly Session[]
  /** Greater than the number of every fork, including forks too old to be looked at. */
  readonly nextNumber: number
}

const MAX_FORKS = 20
const FIRST_FORK = 2
/** Small, since most sessions have no fork. */
const PAGE = 20

/** `null`: the session does not exist yet. */
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

/** The sessions whose ids look like forks of this session. */
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

/** An earlier version gave forks the number alone, without the mark. */
const NUMBER = /^([1-9]\d{0,14})(?:-[0-9a-f]{16})?$/
const MARK_LENGTH = 16

/**
 * Keeps the true forks only. A session of another person may have such an id, so a fork must descend from the
 * session itself or from a fork of it.
 */
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
 * The id of the next fork.
 *
 * The id holds a mark that follows from the secret key. Programs name sessions after people, and people may
 * choose their names. Without the mark, a person could choose a name that is the fork of another person's
 * session.
 *
 * Two processes may choose the same id at the same time; then one of them tries again. An id that is too long
 * for a fork is an error only for a caller who needs a fork.
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

/** Chooses the session for a list: the newest that fits clearly, or else the best of all. */
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
 * Whether `next` is better than `best`; `next` is the older session. The session that has their last reply
 * wins, then the higher score, then the one without contradiction. If all sessions are equal, the newest is
 * continued, but the oldest is forked, so that forks do not descend from each other.
 */
function isBetter(next: Laid, best: Laid): boolean {
  const [isAnchored, wasAnchored] = [next.anchor !== null, best.anchor !== null]
  if (isAnchored !== wasAnchored) return isAnchored
  if (next.score !== best.score) return next.score > best.score
  return best.outcome === 'contradicts'
}
