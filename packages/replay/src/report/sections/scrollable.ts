import { type Markup, markup } from '../markup.ts'

/** A wide table scrolls by itself, with the keyboard too, and never the page. */
export function scrollable(label: string, table: Markup): Markup {
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>
`
}
