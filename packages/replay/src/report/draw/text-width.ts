/** The width of bold letters, relative to regular letters of the same size. */
export const BOLD = 1.12

/**
 * An estimate, since no font can be measured here. It follows DejaVu Sans, the widest font that a browser may
 * use for the page.
 */
export function textWidth(text: string, size: number): number {
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width * size
}

function characterWidth(character: string): number {
  if (character > '\u{2e7f}' || character === '…' || character === '%') return 1
  if ('=+−×→↓'.includes(character)) return 0.84
  if ('ijl.,:;|! ’'.includes(character)) return 0.34
  return /[A-Zmw@]/.test(character) ? 0.8 : 0.63
}

/** Shortens a text by its middle. */
export function shorten(text: string, size: number, room: number): string {
  if (textWidth(text, size) <= room) return text
  const characters = [...text]
  for (let kept = characters.length - 1; kept > 1; kept -= 1) {
    const front = Math.ceil(kept / 2)
    const short = `${characters.slice(0, front).join('')}…${characters.slice(characters.length - (kept - front)).join('')}`
    if (textWidth(short, size) <= room) return short
  }
  return '…'
}
