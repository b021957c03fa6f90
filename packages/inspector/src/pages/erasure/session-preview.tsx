import type { SessionFigures } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'

const useTexts = defineTexts({
  en: {
    goes: 'The whole session goes:',
    messages: 'messages',
    segments: 'segments',
    tokens: 'tokens',
    last: (moment: string) => `last message ${moment}`,
    empty: 'no messages',
    also: 'With it go its chat memory, its daily logs, and what was learned from it.',
    look: 'Look at it',
  },
  zh: {
    goes: '整个会话都会删除：',
    messages: '条消息',
    segments: '个片段',
    tokens: '个词元',
    last: (moment: string) => `最后一条消息 ${moment}`,
    empty: '没有消息',
    also: '一并删除的还有它的聊天记忆、每日日志，以及从中学到的内容。',
    look: '查看',
  },
})

export function SessionPreview({ session }: { readonly session: SessionFigures }) {
  const texts = useTexts()
  const { number, moment } = useFormats()
  const figures: [number, string][] = [
    [session.messages, texts.messages],
    [session.segments, texts.segments],
    [session.rawTokens + session.segmentTokens, texts.tokens],
  ]
  return (
    <>
      <p>
        {texts.goes} <a href={linkTo(['sessions', session.id])}>{texts.look}</a>
      </p>
      <p class="erasure-figures">
        {figures.map(([value, name]) => (
          <span key={name}>
            <b>{number(value)}</b> {name}
          </span>
        ))}
        <span class="soft">
          {session.lastMessageAt === null ? texts.empty : texts.last(moment(session.lastMessageAt))}
        </span>
      </p>
      <p class="hint">{texts.also}</p>
    </>
  )
}
