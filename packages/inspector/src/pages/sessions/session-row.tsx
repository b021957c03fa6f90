import type { SessionFigures } from '../../api/types.ts'
import { counted, defineTexts, useFormats } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'
import { Ago } from '../../ui/ago.tsx'
import { TokenBar } from '../../ui/token-bar.tsx'

const useTexts = defineTexts({
  en: {
    kinds: { private: 'private', group: 'group', agent: 'agent' },
    messages: (count: number) => counted(count, 'message', 'messages'),
    segments: (count: number) => counted(count, 'segment', 'segments'),
    raw: () => 'raw',
    tokens: (count: number) => counted(count, 'token', 'tokens'),
    folding: 'folding …',
    folded: 'segments',
    rawBar: 'raw messages',
  },
  zh: {
    kinds: { private: '私聊', group: '群聊', agent: '智能体' },
    messages: () => '条消息',
    segments: () => '个片段',
    raw: () => '条原文',
    tokens: () => '个词元',
    folding: '折叠中…',
    folded: '片段',
    rawBar: '原文',
  },
})

export function SessionRow({
  session,
  mostTokens,
}: {
  readonly session: SessionFigures
  readonly mostTokens: number
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const { id, kind, messages, rawMessages, segments, rawTokens, segmentTokens, lastMessageAt } = session
  const figures: [number, string][] = [
    [messages, texts.messages(messages)],
    [segments, texts.segments(segments)],
    [rawMessages, texts.raw()],
    [rawTokens + segmentTokens, texts.tokens(rawTokens + segmentTokens)],
  ]
  return (
    <li>
      <a class="session-row" href={linkTo(['sessions', id])}>
        <span class="name">
          <bdi>{id}</bdi>
          <span class="chip">{texts.kinds[kind]}</span>
          {session.folding && <span class="chip good">{texts.folding}</span>}
        </span>
        <span class="figures">
          {figures.map(([count, name]) => (
            <span key={name}>
              {number(count)} {name}
            </span>
          ))}
        </span>
        <TokenBar
          whole={mostTokens}
          parts={[
            { name: texts.folded, value: segmentTokens, colour: 'level-1' },
            { name: texts.rawBar, value: rawTokens, colour: 'raw' },
          ]}
        />
        {lastMessageAt !== null && <Ago at={lastMessageAt} />}
      </a>
    </li>
  )
}
