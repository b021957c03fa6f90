import type { SettingDescription } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'

interface SettingText {
  /** Without a label the setting's name is shown. */
  readonly label?: string
  /** Without a help text the server's own is shown. */
  readonly help?: string
}

type SettingTexts = Readonly<Record<string, SettingText>>

const useTable = defineTexts<SettingTexts>({
  en: {
    fullContextTurns: { label: 'A: turns that stay in full', help: 'The newest turns, word for word.' },
    cachedContextTurns: {
      label: 'B: turns folded at a time',
      help: 'So many older turns pile up, then become one summary.',
    },
    budget: {
      label: 'Budget in tokens',
      help: 'What a whole request holds at most; a fold comes before it is reached.',
    },
    lowWater: {
      label: 'Share left by a fold',
      help: 'How much of the budget is still in use after a fold: 0.2 is a fifth.',
    },
    idleSec: {
      label: 'Silence in seconds',
      help: 'After so long the provider has forgotten its prompt cache, and folding breaks nothing.',
    },
    threshold: { label: 'Fold above', help: 'Messages that are seen word for word before a fold.' },
    keepLast: { label: 'Keep', help: 'Messages that stay word for word after it.' },
    contextSize: { label: 'Most messages', help: 'A request never holds more messages word for word.' },
    tailKeepSize: { label: 'Messages that stay', help: 'The newest ones, word for word.' },
    compressionWindowSize: {
      label: 'Messages folded at a time',
      help: 'So many older ones pile up, then become one summary.',
    },
    compressionHardLimit: {
      label: 'Hard limit',
      help: 'At so many older ones it is folded in any case, even where the model fails.',
    },
    compressionCooldownSec: {
      label: 'Cooldown in seconds',
      help: 'So long after a fold, fewer messages are folded too. Empty: never.',
    },
    everyNTurns: { label: 'Every so many turns', help: 'Fold after so many. Empty: this rule is off.' },
    maxMessagesTextLength: {
      label: 'Most characters',
      help: 'Fold when the messages seen word for word are so long. Empty: this rule is off.',
    },
    maxKeepMessagesCount: {
      label: 'Most messages',
      help: 'Fold above so many, and keep so many. Empty: this rule is off.',
    },
    turnUnit: { label: 'What counts as a turn', help: 'Every message, or every reply.' },
    boundary: { label: 'Where a cut may fall', help: 'After any message, or only between turns.' },
  },
  zh: {
    fullContextTurns: { label: 'A：完整保留的轮数', help: '最新的几轮，一字不改。' },
    cachedContextTurns: { label: 'B：每次折叠的轮数', help: '较早的轮次攒够这么多，就合成一份摘要。' },
    budget: { label: '词元预算', help: '一次请求最多容纳多少词元；达到之前就会折叠。' },
    lowWater: { label: '折叠后保留的比例', help: '折叠之后仍占用预算的多少：0.2 即五分之一。' },
    idleSec: { label: '静默秒数', help: '静默这么久，提供商的提示缓存已失效，此时折叠没有代价。' },
    threshold: { label: '超过多少条就折叠', help: '折叠之前以原文出现的消息条数。' },
    keepLast: { label: '保留条数', help: '折叠之后仍是原文的消息条数。' },
    contextSize: { label: '最多消息数', help: '一次请求里的原文消息不会超过这个数。' },
    tailKeepSize: { label: '保留的消息数', help: '最新的这些消息，一字不改。' },
    compressionWindowSize: { label: '每次折叠的消息数', help: '较早的消息攒够这么多，就合成一份摘要。' },
    compressionHardLimit: { label: '硬上限', help: '较早的消息达到这么多时无论如何都折叠，即使模型失败。' },
    compressionCooldownSec: {
      label: '冷却秒数',
      help: '距上次折叠这么久之后，更少的消息也会折叠。留空：不启用。',
    },
    everyNTurns: { label: '每隔多少轮', help: '过了这么多轮就折叠。留空：不启用此规则。' },
    maxMessagesTextLength: { label: '最多字符数', help: '原文消息达到这个长度就折叠。留空：不启用此规则。' },
    maxKeepMessagesCount: { label: '最多消息数', help: '超过就折叠，并保留这么多条。留空：不启用此规则。' },
    turnUnit: { label: '什么算一轮', help: '每条消息（message），或每次回复（reply）。' },
    boundary: { label: '切分位置', help: '任意消息之后（message），或只在两轮之间（turn）。' },
    zone: { help: '没有时区偏移的时间按哪个时区理解。' },
    language: {
      help: '引擎写入上下文、记忆和工具说明的文字用哪种语言：auto 按对话所用的语言，或始终用所填的语言；从下一个纪元起生效。',
    },
    groupTurnMessages: { help: '群聊中，连续这么多条消息没有回复，也算一轮结束。' },
    model: { help: '撰写摘要的语言模型；none：使用内置的摘录式摘要。' },
    modelBaseUrl: { help: '模型 API 的地址；openai-compatible 必须填写。' },
    modelApiKey: {
      help: '模型 API 的密钥；原样存储，从不显示；只发往提供它时的地址和供应商。',
    },
    fallbackModel: { help: '模型失败时改用的模型；地址和密钥相同。' },
    allowedModels: { help: '命名空间可以用服务器自己的密钥选用的模型；none：只能用环境变量指定的模型。' },
    modelTimeoutSec: { help: '一份摘要最多用多少秒，包括重试一次。' },
    modelWindow: { help: '模型窗口的词元数；更长的内容分段阅读；none：32000。' },
    verbatimBelowTokens: { help: '词元更少的内容不调用模型，原样保留，攒够之后一起摘要。' },
    summaryCallsPerHour: { help: '每小时为摘要和记忆调用模型的次数；超过后折叠不用模型，提取等待。' },
    summaryTokensPerHour: { help: '这些调用每小时的词元数；超过后折叠不用模型，提取等待。' },
    sessionSummaryCallsPerHour: { help: '单个会话每小时的同类调用次数。' },
    sessionSummaryTokensPerHour: { help: '单个会话每小时的同类词元数。' },
    memoInstructions: { help: '会话备忘应包含什么，每行一条要求。' },
    extract: { help: '何时提取用户和空间的记忆：每轮之后（turn）、成批（batch）或从不（off）。' },
    scopeLearnsFrom: {
      help: '空间的记忆从哪些会话学习：只从非私聊的会话（shared），或所有会话（all）——私聊中说的话会显示给整个空间。',
    },
    memoryOwner: {
      help: '在谁的私聊中模型可以写入所有人可见的内容（write_memory）；多个用户 id 用逗号分隔；none：任何聊天都不可以。',
    },
    ownerSharesIn: {
      help: '这些人在哪里可以让模型写入所有人可见的内容：只在私聊中（private），或在群聊中回答他们时也可以（groups）。',
    },
    redact: { help: '存储之前去除什么：密钥、令牌、密码和卡号，或什么都不去除。' },
    personaTokens: { help: '人设的词元数；超出的部分不显示。' },
    globalMemoryTokens: { help: '全局记忆的词元数；超出后压缩最早的行。' },
    userMemoryTokens: { help: '一个人的记忆的词元数；超出后压缩最早的行。' },
    scopeMemoryTokens: { help: '一个空间的记忆的词元数；超出后压缩最早的行。' },
    chatMemoryTokens: { help: '一个聊天的记忆的词元数；超出后压缩最早的行。' },
    dailyLogTokens: { help: '一个聊天每日日志的词元数；超出后压缩最早的行。' },
    outputReserve: { help: '上下文预算中留给回复的词元数。' },
    maxBodyBytes: { help: '一次请求的正文最多多少字节。' },
    maxHeldBodyBytes: {
      help: '所有进行中请求的正文合计最多占用多少字节，单个调用方最多一半；超过后请求得到 503。',
    },
    rateLimit: { help: '每个密钥（没有密钥时每个地址）每分钟的请求数；对外服务时默认 1200。' },
    db: { help: 'SQLite 数据库文件。' },
    store: { help: '用 PostgreSQL 数据库代替文件。' },
    workspace: { help: '以文件形式保存记忆的文件夹，可阅读和编辑。' },
    erasedList: {
      help: '已抹除内容的清单，恢复旧备份时据此再次抹除；none：放在 SQLite 数据库旁边，PostgreSQL 则没有。',
    },
    eventRetentionDays: { help: '为读取者保留事件的天数，适用于所有命名空间；none：永久保留。' },
    backup: { help: '定期备份 SQLite 数据库的文件夹。' },
    backupEvery: { help: '一次备份之后多久进行下一次。' },
    backupKeep: { help: '该文件夹中保留多少个备份；超出的最旧备份会被删除。' },
    host: { help: '服务器监听的地址。' },
    port: { help: '服务器的端口；0：任意空闲端口。' },
    namespace: { help: '无需密钥者以及工作区所属的租户。' },
    allowedHosts: { help: '服务器以哪些名字应答；none：本机的名字，对外时任意。' },
    corsOrigins: { help: '哪些网站的页面可以从浏览器调用。' },
    trustProxy: { help: '是否由您的代理在 x-forwarded-for 中说明谁在调用。' },
  },
})

/**
 * A setting's name and meaning in the chosen language. If the page has no text for it, the server's own help
 * is shown.
 */
export function useSettingText(): (description: SettingDescription) => { label: string; help: string } {
  const table = useTable()
  return ({ name, help }) => ({
    label: table[name]?.label ?? name,
    help: table[name]?.help ?? help,
  })
}
