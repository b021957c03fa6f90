import type { Message, Sender } from '../api/types.ts'
import { defineTexts } from './language.ts'

const useTexts = defineTexts<Record<Message['role'], string>>({
  en: { user: 'user', assistant: 'assistant', tool: 'tool', system: 'system' },
  zh: { user: '用户', assistant: '助手', tool: '工具', system: '系统' },
})

/** Who said it, as a model is shown it: a name is never an identity, so the id of a person stands beside it. */
export function useSpeakerName(): (said: {
  readonly sender: Sender | null
  readonly role: Message['role']
}) => string {
  const texts = useTexts()
  return ({ sender, role }) => {
    const { id = '', name = '' } = sender ?? {}
    if (name === '' || name === id || id === '' || role !== 'user') return name || id || texts[role]
    return `${name} (${id})`
  }
}
