import type { NeighbourMessage, SearchResult } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { useOriginText } from '../../language/use-origin-text.ts'
import { useSpeakerName } from '../../language/use-speaker-name.ts'
import { linkTo } from '../../routes.ts'
import { Highlighted } from './highlighted.tsx'

const useTexts = defineTexts({
  en: {
    folded: 'under a segment',
    raw: 'raw',
    foldedHint: 'The context shows a summary in its place.',
    rawHint: 'The context shows it as it was said.',
    untexted: '(no text)',
    answers: 'answers',
  },
  zh: {
    folded: '在片段之下',
    raw: '原文',
    foldedHint: '上下文中由摘要代替。',
    rawHint: '上下文中照原样显示。',
    untexted: '（无文字）',
    answers: '回复',
  },
})

export function SearchResultItem({ result }: { readonly result: SearchResult }) {
  const texts = useTexts()
  const { moment } = useFormats()
  const speakerName = useSpeakerName()
  const originText = useOriginText()
  const { sessionId, seq, archived, at, before, after } = result
  return (
    <li class="search-result card">
      <p class="search-result-head">
        <b class="name">
          <bdi>{speakerName(result)}</bdi>
        </b>
        <time class="soft" dateTime={at}>
          {moment(at)}
        </time>
        <span
          class={`search-stratum ${archived ? 'folded' : 'raw'}`}
          title={archived ? texts.foldedHint : texts.rawHint}
        >
          {archived ? texts.folded : texts.raw}
        </span>
        <span class="search-place soft">
          <bdi class="name" title={sessionId}>
            {sessionId}
          </bdi>
          <span>#{seq}</span>
        </span>
      </p>
      <Neighbours messages={before} />
      {result.origin && (
        <p class="search-neighbour">
          <bdi>{originText(result.origin)}</bdi>
        </p>
      )}
      {result.answered && (
        <p class="search-neighbour">
          {texts.answers} <bdi class="name">{speakerName(result.answered)}</bdi>
          {result.answered.origin && (
            <span class="name">
              <bdi>{originText(result.answered.origin)}</bdi>
            </span>
          )}
          <bdi>{result.answered.text}</bdi>
        </p>
      )}
      <a
        class="search-excerpt"
        href={linkTo(['sessions', sessionId, 'strata'], { seq: String(seq) })}
        dir="auto"
      >
        {result.excerpt === '' ? texts.untexted : <Highlighted {...result} />}
      </a>
      <Neighbours messages={after} />
    </li>
  )
}

/** The messages around a result. They are context, and no results themselves. */
function Neighbours({ messages }: { readonly messages: readonly NeighbourMessage[] }) {
  const speakerName = useSpeakerName()
  return messages.map(message => (
    <p key={message.seq} class="search-neighbour">
      <bdi class="name">{speakerName(message)}</bdi>
      <bdi>{message.excerpt ?? message.text}</bdi>
    </p>
  ))
}
