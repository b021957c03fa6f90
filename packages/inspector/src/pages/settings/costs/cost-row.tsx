import { defineTexts, useFormats } from '../../../language/language.ts'
import type { CostFigures } from './cost-figures.ts'
import { formatMoney } from './format-money.ts'

const useTexts = defineTexts({
  en: { inForce: 'in force', edited: 'being edited' },
  zh: { inForce: '生效中', edited: '正在编辑' },
})

export function CostRow({
  name,
  about,
  figures,
  columns,
  share,
  currency,
  isEdited = false,
  isInForce = false,
  isBaseline = false,
}: {
  readonly name: string
  readonly about: string
  readonly figures: CostFigures
  /** On a narrow screen each figure has its name beside it. */
  readonly columns: Readonly<Record<'cached' | 'mean' | 'peak' | 'calls', string>>
  /** The cost relative to the highest one, from 0 to 1. */
  readonly share: number
  readonly currency: string
  readonly isEdited?: boolean
  readonly isInForce?: boolean
  readonly isBaseline?: boolean
}) {
  const texts = useTexts()
  const { percent, number } = useFormats()
  return (
    <tr class={[isEdited && 'edited', isBaseline && 'baseline'].filter(Boolean).join(' ')}>
      <th scope="row">
        <span class="cost-name">
          {name}
          {isInForce && <span class="chip good">{texts.inForce}</span>}
          {isEdited && !isInForce && <span class="chip warn">{texts.edited}</span>}
        </span>
        <span class="cost-about">{about}</span>
      </th>
      <td class="cost-money">
        <b>{formatMoney(figures.perThousandTurns, currency)}</b>
        <span class="cost-bar" aria-hidden="true">
          <span style={{ width: `${100 * share}%` }} />
        </span>
      </td>
      <td class="number" data-label={columns.cached}>
        {percent(figures.cachedShare)}
      </td>
      <td class="number" data-label={columns.mean}>
        {number(Math.round(figures.meanContext))}
      </td>
      <td class="number" data-label={columns.peak}>
        {number(figures.peakContext)}
      </td>
      <td class="number" data-label={columns.calls}>
        {number(figures.summariserCalls)}
      </td>
    </tr>
  )
}
