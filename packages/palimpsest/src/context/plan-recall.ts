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
  /** Of a text, the passage that answers best, in about so many characters. */
  readonly passageOf: (text: string, characters: number) => string
}

export interface RecallLimits {
  /** The context shows all from here on as it was said. */
  readonly below: number
  /** Whether the context tells a text already, word for word. */
  readonly isTold: (text: string) => boolean
  readonly mostTokens: number
  readonly language: Language
}

export interface Recalled {
  readonly text: string
  /** Those that it shows, oldest first. */
  readonly seqs: readonly number[]
}

// These were chosen by measuring: docs/evaluation.md.
/** No message takes more than this share of all that is recalled. */
const MAX_HIT_SHARE = 0.15
/** And what stands beside one, as a question beside its answer, no more than this. */
const MAX_BESIDE_SHARE = 0.1
/** A hit that counts less than this share of the best is left out. */
const MIN_SCORE_SHARE = 0.15
/** Hits take so much of the room first; then comes what stands beside them, then further hits. */
const FIRST_SHARE = 0.9

/** A share of little is still a sentence. */
const MIN_PASSAGE_TOKENS = 60
/** So few tokens mean something only beside what they refer to: "ok, that one". */
const MAX_SHORT_TOKENS = 8
/** A line has a time and a name, too, and its end. */
const MIN_LINE_TOKENS = 8
/** No script needs more characters for a token, in texts that people write. */
const MAX_TOKEN_CHARACTERS = 6
/** Messages of tools may stand between what belongs together. */
export const RECALL_NEIGHBOURS = 2

/**
 * What of all that was found is recalled: the best first, as much as there is room for, each within its share, with
 * what makes it readable; nothing that the context tells anyway, and nothing twice. Pure. `null`: there is nothing.
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

  /** What makes a hit readable that was taken. */
  addBeside(seq: number): void {
    if (!this.#passages.has(seq)) return
    for (const beside of this.#beside(seq)) this.#take(beside, MAX_BESIDE_SHARE)
  }

  /** Measured as a whole: it can be more than its lines are, each by itself. */
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
    // Lines by themselves count more than together.
    if (this.used + cost > this.#limits.mostTokens) this.used = this.#measured()
    if (this.used + cost > this.#limits.mostTokens) return false
    this.used += cost
    this.#passages.set(seq, passage)
    this.#texts.add(text)
    return true
  }

  /** With whose words they are, and what they answer; `null`: there is nothing of the kind. */
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

  /** The question of an answer, the answer of a question, what a few words refer to. */
  #beside(seq: number): readonly number[] {
    const before = this.#nearest(seq, -1)
    const after = this.#nearest(seq, 1)
    const text = this.#textOf(seq)
    const needsBefore = before !== null && (isShort(text) || isQuestion(this.#textOf(before)))
    const needsAfter = after !== null && isQuestion(text)
    return [...(needsBefore ? [before] : []), ...(needsAfter ? [after] : [])]
  }

  /** The next one with words in it. */
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
