import { defineTexts } from '../../language/language.ts'

/** Texts for the server's codes: why a fold was made, why it failed and why there was none. */
export const useFoldReasons = defineTexts<FoldReasons>({
  en: {
    made: {
      force: 'somebody asked for it',
      max_tokens: 'the context came near its budget',
      max_messages_text_length: 'the raw messages became too long',
      hard_limit: 'too many messages waited to be folded',
      max_keep_messages_count: 'there were more raw messages than are kept',
      count: 'there were more raw messages than the threshold',
      rounds: 'A + B turns were complete, so the oldest B were folded',
      window: 'a window of old messages was full',
      every_n_turns: 'enough turns had passed',
      cooldown: 'enough time had passed since the last fold',
      idle: 'the chat was silent, and the prompt cache gone anyway',
      roll_up: 'old segments were condensed',
      new_beginning: 'the chat began anew after these messages',
    },
    failed: {
      rate_limited: 'the provider asked to wait',
      insufficient_quota: 'the account at the provider has no quota left: waiting does not help',
      unavailable: 'the provider could not be reached',
      unauthorized: 'the provider refused the key',
      model_not_found: 'the provider knows no such model, or its address is wrong',
      request_refused: 'the provider refused the request',
      overflow: 'more than the summariser can read at once',
      timeout: 'the summariser took too long',
      cut_off: 'the summary broke off',
      content_filter: "the provider's filter stopped the summary",
      tool_call: 'the summariser called a tool instead',
      empty: 'the summary was empty',
      refusal: 'the summariser refused',
      error_text: 'the answer was an error message',
      asks_for_conversation: 'the summariser asked for the conversation',
      empty_template: 'the answer was an empty template',
      too_short: 'the summary was too short',
      longer_than_source: 'the summary was longer than what it stands for',
      over_budget: 'the summary was far too long',
      no_summary: 'the answer held no summary',
      failed: 'the summariser failed',
      aborted: 'it was stopped',
      epoch_conflict: 'the conversation was changed meanwhile',
      cursor_conflict: 'somebody else folded the same messages',
      lease_lost: 'another process took over',
    },
    skipped: {
      already_folding: 'a fold is under way already; look again in a moment',
      nothing_to_do: 'all that is raw belongs to the newest messages, which stay as they are',
      force: 'all that is raw belongs to the newest messages, which stay as they are',
      epoch_conflict: 'the conversation was changed meanwhile; try again',
    },
  },
  zh: {
    made: {
      force: '手动要求',
      max_tokens: '上下文接近预算',
      max_messages_text_length: '原文消息过长',
      hard_limit: '等待折叠的消息过多',
      max_keep_messages_count: '原文消息多于保留数',
      count: '原文消息超过阈值',
      rounds: '已满 A + B 轮：折叠最早的 B 轮',
      window: '一个窗口的旧消息已满',
      every_n_turns: '已过足够轮数',
      cooldown: '距上次折叠已够久',
      idle: '会话静默，提示缓存反正已失效',
      roll_up: '旧片段被进一步压缩',
      new_beginning: '会话在这些消息之后重新开始',
    },
    failed: {
      rate_limited: '提供商要求等待',
      insufficient_quota: '提供商账户额度已用尽：等待无济于事',
      unavailable: '无法连接提供商',
      unauthorized: '提供商拒绝了密钥',
      model_not_found: '提供商没有该模型，或地址有误',
      request_refused: '提供商拒绝了请求',
      overflow: '超出摘要模型一次可读的长度',
      timeout: '摘要超时',
      cut_off: '摘要中途中断',
      content_filter: '提供商的过滤器拦截了摘要',
      tool_call: '摘要模型改为调用工具',
      empty: '摘要为空',
      refusal: '摘要模型拒绝了',
      error_text: '返回的是错误信息',
      asks_for_conversation: '摘要模型反过来索要对话',
      empty_template: '返回的是空模板',
      too_short: '摘要过短',
      longer_than_source: '摘要比原文还长',
      over_budget: '摘要远超长度',
      no_summary: '返回内容中没有摘要',
      failed: '摘要失败',
      aborted: '已被中止',
      epoch_conflict: '期间会话发生了变化',
      cursor_conflict: '别处已折叠同样的消息',
      lease_lost: '另一进程已接手',
    },
    skipped: {
      already_folding: '已有折叠在进行，请稍后再看',
      nothing_to_do: '原文都属于要保留的最新消息',
      force: '原文都属于要保留的最新消息',
      epoch_conflict: '期间会话发生了变化，请重试',
    },
  },
})

interface FoldReasons {
  readonly made: Readonly<Record<string, string>>
  readonly failed: Readonly<Record<string, string>>
  readonly skipped: Readonly<Record<string, string>>
}

/** A caller's own policy has its own reasons. They are shown as they are. */
export function wordsFor(reasons: Readonly<Record<string, string>>, reason: string | null): string {
  return reason === null ? '–' : Object.hasOwn(reasons, reason) ? reasons[reason]! : reason
}
