import { isSame, NOTHING, type Print } from './fingerprint.ts'
import { PlacesByName } from './places-by-name.ts'
import { isTelling, Resemblance } from './resemblance.ts'

/** A message of the log. */
export interface Known extends Print {
  /** The message did not come by this route, so the client that sends the list may never have seen it. */
  readonly isElsewhere: boolean
}

/** The history that a client sends. */
export interface Sending {
  readonly prints: readonly Print[]
  /** How many of the messages there are up to and with the last reply. The client says the rest now. */
  readonly answered: number
}

/**
 * How the client's list ("theirs") lies on the log ("ours").
 * - `continues`: the messages of theirs from `theirEnd` on are new.
 * - `asks-again`: theirs has nothing new. The messages of ours from `ourEnd` on are replies, and the client
 *   wants them generated again.
 * - `contradicts`: both lists go on after `ourEnd` and `theirEnd`, but with different messages.
 */
type Outcome = 'continues' | 'asks-again' | 'contradicts'

export interface Alignment {
  readonly outcome: Outcome
  /** How many messages agree, counted backwards from the last one that agrees. */
  readonly score: number
  /** The place of their last reply in ours, even if it is decorated in theirs. `null`: ours lacks it. */
  readonly anchor: number | null
  /** No other place and no other session can fit better. */
  readonly isClear: boolean
  /** The places right after the last message that agrees. */
  readonly ourEnd: number
  readonly theirEnd: number
}

/** The comparison walks back over at most this many messages: they are enough to identify a place. */
const MAX_STEPS = 200
/** The score of a reply that only resembles theirs. An equal reply scores 1. */
const ALIKE_SCORE = 0.75
/** A limit for all walks of one alignment together. */
const MAX_STEPS_OF_ALL = 1_000_000

/**
 * Lays the history that a client sends onto the end of the log. The anchor is the last reply in that
 * history. What follows the anchor is what the client says now. What stands before the anchor only
 * tells which of several places is meant. In doubt a message counts as new: no message is hidden or
 * left out because it was said before.
 */
export function alignWhole(
  ours: readonly Known[],
  { prints, answered }: Sending,
  { isWholeLog }: { readonly isWholeLog: boolean },
): Alignment {
  const search = new Search(ours, prints, isWholeLog)
  const anchor = search.bestReply(answered - 1)
  if (anchor) return goingOn(ours, prints, { ...anchor, answered })
  for (let place = answered - 2; place >= 0 && !search.isOver; place--) {
    const found = search.bestPlace(place)
    const isFirst = place === 0 && found?.place === 0 && isWholeLog
    if (!found || (found.score < 2 && !isFirst)) continue
    // If ours ends there, the replies in between are not from this server: another program gave them.
    const isOurEnd = ours.slice(found.place + 1).every(isMissable)
    return {
      ...{
        outcome: isOurEnd ? 'continues' : 'contradicts',
        score: found.score,
        anchor: null,
        isClear: false,
      },
      ...{ ourEnd: found.place + 1, theirEnd: place + 1 },
    }
  }
  const isAllNew = ours.every(isMissable)
  const outcome = isAllNew ? 'continues' : 'contradicts'
  return { outcome, score: 0, anchor: null, isClear: ours.length === 0, ourEnd: 0, theirEnd: 0 }
}

interface Anchored extends Place {
  readonly answered: number
}

/**
 * The last reply of theirs is found. Decides which later messages are known, and which of ours are left over.
 */
function goingOn(
  ours: readonly Known[],
  theirs: readonly Print[],
  { place, score, isCertain, answered }: Anchored,
): Alignment {
  let ourEnd = place + 1
  let theirEnd = answered
  for (let at = ourEnd; theirEnd < theirs.length; at = ourEnd) {
    while (at < ours.length && isUnseen(ours[at]!, theirs[theirEnd]!)) at += 1
    if (at === ours.length || !isSame(ours[at]!, theirs[theirEnd]!)) break
    ourEnd = at + 1
    theirEnd += 1
  }
  const rest = ours.slice(ourEnd)
  const left = rest.filter(message => !isMissable(message))
  const isAllKnown = theirEnd === theirs.length
  const common = { score, anchor: place, ourEnd, theirEnd }
  if (!left.every(isReply)) return { ...common, outcome: 'contradicts', isClear: false }
  const asksAgain = isAllKnown && rest.length > 0 && rest.every(each => isReply(each) && !each.isElsewhere)
  if (asksAgain) return { ...common, outcome: 'asks-again', isClear: isCertain }
  return { ...common, outcome: 'continues', isClear: isCertain && left.length === 0 }
}

/**
 * The part of theirs that is said now holds no replies, so replies of ours are
 * skipped. Missable messages are skipped too.
 */
function isUnseen(ours: Known, theirs: Print): boolean {
  if (isMissable(ours)) return true
  return isReply(ours) && !isSame(ours, theirs)
}

function isReply({ role }: Print): boolean {
  return role === 'assistant' || role === 'tool'
}

/** The client's list may lack this message. */
function isMissable({ isElsewhere, isBrokenOff, role, name }: Known): boolean {
  return isElsewhere || isBrokenOff || role === 'system' || name === NOTHING
}

interface Place {
  readonly place: number
  readonly score: number
  /** Every pair that could be compared agrees. */
  readonly isCertain: boolean
}

class Search {
  readonly #ours: readonly Known[]
  readonly #theirs: readonly Print[]
  readonly #isWholeLog: boolean
  readonly #places: PlacesByName
  readonly #resemblance = new Resemblance()
  #steps = 0

  constructor(ours: readonly Known[], theirs: readonly Print[], isWholeLog: boolean) {
    this.#ours = ours
    this.#theirs = theirs
    this.#isWholeLog = isWholeLog
    this.#places = new PlacesByName(ours)
  }

  get isOver(): boolean {
    return this.#steps >= MAX_STEPS_OF_ALL
  }

  /**
   * The place where ours says the same as this message of theirs. Among several places, the one with the most
   * agreement before it wins; among equals, the latest.
   */
  bestPlace(theirPlace: number): Place | null {
    const theirs = this.#theirs[theirPlace]
    if (theirs === undefined) return null
    let best: Place | null = null
    for (const place of this.#places.sameAs(theirs)) {
      const { score, isCertain } = this.#walkBack(place, theirPlace)
      if (best === null || score > best.score) best = { place, score, isCertain }
      if (this.isOver) break
    }
    return best
  }

  /**
   * Like `bestPlace`, for the last reply of theirs. A client may have decorated or shortened
   * that reply. Then the match is a reply that resembles it and answers the same words of
   * people. An exact match counts for more.
   */
  bestReply(theirPlace: number): Place | null {
    const exact = this.bestPlace(theirPlace)
    if (exact?.isCertain || this.#theirs[theirPlace]?.role !== 'assistant') return exact
    const alike = this.#bestAlike(theirPlace)
    return alike !== null && alike.score > (exact?.score ?? 0) ? alike : exact
  }

  #bestAlike(theirPlace: number): Place | null {
    let best: Place | null = null
    for (let place = this.#ours.length - 1; place >= 0 && !this.isOver; place--) {
      this.#steps += 1
      if (!this.#isAlike(place, theirPlace)) continue
      const { score } = this.#walkBack(place - 1, theirPlace - 1)
      const all = score + ALIKE_SCORE
      if (best === null || all > best.score) best = { place, score: all, isCertain: false }
    }
    return best
  }

  #isAlike(ourPlace: number, theirPlace: number): boolean {
    const [ours, theirs] = [this.#ours[ourPlace]!, this.#theirs[theirPlace]!]
    if (ours.role !== 'assistant') return false
    if (this.#answersTheSame(ourPlace, theirPlace)) return this.#resemblance.resembles(ours, theirs)
    // The question may be missing, because some clients drop the oldest
    // messages. Then the reply alone has to tell.
    return isTelling(ours) && isTelling(theirs) && this.#resemblance.contains(ours, theirs)
  }

  /** Both replies follow the same last message of people. */
  #answersTheSame(ourPlace: number, theirPlace: number): boolean {
    let [at, their] = [ourPlace - 1, theirPlace - 1]
    while (at >= 0 && (isReply(this.#ours[at]!) || isMissable(this.#ours[at]!))) at -= 1
    while (their >= 0 && isReply(this.#theirs[their]!)) their -= 1
    const [ours, theirs] = [this.#ours[at], this.#theirs[their]]
    return ours !== undefined && theirs !== undefined && isSame(ours, theirs)
  }

  #walkBack(ourPlace: number, theirPlace: number): Omit<Place, 'place'> {
    let [at, their, score] = [ourPlace, theirPlace, 0]
    let isCertain = true
    for (let step = 0; step < MAX_STEPS; step++) {
      this.#steps += 1
      const [ours, theirs] = [this.#ours[at], this.#theirs[their]]
      if (theirs === undefined) return { score, isCertain }
      if (ours === undefined) return { score, isCertain: isCertain && this.#isWholeLog }
      if (isSame(ours, theirs)) {
        score += 1
        at -= 1
        their -= 1
        continue
      }
      const maySkipOurs = isMissable(ours) || ours.isOnTheWay
      // A client may have changed earlier replies, so a different reply does not end
      // the walk. What people said decides.
      if (!maySkipOurs && !theirs.isOnTheWay && ours.role === 'assistant' && theirs.role === 'assistant') {
        score += this.#resemblance.resembles(ours, theirs) ? ALIKE_SCORE : 0
        isCertain = false
        at -= 1
        their -= 1
        continue
      }
      if (!maySkipOurs && !theirs.isOnTheWay) return { score, isCertain: false }
      if (maySkipOurs) at -= 1
      if (theirs.isOnTheWay && (!maySkipOurs || (ours.isOnTheWay && ours.role === theirs.role))) their -= 1
    }
    return { score, isCertain }
  }
}
