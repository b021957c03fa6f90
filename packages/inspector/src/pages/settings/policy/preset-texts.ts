import { defineTexts } from '../../../language/language.ts'
import type { Preset } from './presets.ts'

interface PresetText {
  readonly title: string
  /** When to use the preset. */
  readonly about: string
}

export const usePresetTexts = defineTexts<Readonly<Record<Preset, PresetText>>>({
  en: {
    tokens: {
      title: 'By size',
      about: 'Folds seldom and in large pieces, before a request outgrows its budget: take it to pay least.',
    },
    rounds: {
      title: 'By turns',
      about: 'The last A turns always stay word for word: take it for a rule that everybody understands.',
    },
    window: {
      title: 'By messages',
      about: 'A window over the newest messages with a hard limit: take it for busy group chats.',
    },
    count: {
      title: 'By count',
      about: 'Folds above so many messages and keeps so many: take it for the simplest thing.',
    },
    resize: {
      title: 'By older rules',
      about: 'By turns, length and count at once: take it to go on with an older session.resize.',
    },
  },
  zh: {
    tokens: { title: '按大小', about: '在请求超出预算之前折叠，次数少、每次折得多：想花费最少就选它。' },
    rounds: { title: '按轮次', about: '最近 A 轮始终一字不改：想要人人都懂的规则就选它。' },
    window: { title: '按消息窗口', about: '最新消息的窗口，并有硬上限：适合热闹的群聊。' },
    count: { title: '按条数', about: '超过若干条就折叠，保留若干条：想要最简单的就选它。' },
    resize: { title: '按旧规则', about: '同时按轮数、长度和条数：想沿用旧的 session.resize 配置就选它。' },
  },
})
