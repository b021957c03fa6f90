import { classOf, SEPARATOR, UNSPACED } from './character-class.ts'
import { type NormalizedText, normalizeWithOrigins } from './normalize-text.ts'
import { indexOfWhole } from './occurs-in.ts'
import type { SearchQuery } from './query.ts'
import { visitTerms } from './terms.ts'

export interface Excerpt {
  readonly text: string
  /** The matches, as [from, to) in the excerpt, in order and without overlap. */
  readonly highlights: readonly (readonly [number, number])[]
}

/** A place of the original text that matches; the key tells what it matches. */
interface Hit {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly weight: number
}

interface Span {
  readonly from: number
  readonly to: number
}

/** A match of a whole phrase counts more than a match of one of its words. */
const PHRASE_WEIGHT = 2
const REPEAT_WEIGHT = 0.05

/**
 * The most hits that are read. If a text matches everywhere, its beginning is as good as any other passage.
 */
const MAX_HITS = 10_000

/** How far an edge of the excerpt moves to stand between two words. */
const MAX_MOVE = 24

/** No character of any script is longer, in UTF-16 units. */
const MAX_CHARACTER = 256

const ELLIPSIS = '…'
const BLANK = /[\s\p{Cc}]/u
const BLANKS = new RegExp(BLANK, 'gu')
const TEXT = /[^\s\p{Cc}]/u

let characters: Intl.Segmenter | null = null

/** The passage of a text that matches a query best, with its matches. */
export function excerptOf(text: string, query: SearchQuery, { length }: { length: number }): Excerpt {
  const hits = findHits(text, query)
  const { from, to } = passage(text, bestSpan(hits, length), length)
  const before = TEXT.test(text.slice(0, from)) ? ELLIPSIS : ''
  const after = TEXT.test(text.slice(to)) ? ELLIPSIS : ''
  const shift = before.length - from
  return {
    text: before + text.slice(from, to).toWellFormed().replace(BLANKS, ' ') + after,
    highlights: merge(
      hits
        .filter(hit => hit.to > from && hit.from < to)
        .map(hit => ({ from: Math.max(from, hit.from) + shift, to: Math.min(to, hit.to) + shift })),
    ).map(span => [span.from, span.to] as const),
  }
}

/** In the order of their beginnings. */
function findHits(text: string, { terms, phrases, verbatim }: SearchQuery): Hit[] {
  const sought = terms.filter(({ weight }) => weight > 0)
  if (sought.length === 0) return []
  const exact = new Set(sought.filter(({ prefix }) => !prefix).map(({ term }) => term))
  const letters = new Set(sought.filter(({ prefix }) => prefix).map(({ term }) => term))
  const normalized = normalizeWithOrigins(text)
  const hits: Hit[] = []
  let room = MAX_HITS
  const add = (key: string, from: number, to: number, weight: number) => {
    if (room === 0) return
    room -= 1
    hits.push({ key, from: normalized.origins[from]!, to: originOfEnd(normalized, to), weight })
  }
  visitTerms(normalized.text, (term, from, to) => {
    if (exact.has(term)) add(term, from, to, 1)
    if (letters.size === 0) return
    const letter = String.fromCodePoint(term.codePointAt(0)!)
    if (letters.has(letter) && classOf(letter.codePointAt(0)!) === UNSPACED)
      add(letter, from, from + letter.length, 1)
  })
  for (const piece of [...phrases, ...verbatim]) {
    room = MAX_HITS
    let place = indexOfWhole(normalized.text, piece)
    while (place >= 0 && room > 0) {
      add(`"${piece}`, place, place + piece.length, PHRASE_WEIGHT)
      place = indexOfWhole(normalized.text, piece, place + piece.length)
    }
  }
  return hits.sort((one, other) => one.from - other.from || one.to - other.to)
}

/** If one character became several in normalised text, it matches as a whole. */
function originOfEnd({ origins }: NormalizedText, to: number): number {
  let end = to
  while (end < origins.length - 1 && origins[end] === origins[to - 1]) end += 1
  return origins[end]!
}

/** The best group of hits that are close enough together. Among equals, the first. */
function bestSpan(hits: readonly Hit[], length: number): Span {
  const counts = new Map<string, number>()
  let best: Span = { from: 0, to: 0 }
  let most = 0
  let score = 0
  let first = 0
  for (const hit of hits) {
    const count = counts.get(hit.key) ?? 0
    counts.set(hit.key, count + 1)
    score += count === 0 ? hit.weight : REPEAT_WEIGHT
    while (hit.to - hits[first]!.from > length && hits[first] !== hit) {
      const { key, weight } = hits[first]!
      const left = counts.get(key)! - 1
      counts.set(key, left)
      score -= left === 0 ? weight : REPEAT_WEIGHT
      first += 1
    }
    if (score > most + REPEAT_WEIGHT / 2) {
      most = score
      best = { from: hits[first]!.from, to: hit.to }
    }
  }
  return best
}

/** `length` units of text around a span. If there are words, it begins and ends at the edge of a word. */
function passage(text: string, span: Span, length: number): Span {
  const spare = Math.max(0, length - (span.to - span.from))
  const wanted = Math.min(span.from - Math.floor(spare / 2), text.length - length)
  const from = wanted <= 0 ? 0 : beginning(text, wanted, span.from)
  const to = from + length >= text.length ? text.length : ending(text, from + length, Math.max(from, span.to))
  return trim(text, from, to)
}

/** The first beginning of a word at or after a place, if one is near. */
function beginning(text: string, place: number, latest: number): number {
  const end = Math.min(latest, place + MAX_MOVE)
  for (let near = place; near < end; near += 1) {
    if (isSeparator(text, near - 1) && !isSeparator(text, near) && isWhole(text, near)) return near
  }
  return characterAt(text, place)
}

/** The last end of a word at or before a place, if one is near. */
function ending(text: string, place: number, earliest: number): number {
  const end = Math.max(earliest, place - MAX_MOVE)
  for (let near = place; near >= end; near -= 1) {
    if (near > 0 && isSeparator(text, near) && !isSeparator(text, near - 1) && isWhole(text, near))
      return near
  }
  return characterAt(text, place)
}

/** Spaces and signs of one unit. A part of a longer character is no separator. */
function isSeparator(text: string, place: number): boolean {
  const unit = text.charCodeAt(place)
  return (
    (unit <= 0x7f || (unit >= 0x2000 && unit <= 0x206f && unit !== 0x200d)) && classOf(unit) === SEPARATOR
  )
}

/** A sign may be the first part of a longer character, as in keycaps. */
function isWhole(text: string, place: number): boolean {
  return characterAt(text, place) === place
}

/** Where the character that holds a place begins. */
function characterAt(text: string, place: number): number {
  const begin = Math.max(0, place - MAX_CHARACTER)
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const around = text.slice(begin, place + MAX_CHARACTER)
  return begin + (characters.segment(around).containing(place - begin)?.index ?? place - begin)
}

function trim(text: string, from: number, to: number): Span {
  let begin = from
  let end = to
  while (begin < end && BLANK.test(text.charAt(begin))) begin += 1
  while (end > begin && BLANK.test(text.charAt(end - 1))) end -= 1
  return { from: begin, to: end }
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last !== undefined && span.from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else merged.push(span)
  }
  return merged
}
