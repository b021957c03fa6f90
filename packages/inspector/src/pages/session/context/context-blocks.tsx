import { useState } from 'preact/hooks'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { ContextBlock } from './context-block.tsx'
import type { ShownBlock, ShownContext } from './read-blocks.ts'

const useTexts = defineTexts({
  en: {
    title: 'Block by block',
    shares: 'tokens, and share of the context',
    cached: (tokens: string, share: string) =>
      `The prompt cache holds up to here: ${tokens} tokens, ${share}`,
    explained:
      'The next call finds what is above in the provider’s cache, as long as that lives. What is below it reads anew.',
    all: (tokens: string) => `The prompt cache holds all of it: ${tokens} tokens`,
    allExplained:
      'The next call finds this in the provider’s cache, as long as that lives, and reads only what is added.',
    nothing: 'Nothing is stable yet: the next call reads everything anew.',
  },
  zh: {
    title: '逐块查看',
    shares: '词元数及占上下文的比例',
    cached: (tokens: string, share: string) => `提示缓存到此为止：${tokens} 个词元，${share}`,
    explained: '只要缓存未过期，下次调用能在提供商的缓存中找到以上内容；以下内容须重新读取。',
    all: (tokens: string) => `提示缓存包含全部：${tokens} 个词元`,
    allExplained: '只要缓存未过期，下次调用能在提供商的缓存中找到这些内容，只需读取新增部分。',
    nothing: '尚无稳定内容：下次调用须全部重新读取。',
  },
})

export function ContextBlocks({
  sessionId,
  context,
  open,
  onToggle,
}: {
  readonly sessionId: string
  readonly context: ShownContext
  readonly open: ReadonlySet<string>
  readonly onToggle: (key: string, isOpen: boolean) => void
}) {
  const texts = useTexts()
  const { number, percent } = useFormats()
  const { stable, stableTokens, changing, reserve } = context
  const sent = [...stable, ...changing].reduce((sum, { tokens }) => sum + tokens, 0)
  const whole = sent + (reserve?.tokens ?? 0)
  const row = (block: ShownBlock) => (
    <li key={block.key}>
      <ContextBlock
        sessionId={sessionId}
        block={block}
        whole={whole}
        isOpen={open.has(block.key)}
        onToggle={isOpen => onToggle(block.key, isOpen)}
      />
    </li>
  )
  return (
    <section class="context-blocks">
      <div class="context-heading">
        <h2>{texts.title}</h2>
        <p class="hint">{texts.shares}</p>
      </div>
      <ol>
        {stable.map(row)}
        <li key="cache" class="cache-line">
          <p>
            <b>
              {stableTokens === 0
                ? texts.nothing
                : changing.length === 0
                  ? texts.all(number(stableTokens))
                  : texts.cached(number(stableTokens), percent(roundedDown(stableTokens / sent)))}
            </b>
          </p>
          {stableTokens > 0 && (
            <p class="hint">{changing.length === 0 ? texts.allExplained : texts.explained}</p>
          )}
        </li>
        {changing.map(row)}
        {reserve && row(reserve)}
      </ol>
    </section>
  )
}

/** 99.9% must not be shown as 100%. */
function roundedDown(share: number): number {
  return Math.floor(100 * share) / 100
}

/** Which blocks are open. A reload keeps it. */
export function useOpenBlocks() {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const onToggle = (key: string, isOpen: boolean) =>
    setOpen(before => {
      if (before.has(key) === isOpen) return before
      const after = new Set(before)
      if (isOpen) after.add(key)
      else after.delete(key)
      return after
    })
  return { open, onToggle }
}
