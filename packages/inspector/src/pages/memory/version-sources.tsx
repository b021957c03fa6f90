import { defineTexts, useFormats } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'

const useTexts = defineTexts({
  en: {
    from: 'Learned from',
    one: (seq: string) => `message ${seq}`,
    several: (from: string, to: string) => `messages ${from}–${to}`,
  },
  zh: {
    from: '来源：',
    one: (seq: string) => `消息 ${seq}`,
    several: (from: string, to: string) => `消息 ${from}–${to}`,
  },
})

interface Source {
  readonly sessionId: string
  readonly fromSeq: number
  readonly toSeq: number
}

/** The messages that a version was made from, as links. */
export function VersionSources({ sources }: { readonly sources: unknown }) {
  const texts = useTexts()
  const { number } = useFormats()
  const known = Array.isArray(sources) ? (sources as readonly Source[]) : []
  if (known.length === 0) return null
  return (
    <p class="memory-sources hint">
      {texts.from}
      {known.map(({ sessionId, fromSeq, toSeq }, place) => (
        <a
          key={place}
          href={linkTo(['sessions', sessionId, 'strata'], { seq: String(fromSeq) })}
          title={sessionId}
        >
          <bdi>{sessionId}</bdi>{' '}
          <span>
            {fromSeq === toSeq ? texts.one(number(fromSeq)) : texts.several(number(fromSeq), number(toSeq))}
          </span>
        </a>
      ))}
    </p>
  )
}
