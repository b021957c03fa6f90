import { classOf, WORD } from './character-class.ts'

/**
 * Where a piece of text stands in another, or -1. Both are normalised. Words of scripts with spaces match
 * only as a whole: "art" does not match in "party". Each letter of the text is looked at only a few times.
 */
export function indexOfWhole(text: string, piece: string, from = 0): number {
  if (piece === '') return -1
  const beginsWithWord = isWordAt(piece, 0)
  const endsWithWord = isWordBefore(piece, piece.length)
  let place = text.indexOf(piece, from)
  while (place >= 0) {
    const isCutBefore = beginsWithWord && isWordBefore(text, place)
    if (!isCutBefore && !(endsWithWord && isWordAt(text, place + piece.length))) return place
    place = text.indexOf(piece, beginsWithWord ? endOfWord(text, place) : place + 1)
  }
  return -1
}

function endOfWord(text: string, from: number): number {
  let place = from
  while (isWordAt(text, place)) place += text.codePointAt(place)! > 0xffff ? 2 : 1
  return place
}

function isWordAt(text: string, place: number): boolean {
  const codePoint = text.codePointAt(place)
  return codePoint !== undefined && classOf(codePoint) === WORD
}

function isWordBefore(text: string, place: number): boolean {
  if (place === 0) return false
  const unit = text.charCodeAt(place - 1)
  const isLow = unit >= 0xdc00 && unit <= 0xdfff && place > 1
  return classOf(isLow ? text.codePointAt(place - 2)! : unit) === WORD
}
