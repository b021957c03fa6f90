import { defineTexts } from '../../../language/language.ts'

/** Texts for the engine's reasons for a fold. */
export const useReasons = defineTexts<Readonly<Record<string, string>>>({
  en: {
    max_tokens: 'the budget was nearly reached',
    max_messages_text_length: 'the text had grown too long',
    hard_limit: 'the hard limit was reached',
    max_keep_messages_count: 'there were too many messages',
    count: 'there were too many messages',
    rounds: 'enough turns were complete',
    window: 'enough messages were waiting',
    every_n_turns: 'enough turns had passed',
    cooldown: 'enough time had passed',
    idle: 'there was a long pause',
  },
  zh: {
    max_tokens: '预算即将用完',
    max_messages_text_length: '文本过长',
    hard_limit: '达到硬上限',
    max_keep_messages_count: '消息过多',
    count: '消息过多',
    rounds: '完成的轮数足够',
    window: '等待的消息足够',
    every_n_turns: '经过的轮数足够',
    cooldown: '经过的时间足够',
    idle: '有较长的停顿',
  },
})
