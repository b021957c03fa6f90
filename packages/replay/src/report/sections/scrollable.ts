import { type Markup, markup } from '../markup.ts'

/** A wide table scrolls on its own, also with the keyboard. The page itself never scrolls sideways. */
export function scrollable(label: string, table: Markup): Markup {
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>
`
}
