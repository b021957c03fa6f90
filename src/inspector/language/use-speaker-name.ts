import type { Message, Sender } from '../api/types.ts'
import { defineTexts } from './language.ts'

const useTexts = defineTexts<Record<Message['role'], string>>({
  en: { user: 'user', assistant: 'assistant', tool: 'tool', system: 'system' },
  zh: { user: '用户', assistant: '助手', tool: '工具', system: '系统' },
})

/** Who said it, as they call themselves: never an identity. */
export function useSpeakerName(): (said: {
  readonly sender: Sender | null
  readonly role: Message['role']
}) => string {
  const texts = useTexts()
  return ({ sender, role }) => sender?.name || sender?.id || texts[role]
}
