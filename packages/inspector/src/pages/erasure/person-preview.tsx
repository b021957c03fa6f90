import type { MemoryDocument } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'

const useTexts = defineTexts({
  en: {
    goes: 'Of this person goes:',
    parts: [
      'what they said under this id, in every session, also where others passed it on',
      'their private chats, with all that is in them',
      'facts about them in other memory',
    ],
    memory: (tokens: string) => `their memory (${tokens} tokens)`,
    look: 'Look at it',
    noMemory:
      'Nothing is remembered under this id. A person goes by the id of a sender or of a chat’s user, not by a display name.',
    stays: 'What others said about them stays: erase those messages, too, where you have to.',
  },
  zh: {
    goes: '将删除此人的：',
    parts: ['以此编号在所有会话中说过的话，包括他人转发的', '其私聊及其中的一切', '其他记忆中关于此人的事实'],
    memory: (tokens: string) => `其记忆（${tokens} 个词元）`,
    look: '查看',
    noMemory: '此编号下没有记忆。人以发送者或聊天用户的编号为准，不以显示名称为准。',
    stays: '别人谈论此人的内容会保留：如有需要，请另行删除那些消息。',
  },
})

export function PersonPreview({
  person,
  memory,
}: {
  readonly person: string
  readonly memory: MemoryDocument | null
}) {
  const texts = useTexts()
  const { number } = useFormats()
  return (
    <>
      <p>{texts.goes}</p>
      <ul class="erasure-parts">
        {texts.parts.map(each => (
          <li key={each}>{each}</li>
        ))}
        {memory !== null && (
          <li>
            {texts.memory(number(memory.tokens))}{' '}
            <a href={linkTo(['memory', 'user', person])}>{texts.look}</a>
          </li>
        )}
      </ul>
      {memory === null && <p class="erasure-doubt">{texts.noMemory}</p>}
      <p class="hint">{texts.stays}</p>
    </>
  )
}
