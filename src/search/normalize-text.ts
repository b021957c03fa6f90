const MARKS = '\\p{M}\\u{ff9e}\\u{ff9f}\\u{1160}-\\u{11ff}'

/** Lower-case ASCII, Han, kana and Hangul stay as they are unless a mark follows. */
const PLAIN = '\\u{0}-\\u{7f}\\u{3041}-\\u{3096}\\u{30a1}-\\u{30fc}\\u{4e00}-\\u{9fff}\\u{ac00}-\\u{d7a3}'

/** A character with the marks that belong to it; more than thirty marks are no writing. */
const CLUSTER = new RegExp(`(?:[^${PLAIN}]|[${PLAIN}](?=[${MARKS}]))[${MARKS}]{0,30}`, 'gu')

const ASCII = /^[\0-\x7f]*$/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}|\p{Emoji_Modifier}/gu
const LATIN_LETTER_WITH_MARKS = /([a-z])[\u0300-\u036f]+/g

/** Letters of the Latin script whose stroke or form no decomposition takes away. */
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

const MOST_KEPT = 8_192
const normalizedClusters = new Map<string, string>()

/**
 * The form in which texts and queries are compared: compatibility forms made equal (NFKC), lower case,
 * Latin letters without diacritics, without invisible characters and shades of skin. Every cluster of
 * characters is taken by itself, so that a place in the normalised text leads back to the original.
 */
export function normalizeText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text.toWellFormed().replace(CLUSTER, normalizeCluster).toLowerCase()
}

export interface NormalizedText {
  readonly text: string
  /** Where each UTF-16 unit of the normalised text comes from; one more than it has, for the end. */
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
  if (normalizedClusters.size >= MOST_KEPT) normalizedClusters.clear()
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
