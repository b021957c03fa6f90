import { type MoneyLinesInput, moneyLines } from '../draw/money-lines.ts'
import { inBothSizes } from '../draw/picture.ts'
import { type Markup, markup } from '../markup.ts'

export function spending(input: MoneyLinesInput): Markup {
  return markup`<section>
<h2>Money over time</h2>
<p>All that was spent so far, as the conversation goes on. The flatter a line, the less the next message costs. Dashed: baselines.</p>
<figure class="lines">${inBothSizes(size => moneyLines(input, size))}</figure>
</section>
`
}
