/** Of bold letters, against others of their size. */
export const BOLD = 1.12

/** Nothing here can measure a font: an estimate by DejaVu Sans, the widest of those that a page may get. */
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

/** Leaves out the middle. */
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
