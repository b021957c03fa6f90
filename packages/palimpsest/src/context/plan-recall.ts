import type { Language } from '../language/index.ts'
import { byOrigin, type Message, searchableText } from '../log/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { headedText } from './render-origin.ts'
import { type RecalledPassage, recallLine, renderRecall } from './render-recall.ts'
import { note } from './sent-message.ts'

/** What a search has found for a call. */
export interface RecallFound {
  /** Best first. */
  readonly hits: readonly { readonly seq: number; readonly score: number }[]
  /** The hits, and what was said right before and after them. */
  readonly messages: readonly Message[]
  /** The passage of a text that answers best, in about this many characters. */
  readonly passageOf: (text: string, characters: number) => string
}

export interface RecallLimits {
  /** The context shows everything from this `seq` on as it was said. */
  readonly below: number
  /** Whether the context already tells a text word for word. */
  readonly isTold: (text: string) => boolean
  readonly mostTokens: number
  readonly language: Language
}

export interface Recalled {
  readonly text: string
  /** The messages that it shows, oldest first. */
  readonly seqs: readonly number[]
}

// These were chosen by measuring: docs/evaluation.md.
/** No message takes more than this share of all that is recalled. */
const MAX_HIT_SHARE = 0.15
/** A message beside a hit, as a question beside its answer, takes no more than this share. */
const MAX_BESIDE_SHARE = 0.1
/** A hit that scores less than this share of the best hit is left out. */
const MIN_SCORE_SHARE = 0.15
/** Hits take this share of the room first. Then come the messages beside them, then further hits. */
const FIRST_SHARE = 0.9

/** Where the room is small, a share of it must still hold a sentence. */
const MIN_PASSAGE_TOKENS = 60
/** So few tokens mean something only beside what they refer to: "ok, that one". */
const MAX_SHORT_TOKENS = 8
/** A line also has a time, a name and an end. */
const MIN_LINE_TOKENS = 8
/** In texts that people write, no script needs more characters for a token. */
const MAX_TOKEN_CHARACTERS = 6
/** Messages of tools may stand between messages that belong together. */
export const RECALL_NEIGHBOURS = 2

/**
 * Chooses what is recalled of all that was found. The best hits come first, as many as fit, each within its
 * share, with the neighbours that make them readable. Nothing is recalled twice, and nothing that the context
 * already tells. Pure. `null`: nothing is recalled.
 */
export function planRecall(found: RecallFound, limits: RecallLimits): Recalled | null {
  const chosen = new Chosen(found, limits)
  const least = (found.hits[0]?.score ?? 0) * MIN_SCORE_SHARE
  const seqs = found.hits.filter(({ score }) => score >= least).map(({ seq }) => seq)
  const isEnough = (share: number) => chosen.used >= share * limits.mostTokens
  let first = 0
  while (first < seqs.length && !isEnough(FIRST_SHARE)) chosen.addHit(seqs[first++]!)
  for (const seq of seqs.slice(0, first)) chosen.addBeside(seq)
  for (const seq of seqs.slice(first)) {
    if (chosen.used > limits.mostTokens - MIN_LINE_TOKENS) break
    if (chosen.addHit(seq)) chosen.addBeside(seq)
  }
  return chosen.rendered()
}

class Chosen {
  readonly #found: RecallFound
  readonly #limits: RecallLimits
  readonly #bySeq: ReadonlyMap<number, Message>
  /** In the order in which they were chosen. */
  readonly #passages = new Map<number, RecalledPassage>()
  readonly #texts = new Set<string>()
  used: number

  constructor(found: RecallFound, limits: RecallLimits) {
    this.#found = found
    this.#limits = limits
    this.#bySeq = new Map(found.messages.map(message => [message.seq, message]))
    this.used = this.#measured()
  }

  addHit(seq: number): boolean {
    return this.#take(seq, MAX_HIT_SHARE)
  }

  /** Adds the neighbours that make a hit readable, if the hit was taken. */
  addBeside(seq: number): void {
    if (!this.#passages.has(seq)) return
    for (const beside of this.#beside(seq)) this.#take(beside, MAX_BESIDE_SHARE)
  }

  /** Measured as a whole: the whole can be more than the sum of its lines. */
  rendered(): Recalled | null {
    const { language, mostTokens } = this.#limits
    const passages = [...this.#passages.values()]
    for (; passages.length > 0; passages.pop()) {
      const text = renderRecall(passages, language)
      if (note(text, 0).tokens > mostTokens) continue
      return { text, seqs: passages.map(({ message }) => message.seq).sort((one, other) => one - other) }
    }
    return null
  }

  #take(seq: number, share: number): boolean {
    const message = this.#bySeq.get(seq)
    if (!message || seq >= this.#limits.below || this.#passages.has(seq)) return false
    const text = this.#clipped(searchableText(message.content), share)
    if (text === '' || this.#texts.has(text) || this.#limits.isTold(text)) return false
    const before = this.#passages.get(seq - 1)?.message ?? null
    const { language } = this.#limits
    const shown = this.#headed(message, share)
    const passage = { message, text, ...(shown !== null && { shown }) }
    const cost = estimateTokens(recallLine(passage, { before, language })) + 1
    // The lines measured one by one count more than together.
    if (this.used + cost > this.#limits.mostTokens) this.used = this.#measured()
    if (this.used + cost > this.#limits.mostTokens) return false
    this.used += cost
    this.#passages.set(seq, passage)
    this.#texts.add(text)
    return true
  }

  /** The text with whose words they are and what they answer; `null`: there is nothing of that kind. */
  #headed(message: Message, share: number): string | null {
    const groups = byOrigin(message.content).length
    return headedText(message, this.#limits.language, content =>
      this.#clipped(searchableText(content), share / groups),
    )
  }

  #measured(): number {
    return note(renderRecall([...this.#passages.values()], this.#limits.language), 0).tokens
  }

  #clipped(text: string, share: number): string {
    const most = Math.max(MIN_PASSAGE_TOKENS, Math.floor(this.#limits.mostTokens * share))
    const characters = most * MAX_TOKEN_CHARACTERS
    const passage = text.length <= characters ? text : this.#found.passageOf(text, characters)
    const tokens = estimateTokens(passage)
    if (tokens <= most) return passage.trim()
    return this.#found.passageOf(text, Math.floor((passage.length * most) / tokens)).trim()
  }

  /** The question of an answer, the answer of a question, and what a few words refer to. */
  #beside(seq: number): readonly number[] {
    const before = this.#nearest(seq, -1)
    const after = this.#nearest(seq, 1)
    const text = this.#textOf(seq)
    const needsBefore = before !== null && (isShort(text) || isQuestion(this.#textOf(before)))
    const needsAfter = after !== null && isQuestion(text)
    return [...(needsBefore ? [before] : []), ...(needsAfter ? [after] : [])]
  }

  /** The nearest message with words in it. */
  #nearest(seq: number, step: 1 | -1): number | null {
    for (let away = 1; away <= RECALL_NEIGHBOURS; away++) {
      const near = seq + step * away
      if (this.#textOf(near) !== '') return near
    }
    return null
  }

  #textOf(seq: number): string {
    const message = this.#bySeq.get(seq)
    return message ? searchableText(message.content) : ''
  }
}

const LOOKED_AT_CHARACTERS = 400
const QUESTION = /[?？]|[吗呢]\s{0,4}[。.!！~]?\s{0,4}$/

function isQuestion(text: string): boolean {
  return QUESTION.test(text.slice(-LOOKED_AT_CHARACTERS))
}

function isShort(text: string): boolean {
  return text.length <= MAX_SHORT_TOKENS * MAX_TOKEN_CHARACTERS && estimateTokens(text) <= MAX_SHORT_TOKENS
}
