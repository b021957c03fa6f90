import { defineTexts, useFormats } from '../../../language/language.ts'
import { useFoldReasons, wordsFor } from '../fold-reasons.ts'
import { blockText, useBlockTexts } from './block-names.ts'
import type { SinceShown } from './shown-before.ts'

const useTexts = defineTexts({
  en: {
    title: 'Since the context that you saw before',
    first: 'This is the first one shown here. When the conversation goes on, it is compared with the next.',
    same: (tokens: string, share: string) => `${tokens} tokens are the same from the start, ${share} of it.`,
    grown: 'It only grew: the prompt cache held.',
    parted: (block: string) => `The prompt cache broke at “${block}”.`,
    partedAt: (block: string, seq: string) => `The prompt cache broke at “${block}”, message ${seq}.`,
    fold: (from: string, to: string, reason: string) => `Messages ${from}–${to} were folded – ${reason}.`,
    memo: (reason: string) => `A fold moved nothing, and began a new epoch – ${reason}.`,
    memory: 'The memory documents were taken in anew.',
    edited: 'A message was edited or erased, or the conversation was rolled back.',
    moved: 'There was too much for the budget: the beginning moved up to a later message.',
  },
  zh: {
    title: '与您之前看到的上下文相比',
    first: '这是此处显示的第一个。对话继续后，将与下一个比较。',
    same: (tokens: string, share: string) => `从头起有 ${tokens} 个词元相同，占 ${share}。`,
    grown: '只是增长：提示缓存保持有效。',
    parted: (block: string) => `提示缓存在“${block}”处中断。`,
    partedAt: (block: string, seq: string) => `提示缓存在“${block}”的消息 ${seq} 处中断。`,
    fold: (from: string, to: string, reason: string) => `消息 ${from}–${to} 已折叠：${reason}。`,
    memo: (reason: string) => `一次折叠未移动任何内容，但开始了新纪元：${reason}。`,
    memory: '记忆文档已重新载入。',
    edited: '有消息被编辑或删除，或会话被回滚。',
    moved: '超出预算：开头移到了更晚的消息。',
  },
})

const BEFORE_THE_LOG = new Set([
  ...['instructions', 'tools', 'persona', 'global_memory', 'guidance'],
  ...['user_memory', 'scope_memory', 'chat_memory', 'daily_log'],
])

/** How much of the context the provider's cache still had, where it broke and why. */
export function CacheChanges({ since }: { readonly since: SinceShown | null }) {
  const texts = useTexts()
  const names = useBlockTexts()
  const { number, percent } = useFormats()
  if (since === null)
    return (
      <section>
        <h2>{texts.title}</h2>
        <p class="soft">{texts.first}</p>
      </section>
    )
  const { change, sameTokens, tokens, partsAt } = since
  const isParted = change === 'parted'
  const block = partsAt === null ? '' : blockText(names, partsAt.block).name
  return (
    <section>
      <h2>{texts.title}</h2>
      <div class={`cache-change ${isParted ? 'parted' : 'grown'}`}>
        <p>
          <b>
            {!isParted
              ? texts.grown
              : partsAt !== null && partsAt.seq > 0
                ? texts.partedAt(block, number(partsAt.seq))
                : texts.parted(block)}
          </b>{' '}
          {texts.same(
            number(sameTokens),
            percent(Math.floor((100 * sameTokens) / Math.max(1, tokens)) / 100),
          )}
        </p>
        {isParted && <Why since={since} />}
      </div>
    </section>
  )
}

function Why({ since: { folds, isNewEpoch, partsAt } }: { readonly since: SinceShown }) {
  const texts = useTexts()
  const { number } = useFormats()
  const { made } = useFoldReasons()
  const isMemory = partsAt !== null && BEFORE_THE_LOG.has(partsAt.block)
  return (
    <ul>
      {folds.map(({ id, fromSeq, toSeq, reason }) => (
        <li key={id}>
          {fromSeq === null || toSeq === null
            ? texts.memo(wordsFor(made, reason))
            : texts.fold(number(fromSeq), number(toSeq), wordsFor(made, reason))}
        </li>
      ))}
      {isMemory && <li>{texts.memory}</li>}
      {folds.length === 0 && !isMemory && <li>{isNewEpoch ? texts.edited : texts.moved}</li>}
    </ul>
  )
}
