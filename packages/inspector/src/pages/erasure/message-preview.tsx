import type { Message } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { useSpeakerName } from '../../language/use-speaker-name.ts'

const useTexts = defineTexts({
  en: {
    goes: 'This message goes:',
    also: 'Segments over it are made anew from the messages that stay; the same message in forks goes, too.',
    untexted: '(no text)',
  },
  zh: {
    goes: '将删除这条消息：',
    also: '覆盖它的片段会用留下的消息重新生成；分叉中的同一条消息也会删除。',
    untexted: '（无文字）',
  },
})

export function MessagePreview({ message }: { readonly message: Message }) {
  const texts = useTexts()
  const { moment } = useFormats()
  const speakerName = useSpeakerName()
  return (
    <>
      <p>{texts.goes}</p>
      <blockquote>
        <p class="erasure-speaker">
          <b>
            <bdi>{speakerName(message)}</bdi>
          </b>
          <time class="hint" dateTime={message.at}>
            {moment(message.at)}
          </time>
        </p>
        <p class="erasure-text" dir="auto">
          {message.text === '' ? texts.untexted : message.text}
        </p>
      </blockquote>
      <p class="hint">{texts.also}</p>
    </>
  )
}
