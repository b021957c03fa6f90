import type { Layer } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'

interface LayerTexts {
  readonly name: string
  readonly about: string
}

/** What each layer is for, and where its content is shown. */
export const useLayerTexts = defineTexts<Readonly<Record<Layer, LayerTexts>>>({
  en: {
    persona: { name: 'Persona', about: 'Who the bot is. Seen everywhere.' },
    global: {
      name: 'Global',
      about:
        'What is true for everyone. Seen everywhere; a model writes it in the private chats of its owners only.',
    },
    user: {
      name: 'People',
      about: 'Profile and preferences of a person. Seen in their private chats only.',
    },
    scope: {
      name: 'Workspaces',
      about: 'History and plans of a workspace. Seen in its sessions only.',
    },
    chat: {
      name: 'Chats',
      about: 'What belongs to one session, and its history. Seen in that session only.',
    },
    daily: {
      name: 'Daily logs',
      about: 'What happened on a day. Seen in that session, for two days.',
    },
  },
  zh: {
    persona: { name: '人设', about: '机器人是谁。处处可见。' },
    global: { name: '全局', about: '对所有人都成立的事。处处可见；模型只能在所有者的私聊中写入。' },
    user: { name: '人物', about: '一个人的资料和偏好。仅在其私聊中可见。' },
    scope: { name: '空间', about: '一个工作空间的历史和计划。仅在其会话中可见。' },
    chat: { name: '聊天', about: '属于一个会话的事及其历史。仅在该会话中可见。' },
    daily: { name: '每日日志', about: '某一天发生的事。在该会话中可见两天。' },
  },
})
