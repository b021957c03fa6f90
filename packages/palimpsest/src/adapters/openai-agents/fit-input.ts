import type { AgentInputItem } from '@openai/agents'
import type { Language } from '../../language/index.ts'
import { contentLinks, findCuts } from '../../log/index.ts'
import { asItem } from './item-format.ts'
import { framedText } from './memory-notes.ts'
import { clipItem, isResult, measureItem, stubResult, type Where } from './shorten-item.ts'
import { toMessage } from './to-message.ts'

/**
 * The share of the room that is filled once something has to be left out. Then the next steps of the run have
 * room, and the prefix holds.
 */
const FILLED_SHARE = 0.75
/** The tokens that are shown of a result that has to be shown. */
const MIN_CLIP_TOKENS = 200

/**
 * What an input leaves out. The next input of the same run leaves out the same: the prefix breaks only to
 * leave out more.
 */
export interface LeftOut {
  /** Everything before this place is left out, except memory's notes. */
  readonly before: number
  /** The places of results that are only named. */
  readonly stubbed: ReadonlySet<number>
}

export const NOTHING_LEFT_OUT: LeftOut = { before: 0, stubbed: new Set() }

export interface FitOptions {
  readonly room: number
  /** This many items existed before this run. */
  readonly history: number
  readonly earlier: LeftOut
  /** The language of the notes in place of what is left out. */
  readonly language: Language
}

export interface Fitted {
  readonly items: readonly AgentInputItem[]
  readonly leftOut: LeftOut
}

/**
 * Items within the room, as far as that is possible. First the results of this run's tools go, oldest first;
 * then those of earlier runs; then whole turns before this run. At last the newest results are clipped. What
 * the user says now stays, and no call loses its result.
 */
export function fitInput(items: readonly AgentInputItem[], options: FitOptions): Fitted {
  return new Fitting(items, options).fit()
}

class Fitting {
  readonly #items: AgentInputItem[]
  readonly #tokens: number[]
  readonly #room: number
  readonly #where: Where
  /**
   * The first item that is new in this run: what is asked now. It is stored as it is sent, so it stays as it
   * is.
   */
  readonly #asked: number
  /** The first item that the model said in this run. */
  readonly #answer: number
  /** The first item after the last call: the newest output of tools. */
  readonly #newest: number
  readonly #stubbed = new Set<number>()
  #before: number

  constructor(items: readonly AgentInputItem[], { room, history, earlier, language }: FitOptions) {
    this.#items = [...items]
    this.#room = room
    this.#where = { seq: null, language }
    this.#tokens = items.map(measureItem)
    this.#asked = history
    const answer = items.findIndex((item, place) => place >= history && isSaidByModel(item))
    this.#answer = answer === -1 ? items.length : answer
    this.#newest = items.findLastIndex(item => !isResult(item)) + 1
    this.#before = earlier.before
    for (const place of earlier.stubbed) this.#stub(place)
  }

  fit(): Fitted {
    if (this.#total() > this.#room) this.#leaveOut(this.#room * FILLED_SHARE)
    if (this.#total() > this.#room) this.#clipResults()
    return {
      items: this.#shown().map(place => this.#items[place]!),
      leftOut: { before: this.#before, stubbed: this.#stubbed },
    }
  }

  #leaveOut(wanted: number): void {
    this.#stubWithin(this.#answer, this.#newest, wanted)
    this.#stubWithin(0, this.#asked, wanted)
    this.#leaveStartOut(wanted, place => isQuestion(this.#items[place]!))
    // From one long turn the beginning is left out, but no thought stays without its result.
    if (this.#total() > this.#room)
      this.#leaveStartOut(this.#room, place => !isThought(this.#items[place - 1]))
  }

  #total(): number {
    return this.#shown().reduce((sum, place) => sum + this.#tokens[place]!, 0)
  }

  #shown(): readonly number[] {
    return [...this.#items.keys()].filter(place => place >= this.#before || this.#isNote(place))
  }

  #isNote(place: number): boolean {
    return framedText(this.#items[place]!) !== null
  }

  #stubWithin(from: number, to: number, wanted: number): void {
    let excess = this.#total() - wanted
    for (let place = Math.max(from, this.#before); place < to && excess > 0; place++)
      if (isResult(this.#items[place]!) && !this.#stubbed.has(place)) excess -= this.#stub(place)
  }

  /** Leaves out items from the oldest on: at most everything before what is asked now. */
  #leaveStartOut(wanted: number, isStart: (place: number) => boolean): void {
    let excess = this.#total() - wanted
    if (excess <= 0) return
    const isCut = findCuts(this.#items.map(linked))
    for (let place = this.#before; place <= this.#asked && place < this.#items.length; place++) {
      if ((place === this.#asked || isStart(place)) && isCut(place)) {
        this.#before = place
        if (excess <= 0) return
      }
      if (!this.#isNote(place)) excess -= this.#tokens[place]!
    }
  }

  #clipResults(): void {
    const isInput = (place: number) => place >= this.#asked && place < this.#answer
    const places = this.#shown().filter(place => !isInput(place) && isResult(this.#items[place]!))
    const others = this.#total() - places.reduce((sum, place) => sum + this.#tokens[place]!, 0)
    const each = Math.floor((this.#room - others) / Math.max(1, places.length))
    for (const place of places)
      this.#replace(place, clipItem(this.#items[place]!, Math.max(MIN_CLIP_TOKENS, each), this.#where))
  }

  #stub(place: number): number {
    this.#stubbed.add(place)
    return this.#replace(place, stubResult(this.#items[place]!, this.#where))
  }

  /** Returns how many tokens it saves. */
  #replace(place: number, item: AgentInputItem): number {
    const before = this.#tokens[place]!
    this.#items[place] = item
    this.#tokens[place] = measureItem(item)
    return before - this.#tokens[place]!
  }
}

function isQuestion(item: AgentInputItem): boolean {
  return asItem(item)['role'] === 'user' && framedText(item) === null
}

function isThought(item: AgentInputItem | undefined): boolean {
  return item?.type === 'reasoning'
}

function isSaidByModel(item: AgentInputItem): boolean {
  return toMessage(item).role === 'assistant'
}

function linked(item: AgentInputItem, index: number) {
  return { seq: index + 1, turn: 1, links: contentLinks(toMessage(item).content) }
}
