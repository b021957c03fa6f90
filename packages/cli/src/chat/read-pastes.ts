/** After this sequence the terminal marks the text that is pasted. */
export const PASTE_MARKS_ON = '\u001b[?2004h'
export const PASTE_MARKS_OFF = '\u001b[?2004l'

const BEGIN = '\u001b[200~'
const END = '\u001b[201~'
/** Shorter beginnings of a mark are not held back: a key such as Escape sends them by itself. */
const MIN_MARK = 3

export type Input = { readonly typed: string } | { readonly pasted: string }

/** Separates pasted text from typed text, even where a mark is split over several chunks. */
export class PasteReader {
  #isPasting = false
  #held = ''

  read(piece: string): readonly Input[] {
    const inputs: Input[] = []
    let rest = this.#held + piece
    this.#held = ''
    for (;;) {
      const mark = this.#isPasting ? END : BEGIN
      const at = rest.indexOf(mark)
      if (at === -1) break
      const before = rest.slice(0, at)
      if (this.#isPasting) inputs.push({ pasted: before })
      else if (before !== '') inputs.push({ typed: before })
      this.#isPasting = !this.#isPasting
      rest = rest.slice(at + mark.length)
    }
    const kept = this.#isPasting ? rest.length : beginningAtEnd(rest)
    this.#held = rest.slice(rest.length - kept)
    if (kept < rest.length) inputs.push({ typed: rest.slice(0, rest.length - kept) })
    return inputs
  }
}

/** How many characters at the end may be the beginning of a mark. */
function beginningAtEnd(text: string): number {
  for (let length = BEGIN.length - 1; length >= MIN_MARK; length--)
    if (text.endsWith(BEGIN.slice(0, length))) return length
  return 0
}
