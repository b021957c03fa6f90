import type { Message, Sender } from '../api/types.ts'
import { defineTexts } from './language.ts'

const useTexts = defineTexts<Record<Message['role'], string>>({
  en: { user: 'user', assistant: 'assistant', tool: 'tool', system: 'system' },
  zh: { user: '用户', assistant: '助手', tool: '工具', system: '系统' },
})

/**
 * The speaker, as a model is shown it. A name never proves an identity, so a person's id stands beside it.
 */
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
