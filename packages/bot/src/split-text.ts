/**
 * Splits a reply into pieces that a platform takes. It cuts at a paragraph, a line, a sentence or a word
 * where one is near, and never inside a character. The end of a piece depends only on the text before it and
 * shortly after it: while a reply grows, full pieces stay as they are.
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

/** The best places to cut first, the worst last. */
const ENDS = [/\n\s*\n/g, /\n/g, /[.!?。！？…]["”’）)]*(?:\s|(?<=[。！？]))/g, /\s/g]

/** The best end of a full piece, so that the piece is at least half full. */
export function findEnd(piece: string): number {
  for (const pattern of ENDS) {
    let end = 0
    for (const match of piece.matchAll(pattern)) end = match.index + match[0].length
    if (end >= piece.length / 2) return end
  }
  return wholeCharacters(piece)
}

/**
 * The last character may go on after the cut; then it moves to the next piece. Half of a surrogate pair is
 * removed first, since it would end the character too soon. Where a character begins can only be told from
 * the start of the text, since flags come in pairs.
 */
function wholeCharacters(piece: string): number {
  const whole = piece.replace(/(?<=.)[\uD800-\uDBFF]$/s, '')
  const end = segmenter.segment(whole).containing(whole.length - 1)?.index ?? 0
  return end > piece.length / 2 ? end : whole.length
}

const segmenter = new Intl.Segmenter()
