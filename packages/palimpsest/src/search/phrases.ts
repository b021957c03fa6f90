import type { Ranked } from './best-results.ts'
import { normalizedPieces } from './normalize-text.ts'
import { indexOfWhole } from './occurs-in.ts'
import type { SearchQuery } from './query.ts'

/** How much more a message counts that holds everything that the query names verbatim. */
const VERBATIM_BOOST = 1

/** Whether the ranking has to be completed by the texts of the best messages. */
export function needsTexts({ phrases, verbatim }: SearchQuery): boolean {
  return phrases.length > 0 || verbatim.length > 0
}

/**
 * Ranked messages in their final order, once their texts are known. Only messages that hold every quoted
 * phrase stay. Those that hold what the query names verbatim come first. It works in steps with pauses, since
 * there may be long texts and many phrases.
 */
export function* refine(
  ranked: readonly Ranked[],
  textOf: (seq: number) => string,
  query: SearchQuery,
): Generator<void, Ranked[], void> {
  if (!needsTexts(query)) return [...ranked]
  const refined: Ranked[] = []
  for (const { seq, score } of ranked) {
    const text = yield* comparable(textOf(seq))
    const phrases = yield* countHeld(text, query.phrases)
    if (phrases < query.phrases.length) continue
    const verbatim = query.verbatim.length === 0 ? 0 : yield* countHeld(text, query.verbatim)
    const share = verbatim / Math.max(1, query.verbatim.length)
    refined.push({ seq, score: score * (1 + VERBATIM_BOOST * share) })
  }
  return refined.sort((one, other) => other.score - one.score || other.seq - one.seq)
}

/** How many of the pieces stand in a text. Both are in the form in which texts are compared. */
function* countHeld(text: string, pieces: readonly string[]): Generator<void, number, void> {
  const isHeld = new Map<string, boolean>()
  let held = 0
  for (const piece of pieces) {
    if (!isHeld.has(piece)) {
      isHeld.set(piece, indexOfWhole(text, piece) >= 0)
      if (text.length > LONG) yield
    }
    if (isHeld.get(piece)) held += 1
  }
  return held
}

/** In a longer text, each look takes a while. */
const LONG = 65_536

/** Normalised, with one space between words. */
function* comparable(text: string): Generator<void, string, void> {
  const pieces: string[] = []
  let endsWithSpace = false
  for (const piece of normalizedPieces(text)) {
    const spaced = piece.replace(/\s+/g, ' ')
    pieces.push(endsWithSpace && spaced.startsWith(' ') ? spaced.slice(1) : spaced)
    endsWithSpace = spaced === '' ? endsWithSpace : spaced.endsWith(' ')
    if (text.length > LONG) yield
  }
  return pieces.join('')
}
