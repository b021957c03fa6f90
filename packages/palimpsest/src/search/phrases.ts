import type { Ranked } from './best-results.ts'
import { normalizedPieces } from './normalize-text.ts'
import { indexOfWhole } from './occurs-in.ts'
import type { SearchQuery } from './query.ts'

/** How much more a message counts that holds all that a query names verbatim. */
const VERBATIM_BOOST = 1

/** Whether ranking is not all: the texts of the best have to be looked at. */
export function needsTexts({ phrases, verbatim }: SearchQuery): boolean {
  return phrases.length > 0 || verbatim.length > 0
}

/**
 * Ranked messages in the order they have once their texts are known: those that hold every quoted phrase, and those
 * first that hold what the query names verbatim. Pauses of its own accord, since texts may be long and phrases many.
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

/** How many of them stand in a text, both as they are compared. */
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

/** Of a longer text each look takes a while. */
const LONG = 65_536

/** Normalised, and with one space between words. */
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
