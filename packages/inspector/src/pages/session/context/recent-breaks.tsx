import type { Fold } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { linkTo } from '../../../routes.ts'
import { Ago } from '../../../ui/ago.tsx'
import { useFoldReasons, wordsFor } from '../fold-reasons.ts'

const useTexts = defineTexts({
  en: {
    title: 'When the cache broke last',
    none: 'Never so far: nothing was folded.',
    hint: 'Each fold puts a summary in the place of old messages, so the next call reads all behind it anew.',
    range: (from: string, to: string) => (from === to ? `Message ${from}` : `Messages ${from}–${to}`),
    nothing: 'No messages',
    all: 'All folds',
  },
  zh: {
    title: '最近的缓存中断',
    none: '至今没有：尚未折叠。',
    hint: '每次折叠都以摘要代替旧消息，因此下次调用须重新读取其后的全部内容。',
    range: (from: string, to: string) => (from === to ? `消息 ${from}` : `消息 ${from}–${to}`),
    nothing: '无消息',
    all: '全部折叠',
  },
})

const MAX_SHOWN = 5

export function RecentBreaks({
  sessionId,
  folds,
}: {
  readonly sessionId: string
  readonly folds: readonly Fold[]
}) {
  const texts = useTexts()
  const { made } = useFoldReasons()
  const { number } = useFormats()
  const applied = folds.filter(({ outcome }) => outcome === 'applied')
  return (
    <section>
      <div class="context-heading">
        <h2>{texts.title}</h2>
        {applied.length > 0 && <a href={linkTo(['sessions', sessionId, 'folds'])}>{texts.all}</a>}
      </div>
      {applied.length === 0 ? (
        <p class="soft">{texts.none}</p>
      ) : (
        <>
          <ol class="recent-breaks">
            {applied.slice(0, MAX_SHOWN).map(({ id, at, fromSeq, toSeq, reason }) => (
              <li key={id}>
                <Ago at={at} />
                <span>
                  {fromSeq === null || toSeq === null ? (
                    texts.nothing
                  ) : (
                    <a href={linkTo(['sessions', sessionId, 'strata'], { seq: String(fromSeq) })}>
                      {texts.range(number(fromSeq), number(toSeq))}
                    </a>
                  )}
                  <span class="soft"> – {wordsFor(made, reason)}</span>
                </span>
              </li>
            ))}
          </ol>
          <p class="hint">{texts.hint}</p>
        </>
      )}
    </section>
  )
}
