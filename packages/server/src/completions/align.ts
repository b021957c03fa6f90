import { isSame, NOTHING, type Print } from './fingerprint.ts'
import { PlacesByName } from './places-by-name.ts'
import { isTelling, Resemblance } from './resemblance.ts'

/** A message of the log. */
export interface Known extends Print {
  /** It came another way than by this route: whoever sends the list may never have seen it. */
  readonly isElsewhere: boolean
}

/** A list that a client sends as its history. */
export interface Sending {
  readonly prints: readonly Print[]
  /** How many of them there are through the last reply: what follows is what the client says now. */
  readonly answered: number
}

/**
 * `continues`: what theirs has from `theirEnd` on is new. `asks-again`: nothing is, and what ours has from `ourEnd` on
 * are replies, to be given anew. `contradicts`: both go on after `ourEnd` and `theirEnd`, each in its own way.
 */
type Outcome = 'continues' | 'asks-again' | 'contradicts'

export interface Alignment {
  readonly outcome: Outcome
  /** How many messages agree, back from the last that does. */
  readonly score: number
  /** The last reply of theirs is there, at this place, be it decorated; `null`: it is not. */
  readonly anchor: number | null
  /** No other place, and no other session, can fit better. */
  readonly isClear: boolean
  /** The places after the last that agrees. */
  readonly ourEnd: number
  readonly theirEnd: number
}

/** So many messages are enough to know a place by. */
const MAX_STEPS = 200
/** Of a reply that resembles theirs, where one that is the same counts 1. */
const ALIKE_SCORE = 0.75
/** Of all walks together. */
const MAX_STEPS_OF_ALL = 1_000_000

/**
 * Lays a history that a client sends onto the end of the log, by the last reply in it: what follows that is what the
 * client says now, and what is before it only tells which of several places is meant. In doubt something is new:
 * nothing is hidden or left out because it was said before.
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
    // Where ours ends there, others answered meanwhile.
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

/** The last reply of theirs is found: what of the rest is known, and what is left of ours? */
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

/** What theirs says now holds no replies, so those of ours are passed over; so is what may be missing. */
function isUnseen(ours: Known, theirs: Print): boolean {
  if (isMissable(ours)) return true
  return isReply(ours) && !isSame(ours, theirs)
}

function isReply({ role }: Print): boolean {
  return role === 'assistant' || role === 'tool'
}

/** Whoever sends a list need not have it. */
function isMissable({ isElsewhere, isBrokenOff, role, name }: Known): boolean {
  return isElsewhere || isBrokenOff || role === 'system' || name === NOTHING
}

interface Place {
  readonly place: number
  readonly score: number
  /** All that could be compared agrees. */
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

  /** Where ours says the same as this one of theirs: of several, where most before it agrees, and then the latest. */
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
   * The same for the last reply, which a client may have decorated or shortened: then it is the one that resembles it
   * and answers what people said before it. Where it is there as it is, that counts for more.
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
    // Without its question, as where a client drops the oldest messages, the reply alone has to tell.
    return isTelling(ours) && isTelling(theirs) && this.#resemblance.contains(ours, theirs)
  }

  /** What people said last before it. */
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
      // Earlier replies may be what the client made of them: what people said tells.
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
