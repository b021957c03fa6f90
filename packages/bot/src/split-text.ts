/**
 * A reply in pieces that a platform takes, cut at a paragraph, a line, a sentence or a word where one is near, and
 * never inside a character. Where each piece ends is decided by what is before and shortly after it: as a reply grows,
 * pieces that are full stay what they are.
 */
export function splitText(text: string, most: number): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > most) {
    const end = findEnd(rest.slice(0, most))
    pieces.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  if (rest.trim() !== '' || pieces.length === 0) pieces.push(rest)
  return pieces.filter((piece, index) => piece !== '' || index === 0)
}

/** From the best place to cut to the worst. */
const ENDS = [/\n\s*\n/g, /\n/g, /[.!?。！？…]["”’）)]*(?:\s|(?<=[。！？]))/g, /\s/g]

/** Where a piece that is full ends best: it is to be at least half full. */
export function findEnd(piece: string): number {
  for (const pattern of ENDS) {
    let end = 0
    for (const match of piece.matchAll(pattern)) end = match.index + match[0].length
    if (end >= piece.length / 2) return end
  }
  return wholeCharacters(piece)
}

/**
 * The last one may go on after the cut, and then it goes to the next piece. Half of a surrogate pair would end it too
 * soon; and where one begins can only be told from the beginning on, since flags come in pairs.
 */
function wholeCharacters(piece: string): number {
  const whole = piece.replace(/(?<=.)[\uD800-\uDBFF]$/s, '')
  const end = segmenter.segment(whole).containing(whole.length - 1)?.index ?? 0
  return end > piece.length / 2 ? end : whole.length
}

const segmenter = new Intl.Segmenter()
