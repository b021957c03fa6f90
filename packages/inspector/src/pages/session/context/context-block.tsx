import { defineTexts, useFormats } from '../../../language/language.ts'
import { BlockMessages } from './block-messages.tsx'
import { blockColour, blockText, useBlockTexts } from './block-names.ts'
import type { ShownBlock } from './read-blocks.ts'

const useTexts = defineTexts({
  en: {
    range: (from: string, to: string) => (from === to ? `message ${from}` : `messages ${from}–${to}`),
    tokens: 'tokens',
    unseen: 'Nothing to read here: only its size counts.',
  },
  zh: {
    range: (from: string, to: string) => (from === to ? `消息 ${from}` : `消息 ${from}–${to}`),
    tokens: '个词元',
    unseen: '这里没有可读的内容，只计其大小。',
  },
})

/** One block of the context: its size and, when it is open, its content. */
export function ContextBlock({
  sessionId,
  block,
  whole,
  isOpen,
  onToggle,
}: {
  readonly sessionId: string
  readonly block: ShownBlock
  /** The tokens that the shares are relative to. */
  readonly whole: number
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}) {
  const texts = useTexts()
  const { number, percent } = useFormats()
  const colour = blockColour(block.name)
  const share = block.tokens / Math.max(1, whole)
  const seqs = block.messages.map(({ seq }) => seq).filter(seq => seq > 0)
  const isOfLog = (block.name === 'raw' || block.name === 'current') && seqs.length > 0
  const { name, about } = blockText(
    useBlockTexts(),
    block.name === 'current' && !isOfLog ? 'no_current' : block.name,
  )
  return (
    <details class="context-block" open={isOpen} onToggle={event => onToggle(event.currentTarget.open)}>
      <summary>
        <span class="swatch" style={{ background: `var(--${colour})` }} />
        <span class="what">
          <b>{name}</b>{' '}
          <span class="hint">{isOfLog ? texts.range(number(seqs[0]!), number(seqs.at(-1)!)) : about}</span>
        </span>
        <span class="share" aria-hidden="true">
          <span style={{ width: `${100 * Math.min(1, share)}%`, background: `var(--${colour})` }} />
        </span>
        <span class="tokens">
          {number(block.tokens)} <span class="visually-hidden">{texts.tokens}</span>
        </span>
        <span class="percent">{share > 0 && share < 0.005 ? '<1%' : percent(share)}</span>
      </summary>
      {isOpen && (
        <div class="inside">
          {isOfLog && <p class="hint">{about}</p>}
          {block.messages.length > 0 ? (
            <BlockMessages sessionId={sessionId} messages={block.messages} />
          ) : block.text === null ? (
            <p class="hint">{texts.unseen}</p>
          ) : (
            <pre class="context-text">{block.text}</pre>
          )}
        </div>
      )}
    </details>
  )
}
