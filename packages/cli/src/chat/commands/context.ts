import type { SessionInfo } from 'palimpsest/internals/session'
import { drawTable, left, right } from '../../text-layout.ts'
import type { ChatCommand } from './command.ts'
import { countText } from './count-text.ts'

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)}%`

export const contextCommand: ChatCommand = {
  name: 'context',
  help: 'what the model would see next, in tokens',
  run: async (_, { session, hasModel }) => {
    const info = await session.info()
    if (info === null || info.messages === 0)
      return { text: 'Nothing yet: this chat is empty.', json: { empty: true } }
    const { report } = await session.context(
      hasModel ? { tools: (await session.memoryTools()).toOpenAI() } : {},
    )
    const { tokens, budget, blocks, omitted } = report
    const rows = blocks.map(({ name, tokens: own }) => [
      name.replaceAll('_', ' '),
      countText(own),
      percent(own, budget),
    ])
    const lines = [
      drawTable(
        [left('block'), right('tokens'), right('of the budget')],
        [...rows, ['together', countText(tokens), percent(tokens, budget)]],
      ),
      `budget: ${countText(budget)} tokens, ${countText(budget - tokens)} of them free`,
      messagesText(info),
      ...omitted.map(omissionText),
    ]
    const { messages, rawMessages, segments, beginsAfter } = info
    return { text: lines.join('\n'), json: { report, messages, rawMessages, segments, beginsAfter } }
  },
}

function messagesText({ messages, rawMessages, segments, beginsAfter }: SessionInfo): string {
  if (beginsAfter !== null)
    return `messages: ${countText(messages)}; the context begins after ${countText(beginsAfter)}, where the chat began anew`
  if (rawMessages === messages) return `messages: ${countText(messages)}, all as they were said`
  const into = segments === 1 ? '1 segment' : `${countText(segments)} segments`
  return `messages: ${countText(messages)}, ${countText(rawMessages)} as they were said and ${countText(messages - rawMessages)} folded into ${into}`
}

function omissionText(omission: {
  what: string
  reason: string
  fromSeq: number
  toSeq: number
  count: number
}) {
  const { what, reason, fromSeq, toSeq, count: many } = omission
  // Memory belongs to no message.
  const where = toSeq === 0 ? '' : ` of ${fromSeq}–${toSeq}`
  return `left out: ${what} (${many})${where}: ${reason.replaceAll('_', ' ')}`
}
