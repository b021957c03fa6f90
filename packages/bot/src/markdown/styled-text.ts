/**
 * Text as a person reads it, and the styles of its pieces. Each platform turns this into its own formatting.
 */
export interface StyledText {
  readonly text: string
  /** Ordered by their beginnings, the outer style first. Two styles are nested or apart. */
  readonly styles: readonly Style[]
}

/** `from` and `to` count UTF-16 units. */
export interface Style {
  readonly kind: StyleKind
  readonly from: number
  readonly to: number
  /** Set for a link. */
  readonly url?: string
  /** For a block of code, its language. Left out: unknown. */
  readonly language?: string
}

export type StyleKind = 'bold' | 'italic' | 'strike' | 'code' | 'pre' | 'link' | 'quote'

export function shifted(styles: readonly Style[], by: number): readonly Style[] {
  return styles.map(style => ({ ...style, from: style.from + by, to: style.to + by }))
}
