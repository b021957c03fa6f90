import type { AgentInputItem } from '@openai/agents'
import type { RawRules } from '../../context/index.ts'
import type { Message } from '../../log/index.ts'
import { asItem } from './item-format.ts'
import { type ItemRules, itemsOf } from './items-of.ts'
import { clipItem, isResult, stubResult } from './shorten-item.ts'
import { validItems } from './valid-items.ts'
import { wellFormed } from './well-formed.ts'

/** What of the log is sent as items, and the originals of those that are not sent as they are. */
export interface ShownHistory {
  readonly items: readonly AgentInputItem[]
  readonly originals: readonly { readonly shown: AgentInputItem; readonly original: AgentInputItem }[]
}

/** As a context shows them, so that they fit where it fits, and stay what they are as long as it does. */
export function showHistory(
  messages: readonly Message[],
  { stubBelowSeq, clipTokens }: RawRules,
  rules: ItemRules,
): ShownHistory {
  const originals: { shown: AgentInputItem; original: AgentInputItem }[] = []
  const items = messages.flatMap(message =>
    itemsOf(message, rules).map(original => {
      const where = { seq: message.seq, language: rules.language }
      const isOld = message.seq < stubBelowSeq && isResult(original)
      const short = isOld ? stubResult(original, where) : clipItem(original, clipTokens, where)
      const shown = wellFormed(short)
      if (shown !== original) originals.push({ shown, original })
      return shown
    }),
  )
  return { items: validItems(items), originals }
}

/** Providers want a thought before what came of it, so that a beginning in between takes the thoughts along. */
export function thoughtsBefore(messages: readonly Message[], rules: ItemRules): readonly Message[] {
  const isThought = (message: Message) =>
    itemsOf(message, rules).some(item => asItem(item)['type'] === 'reasoning')
  const last = messages.findLastIndex(message => !isThought(message))
  return messages.slice(last + 1)
}
