import type { SessionFigures } from '../../api/types.ts'
import { counted, defineTexts, useFormats } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'

const useTexts = defineTexts({
  en: {
    kinds: { private: 'private', group: 'group', agent: 'agent' },
    messages: (count: number) => counted(count, 'message', 'messages'),
    folded: () => 'folded',
    raw: () => 'raw',
    segments: (count: number) => counted(count, 'segment', 'segments'),
    turns: (count: number) => counted(count, 'turn', 'turns'),
    tokens: (count: number) => counted(count, 'token', 'tokens'),
    folding: 'folding …',
    pending: 'a fold is due',
    user: 'of',
    scope: 'in',
    erase: 'Erase …',
  },
  zh: {
    kinds: { private: '私聊', group: '群聊', agent: '智能体' },
    messages: () => '条消息',
    folded: () => '条已折叠',
    raw: () => '条原文',
    segments: () => '个片段',
    turns: () => '轮',
    tokens: () => '个词元',
    folding: '折叠中…',
    pending: '即将折叠',
    user: '用户',
    scope: '空间',
    erase: '删除…',
  },
})

export function SessionHead({ session }: { readonly session: SessionFigures }) {
  const texts = useTexts()
  const { number } = useFormats()
  const figures: [number, (count: number) => string][] = [
    [session.messages, texts.messages],
    [session.messages - session.rawMessages, texts.folded],
    [session.rawMessages, texts.raw],
    [session.segments, texts.segments],
    [session.turns, texts.turns],
    [session.segmentTokens + session.rawTokens, texts.tokens],
  ]
  return (
    <header class="session-head">
      <h1>
        <bdi>{session.id}</bdi> <span class="chip">{texts.kinds[session.kind]}</span>
        {session.user !== null && (
          <span class="chip">
            {texts.user} <bdi>{session.user}</bdi>
          </span>
        )}
        {session.scope !== null && (
          <span class="chip">
            {texts.scope} <bdi>{session.scope}</bdi>
          </span>
        )}
        {session.folding ? (
          <span class="chip good">{texts.folding}</span>
        ) : (
          session.pending && <span class="chip warn">{texts.pending}</span>
        )}
      </h1>
      <p class="session-figures">
        {figures.map(([count, nameOf]) => (
          <span key={nameOf(count)}>
            <b>{number(count)}</b> {nameOf(count)}
          </span>
        ))}
        <a href={linkTo(['erasures'], { kind: 'session', session: session.id })}>{texts.erase}</a>
      </p>
    </header>
  )
}
