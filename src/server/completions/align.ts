import { interruptionOf } from '../../log/index.ts'
import { fingerprint, type Said } from './fingerprint.ts'

/** A message of the log. */
export interface Known extends Said {
  /** It came another way than through this list: whoever sends the list may never have seen it. */
  readonly isElsewhere: boolean
}

/**
 * `continues`: what theirs has beyond the run is new. `asks-again`: ours has replies beyond it, and theirs nothing:
 * they are to be given anew. `contradicts`: both go on, each in its own way.
 */
type Outcome = 'continues' | 'asks-again' | 'contradicts'

export interface Alignment {
  readonly outcome: Outcome
  /** How many messages agree; 0: none that counts. */
  readonly run: number
  /** The places after the last that agrees. */
  readonly ourEnd: number
  readonly theirEnd: number
}

/** Of a longer list its end is aligned. */
const MOST_OF_THEIRS = 2_000

/**
 * Lays a whole history that a client sends onto the end of the log, by the longest run that both have; of equal ones
 * by the latest of ours, and there by the earliest of theirs: what is said again is new. One message alone is no run,
 * unless the list begins with it. What the client need not know (what came from elsewhere, replies that broke off,
 * replies without words) may stand in ours without breaking the run, and contradicts nothing.
 */
export function alignWhole(ours: readonly Known[], theirs: readonly Said[]): Alignment {
  const known = ours.map(named)
  const { run, ourEnd, theirEnd } = longestRun(known, theirs)
  const rest = ours.slice(ourEnd)
  const isAllTheirs = theirEnd === theirs.length
  if (run > 0 && isAllTheirs && rest.length > 0 && rest.every(isOfReply))
    return { outcome: 'asks-again', run, ourEnd, theirEnd }
  const isUnseen = known.slice(ourEnd).every(({ mayMiss }) => mayMiss)
  return { outcome: isUnseen ? 'continues' : 'contradicts', run, ourEnd, theirEnd }
}

/**
 * A list that is new as a whole may still be sent twice: how many replies at our end are to be given anew, where what
 * stands before them is the list; `null`: it is new. Only replies that broke off are given anew, unless the client
 * says that it tries again.
 */
export function repliesToRepeat(
  ours: readonly Said[],
  theirs: readonly Said[],
  { isRetry }: { readonly isRetry: boolean },
): number | null {
  if (theirs.length === 0) return null
  const sent = theirs.map(fingerprint)
  for (let replies = 0; replies + sent.length <= ours.length; replies++) {
    const last = replies === 0 ? null : ours.at(-replies)!
    if (last && !(isRetry ? isOfReply(last) : isBrokenOff(last))) return null
    const from = ours.length - replies - sent.length
    if (sent.every((name, place) => fingerprint(ours[from + place]!) === name)) return replies
  }
  return null
}

function isOfReply({ role }: Said): boolean {
  return role === 'assistant' || role === 'tool'
}

function isBrokenOff({ role, content }: Said): boolean {
  return role === 'assistant' && interruptionOf(content) !== null
}

interface Named {
  readonly name: string
  readonly mayMiss: boolean
}

function named(message: Known): Named {
  const name = fingerprint(message)
  return { name, mayMiss: message.isElsewhere || name === '' || isBrokenOff(message) }
}

type Run = Pick<Alignment, 'run' | 'ourEnd' | 'theirEnd'>

/** Above any length of a run: the two are told apart in one number. */
const ROW = 4_096

/**
 * By the places of theirs that say the same as each of ours, in one pass over ours. For each place of theirs, `runs`
 * holds the length of the run that ends there and in which row it was written: it is good in that row and the next.
 * A row is one of ours that may not be missed, with those after it that may.
 */
function longestRun(ours: readonly Named[], theirs: readonly Said[]): Run {
  const places = placesByName(theirs, Math.max(0, theirs.length - MOST_OF_THEIRS))
  const runs = new Int32Array(theirs.length + 1)
  let [run, ourEnd, theirEnd] = [0, 0, 0]
  let row = ROW
  for (const [place, { name, mayMiss }] of ours.entries()) {
    const before = row
    if (!mayMiss) row += ROW
    const found = places.get(name)
    if (found === undefined) continue
    // From the last: the place before still says what held before this one of ours.
    for (let index = 0; index < found.length; index++) {
      const end = found[index]! + 1
      const length = Math.max(0, runs[end - 1]! - before) + 1
      runs[end] = mayMiss ? Math.max(runs[end]!, row + length) : row + length
      if (length < run || (length === 1 && end > 1)) continue
      run = length
      ourEnd = place + 1
      theirEnd = end
    }
  }
  return { run, ourEnd, theirEnd }
}

/** The last first. What says nothing is nowhere. */
function placesByName(theirs: readonly Said[], from: number): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (let place = theirs.length - 1; place >= from; place--) {
    const name = fingerprint(theirs[place]!)
    const known = places.get(name)
    if (known) known.push(place)
    else if (name !== '') places.set(name, [place])
  }
  return places
}
