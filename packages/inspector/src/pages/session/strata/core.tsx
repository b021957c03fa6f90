import type { Segment, SessionFigures } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { linkTo } from '../../../routes.ts'

const useTexts = defineTexts({
  en: {
    label: 'The whole conversation as a drill core',
    raw: (messages: string, tokens: string) => `${messages} raw messages, ${tokens} tokens`,
    segment: (id: number, level: number, tokens: string) => `Segment ${id}, level ${level}, ${tokens} tokens`,
  },
  zh: {
    label: '整个会话的岩芯图',
    raw: (messages: string, tokens: string) => `${messages} 条原文，${tokens} 个词元`,
    segment: (id: number, level: number, tokens: string) => `片段 ${id}，第 ${level} 层，${tokens} 个词元`,
  },
})

/** All strata on one screen, in true proportion, beside the list. Each links to its place there. */
export function Core({
  session,
  segments,
}: {
  readonly session: SessionFigures
  readonly segments: readonly Segment[]
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const oldestRawSeq = (segments.at(-1)?.toSeq ?? 0) + 1
  return (
    <nav class="core" aria-label={texts.label}>
      {session.rawMessages > 0 && (
        <a
          class="raw"
          style={{ flexGrow: Math.max(1, session.rawTokens) }}
          href={linkTo(['sessions', session.id, 'strata'], { seq: String(oldestRawSeq) })}
          title={texts.raw(number(session.rawMessages), number(session.rawTokens))}
        >
          <span class="visually-hidden">
            {texts.raw(number(session.rawMessages), number(session.rawTokens))}
          </span>
        </a>
      )}
      {segments.toReversed().map(({ id, level, tokensAfter, fromSeq }) => (
        <a
          key={id}
          class={`level-${Math.min(level, 3)}`}
          style={{ flexGrow: Math.max(1, tokensAfter) }}
          href={linkTo(['sessions', session.id, 'strata'], { seq: String(fromSeq) })}
          title={texts.segment(id, level, number(tokensAfter))}
        >
          <span class="visually-hidden">{texts.segment(id, level, number(tokensAfter))}</span>
        </a>
      ))}
    </nav>
  )
}
