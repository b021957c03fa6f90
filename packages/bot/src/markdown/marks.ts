import type { Style, StyledText, StyleKind } from './styled-text.ts'

/** A piece of a source: text, or a sign that may become a mark. */
interface Token {
  readonly literal: string
  readonly at: number
  state: 'text' | 'open' | 'close' | 'free'
  style?: Omit<Style, 'from' | 'to'>
  /** For a mark that opens: the mark that closes it. */
  partner?: Token
}

interface Opener {
  readonly token: Token
  /** The sign that closes it. */
  readonly mark: string
}

/**
 * The marks of a paragraph as they open and close. A closing mark pairs with one opening mark; all marks that
 * were opened between the two become text.
 */
export class Marks {
  readonly #tokens: Token[] = []
  readonly #open: Opener[] = []
  readonly #counts = new Map<string, number>()

  say(literal: string, at: number): void {
    this.#tokens.push({ literal, at, state: 'text' })
  }

  open(mark: string, literal: string, at: number): void {
    const token: Token = { literal, at, state: 'free' }
    this.#tokens.push(token)
    this.#open.push({ token, mark })
    this.#counts.set(mark, (this.#counts.get(mark) ?? 0) + 1)
  }

  isOpen(mark: string): boolean {
    return (this.#counts.get(mark) ?? 0) > 0
  }

  /** Which of these marks was opened last. `null`: none of them is open. */
  newest(marks: readonly string[]): string | null {
    if (!marks.some(mark => this.isOpen(mark))) return null
    return this.#open.findLast(({ mark }) => marks.includes(mark))!.mark
  }

  /** The mark has to be open. */
  close(mark: string, style: Omit<Style, 'from' | 'to'>, closing: { literal: string; at: number }): void {
    for (;;) {
      const opener = this.#pop()
      if (opener.mark !== mark) {
        opener.token.state = 'text'
        continue
      }
      const end: Token = { ...closing, state: 'close' }
      this.#tokens.push(end)
      Object.assign(opener.token, { state: 'open', style, partner: end })
      return
    }
  }

  /** Turns the last open mark of this kind into text, and all that were opened after it. */
  leave(mark: string): void {
    for (;;) {
      const opener = this.#pop()
      opener.token.state = 'text'
      if (opener.mark === mark) return
    }
  }

  whole(text: string, style: { kind: StyleKind }, { from, to }: { from: number; to: number }): void {
    const end: Token = { literal: '', at: to, state: 'close' }
    this.#tokens.push({ literal: '', at: from, state: 'open', style, partner: end })
    this.say(text, from)
    this.#tokens.push(end)
  }

  toText(): StyledText {
    let text = ''
    const ends = new Map<Token, number>()
    const begun: { from: number; token: Token }[] = []
    for (const token of this.#tokens) {
      if (token.state === 'open') begun.push({ from: text.length, token })
      else if (token.state === 'close') ends.set(token, text.length)
      else text += token.literal
    }
    const styles = begun.map(({ from, token }) => ({ ...token.style!, from, to: ends.get(token.partner!)! }))
    return { text, styles: styles.filter(({ from, to }) => to > from) }
  }

  /** Where the styled piece around this place of the source begins. `null`: a cut here splits nothing. */
  begunBefore(cut: number): number | null {
    for (const { at, state, partner } of this.#tokens) {
      if (at >= cut) return null
      if (state === 'free') return at
      if (state === 'open' && partner!.at + partner!.literal.length > cut) return at
    }
    return null
  }

  #pop(): Opener {
    const opener = this.#open.pop()!
    this.#counts.set(opener.mark, this.#counts.get(opener.mark)! - 1)
    return opener
  }
}
