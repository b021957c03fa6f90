import { BoundedMap } from '../bounded-map.ts'

const MARKS = '\\p{M}\\u{ff9e}\\u{ff9f}\\u{1160}-\\u{11ff}'

/** Lower-case ASCII, Han, kana and Hangul stay as they are unless a mark follows. */
const PLAIN = '\\u{0}-\\u{7f}\\u{3041}-\\u{3096}\\u{30a1}-\\u{30fc}\\u{4e00}-\\u{9fff}\\u{ac00}-\\u{d7a3}'

/** No writing has more marks on one character. */
const MAX_MARKS = 30
/** A character with the marks that belong to it. */
const CLUSTER = new RegExp(`(?:[^${PLAIN}]|[${PLAIN}](?=[${MARKS}]))[${MARKS}]{0,${MAX_MARKS}}`, 'gu')

const ASCII = /^[\0-\x7f]*$/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}|\p{Emoji_Modifier}/gu
const LATIN_LETTER_WITH_MARKS = /([a-z])[\u0300-\u036f]+/g

/** Latin letters whose stroke or form is not removed by decomposition. */
const FOLDED_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
  '’': "'",
  '‘': "'",
  '™': ' ',
  '℠': ' ',
}

const MAX_KEPT = 8_192
const normalizedClusters = new BoundedMap<string, string>(MAX_KEPT)

/**
 * The form in which texts and queries are compared: compatibility forms made equal (NFKC), lower case, Latin
 * letters without diacritics, no invisible characters and no skin tones. Every cluster of characters is
 * normalised by itself, so a place in the normalised text leads back to the original.
 */
export function normalizeText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text.toWellFormed().replace(CLUSTER, normalizeCluster).toLowerCase()
}

/** The number of characters between two pauses. */
const STEP_CHARACTERS = 16_384
const MARK = new RegExp(`[${MARKS}]`, 'u')

/** The same for a long text, with pauses. */
export function* normalizeTextInSteps(text: string): Generator<void, string, void> {
  const pieces: string[] = []
  for (const piece of normalizedPieces(text)) {
    pieces.push(piece)
    yield
  }
  return pieces.join('')
}

/** Joined, the pieces equal the result of `normalizeText`. */
export function* normalizedPieces(text: string): Generator<string, void, void> {
  for (let from = 0; from < text.length; ) {
    const to = endOfCluster(text, from + STEP_CHARACTERS)
    yield normalizeText(text.slice(from, to))
    from = to
  }
}

/**
 * The first place at or after `place` where a cluster has ended. In a text of marks alone, it is a few
 * characters later.
 */
function endOfCluster(text: string, place: number): number {
  if (place >= text.length) return text.length
  let end = place
  for (const character of text.slice(place, place + 2 * MAX_MARKS)) {
    if (!MARK.test(character) && !isLowHalf(text, end)) return end
    end += character.length
  }
  return isLowHalf(text, end) ? end + 1 : end
}

function isLowHalf(text: string, place: number): boolean {
  return (text.charCodeAt(place) & 0xfc00) === 0xdc00
}

export interface NormalizedText {
  readonly text: string
  /**
   * For each UTF-16 unit of the normalised text, the place that it comes from, and one more entry for the
   * end.
   */
  readonly origins: Uint32Array
}

export function normalizeWithOrigins(original: string): NormalizedText {
  const wellFormed = original.toWellFormed()
  const text = normalizeText(original)
  const origins = new Uint32Array(text.length + 1)
  let to = 0
  let from = 0
  const copyPlain = (end: number) => {
    while (from < end) origins[to++] = from++
  }
  if (!ASCII.test(original)) {
    for (const { 0: cluster, index } of wellFormed.matchAll(CLUSTER)) {
      copyPlain(index)
      const { length } = normalizeCluster(cluster)
      origins.fill(index, to, to + length)
      to += length
      from = index + cluster.length
    }
  }
  copyPlain(wellFormed.length)
  origins[to] = wellFormed.length
  return { text, origins }
}

function normalizeCluster(cluster: string): string {
  const kept = normalizedClusters.get(cluster)
  if (kept !== undefined) return kept
  const normalized = foldCluster(cluster)
  normalizedClusters.set(cluster, normalized)
  return normalized
}

function foldCluster(cluster: string): string {
  const folded = FOLDED_LETTERS[cluster]
  if (folded !== undefined) return folded
  const lower = cluster.normalize('NFKC').toLowerCase().replace(IGNORABLE, '')
  const bare = lower.normalize('NFD').replace(LATIN_LETTER_WITH_MARKS, '$1').normalize('NFKC').toLowerCase()
  let text = ''
  for (const character of bare) text += FOLDED_LETTERS[character] ?? character
  return text
}
