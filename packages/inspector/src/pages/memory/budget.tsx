import type { DocumentHead } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { TokenBar } from '../../ui/token-bar.tsx'

const useTexts = defineTexts({
  en: {
    of: (tokens: string, budget: string) => `${tokens} of ${budget} tokens`,
    over: (text: string) => `${text}, over its budget`,
    overHint: 'What is above the budget is condensed, or shown in part.',
  },
  zh: {
    of: (tokens: string, budget: string) => `${tokens} / ${budget} 个词元`,
    over: (text: string) => `${text}，超出预算`,
    overHint: '超出预算的部分会被压缩，或只显示一部分。',
  },
})

/** How much of its layer's budget a document takes. */
export function Budget({ tokens, budget }: Pick<DocumentHead, 'tokens' | 'budget'>) {
  const texts = useTexts()
  const { number } = useFormats()
  const isOver = tokens > budget
  const text = texts.of(number(tokens), number(budget))
  return (
    <span class={`memory-budget ${isOver ? 'over' : ''}`}>
      <TokenBar
        whole={budget}
        parts={[{ name: text, value: Math.min(tokens, budget), colour: isOver ? 'danger' : 'memory' }]}
      />
      <span title={isOver ? texts.overHint : undefined}>{isOver ? texts.over(text) : text}</span>
    </span>
  )
}
