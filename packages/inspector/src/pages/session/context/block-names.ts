import { defineTexts } from '../../../language/language.ts'

export interface BlockText {
  readonly name: string
  /** The content of the block, in a few words. */
  readonly about: string
}

/** The names of a context's blocks, for people. */
export const useBlockTexts = defineTexts<Readonly<Record<string, BlockText>>>({
  en: {
    instructions: { name: 'Instructions', about: "the caller's own system prompt" },
    tools: { name: 'Tools', about: 'what the model may call' },
    output_reserve: { name: 'Room for the reply', about: 'kept free; nothing of it is sent' },
    persona: { name: 'Persona', about: 'who the bot is' },
    global_memory: { name: 'Global memory', about: 'known in every chat' },
    guidance: { name: 'Guidance', about: 'which memory tool is for what' },
    user_memory: { name: 'User memory', about: 'of this person, in private chats only' },
    scope_memory: { name: 'Scope memory', about: 'shared by the chats of one project' },
    chat_memory: { name: 'Chat memory', about: 'of this chat' },
    daily_log: { name: 'Daily log', about: 'entries of this chat, two days' },
    session_memory: { name: 'Session memory', about: 'in place of folded messages' },
    raw: { name: 'Raw messages', about: 'word for word, as they were said' },
    recent_changes: { name: 'Recent changes', about: 'in memory, since the epoch began' },
    recalled_memory: { name: 'Recalled memory', about: 'of what its budget has no room for' },
    recall: { name: 'Recall', about: 'older messages found for the question' },
    current: { name: 'Current message', about: 'what is to be answered now' },
    no_current: { name: 'Current message', about: 'none: the log ends with a reply' },
  },
  zh: {
    instructions: { name: '指令', about: '调用方自己的系统提示' },
    tools: { name: '工具', about: '模型可以调用的' },
    output_reserve: { name: '回复余量', about: '预留空间，不会发送' },
    persona: { name: '人设', about: '机器人是谁' },
    global_memory: { name: '全局记忆', about: '所有会话都知道' },
    guidance: { name: '指引', about: '各记忆工具的用途' },
    user_memory: { name: '用户记忆', about: '关于此人，仅限私聊' },
    scope_memory: { name: '空间记忆', about: '同一项目的会话共享' },
    chat_memory: { name: '聊天记忆', about: '属于此会话' },
    daily_log: { name: '每日日志', about: '此会话两天内的记录' },
    session_memory: { name: '会话记忆', about: '代替已折叠的消息' },
    raw: { name: '原文消息', about: '逐字保留' },
    recent_changes: { name: '近期变更', about: '本纪元开始以来记忆的变化' },
    recalled_memory: { name: '记忆检索', about: '预算放不下的记忆中与当前有关的内容' },
    recall: { name: '回忆', about: '为此问题找到的旧消息' },
    current: { name: '当前消息', about: '现在要回答的' },
    no_current: { name: '当前消息', about: '无：日志以回复结尾' },
  },
})

/** A block that this page does not know is shown by its own name. */
export function blockText(texts: Readonly<Record<string, BlockText>>, name: string): BlockText {
  return texts[name] ?? { name, about: '' }
}

const COLOURS: Readonly<Record<string, string>> = {
  instructions: 'fixed',
  tools: 'fixed',
  output_reserve: 'faint',
  session_memory: 'level-1',
  raw: 'raw',
  recent_changes: 'memory',
  recalled_memory: 'memory',
  recall: 'level-2',
  current: 'current',
}

/** The name of a colour of the page. All memory documents have the same one. */
export function blockColour(name: string): string {
  return COLOURS[name] ?? 'memory'
}
