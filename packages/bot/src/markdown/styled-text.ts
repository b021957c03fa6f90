/** Text as a person reads it, and how pieces of it look: what any platform makes its own formatting of. */
export interface StyledText {
  readonly text: string
  /** One lies in another or beside it, in the order of their beginnings, the outer first. */
  readonly styles: readonly Style[]
}

/** `from` and `to` in UTF-16 units. */
export interface Style {
  readonly kind: StyleKind
  readonly from: number
  readonly to: number
  /** Of a link. */
  readonly url?: string
  /** Of a block of code; left out: it does not say. */
  readonly language?: string
}

export type StyleKind = 'bold' | 'italic' | 'strike' | 'code' | 'pre' | 'link' | 'quote'

export function shifted(styles: readonly Style[], by: number): readonly Style[] {
  return styles.map(style => ({ ...style, from: style.from + by, to: style.to + by }))
}
