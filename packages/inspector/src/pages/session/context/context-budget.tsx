import type { ContextReport } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { TokenBar } from '../../../ui/token-bar.tsx'
import { blockColour, blockText, useBlockTexts } from './block-names.ts'

const useTexts = defineTexts({
  en: {
    of: 'of',
    tokens: 'tokens',
    used: (share: string) => `${share} of the budget`,
    free: (tokens: string) => `${tokens} free`,
  },
  zh: {
    of: '/',
    tokens: '个词元',
    used: (share: string) => `预算的 ${share}`,
    free: (tokens: string) => `剩余 ${tokens}`,
  },
})

/** The whole context against its budget. */
export function ContextBudget({ report }: { readonly report: ContextReport }) {
  const texts = useTexts()
  const names = useBlockTexts()
  const { number, percent } = useFormats()
  const { tokens, budget, blocks } = report
  // As in the list, the room for the reply comes last.
  const ordered = [...blocks].sort(
    (one, other) => Number(one.name === 'output_reserve') - Number(other.name === 'output_reserve'),
  )
  return (
    <div class="context-budget">
      <p class="total">
        <b>{number(tokens)}</b> {texts.of} {number(budget)} {texts.tokens}
      </p>
      <p class="hint">
        {texts.used(tokens > 0 && tokens / budget < 0.005 ? '<1%' : percent(tokens / budget))} ·{' '}
        {texts.free(number(Math.max(0, budget - tokens)))}
      </p>
      <TokenBar
        whole={budget}
        parts={ordered.map(block => ({
          name: `${blockText(names, block.name).name}: ${number(block.tokens)}`,
          value: block.tokens,
          colour: blockColour(block.name),
        }))}
      />
    </div>
  )
}
