import { useId, useMemo, useState } from 'preact/hooks'
import type { SessionFigures } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { contextSizes } from './context-sizes.ts'
import type { FoldHistory } from './load-history.ts'
import { useDrawing } from './use-drawing.ts'

interface Summary {
  readonly messages: string
  readonly folds: string
  readonly highest: string
  readonly now: string
  readonly log: string
}

const useTexts = defineTexts({
  en: {
    title: 'What the conversation takes in a context',
    summary: (figures: Summary) =>
      `Messages: ${figures.messages}, folds: ${figures.folds}. It takes ${figures.now} tokens now, and took ${figures.highest} at most; the whole log has ${figures.log}.`,
    size: 'tokens, message by message',
    fold: 'a fold',
    failed: 'a fold that failed',
    budget: (tokens: string) => `the budget: ${tokens}`,
    above: (tokens: string) => `The budget, ${tokens} tokens, lies far above.`,
    beside: 'Instructions and memory documents come on top.',
    point: (seq: string, tokens: string) => `message ${seq}: ${tokens} tokens`,
    cut: 'Only the newest folds are drawn.',
  },
  zh: {
    title: '对话在上下文中所占的大小',
    summary: (figures: Summary) =>
      `经过 ${figures.messages} 条消息和 ${figures.folds} 次折叠，现占 ${figures.now} 个词元，最多时 ${figures.highest}；整个日志有 ${figures.log}。`,
    size: '词元数，逐条消息',
    fold: '一次折叠',
    failed: '一次失败的折叠',
    budget: (tokens: string) => `预算：${tokens}`,
    above: (tokens: string) => `预算为 ${tokens} 个词元，远在图上方。`,
    beside: '指令和记忆文档另计。',
    point: (seq: string, tokens: string) => `消息 ${seq}：${tokens} 个词元`,
    cut: '只画出最近的折叠。',
  },
})

/** A budget further above the curve would press the curve flat. Then words tell it. */
const MAX_ABOVE = 2.5

/** The size of the context over the messages, with a mark for each fold. A text says the same. */
export function FoldChart({
  session,
  history,
}: {
  readonly session: SessionFigures
  readonly history: FoldHistory
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const titleId = useId()
  const [pointed, setPointed] = useState<{ seq: number; tokens: number } | null>(null)
  const { folds, next, growth, condensed, budget } = history
  const endsAt = session.rawTokens + session.segmentTokens
  const sizes = useMemo(
    () => contextSizes(growth, folds, { condensed, endsAt, hasOlder: next !== null }),
    [growth, folds, condensed, endsAt, next],
  )
  const failedAt = folds
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap(({ throughSeq, toSeq }) => throughSeq ?? toSeq ?? [])
  const highest = sizes.points.reduce((most, { tokens }) => Math.max(most, tokens), 0)
  const isBudgetShown = budget !== null && budget <= Math.max(1, highest) * MAX_ABOVE
  const place = useDrawing(
    { ...sizes, failedAt, budget: isBudgetShown ? budget : null, writeNumber: number, onPoint: setPointed },
    [sizes, history, number],
  )
  return (
    <figure class="fold-chart card" aria-labelledby={titleId}>
      <figcaption>
        <h2 id={titleId}>{texts.title}</h2>
        <p>
          {texts.summary({
            messages: number(session.messages),
            folds: number(sizes.marks.length),
            highest: number(highest),
            now: number(sizes.points.at(-1)?.tokens ?? 0),
            log: number(growth.at(-1)?.tokens ?? 0),
          })}{' '}
          <span class="soft">
            {texts.beside}
            {budget !== null && !isBudgetShown && ` ${texts.above(number(budget))}`}
            {next !== null && ` ${texts.cut}`}
          </span>
        </p>
      </figcaption>
      <div class="drawing" ref={place} aria-hidden="true" />
      <p class="legend hint" aria-hidden="true">
        <span class="size">
          {pointed ? texts.point(number(pointed.seq), number(pointed.tokens)) : texts.size}
        </span>
        <span class="fold">{texts.fold}</span>
        {failedAt.length > 0 && <span class="failed">{texts.failed}</span>}
        {isBudgetShown && <span class="budget">{texts.budget(number(budget))}</span>}
      </p>
    </figure>
  )
}
