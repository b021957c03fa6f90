import type { AgentInputItem } from '@openai/agents'
import type { RawRules } from '../../context/index.ts'
import type { Message } from '../../log/index.ts'
import { asItem } from './item-format.ts'
import { type ItemRules, itemsOf } from './items-of.ts'
import { clipItem, isResult, stubResult } from './shorten-item.ts'
import { validItems } from './valid-items.ts'
import { wellFormed } from './well-formed.ts'

/**
 * The part of the log that is sent as items, and the originals of the items that are not sent as they are.
 */
export interface ShownHistory {
  readonly items: readonly AgentInputItem[]
  readonly originals: readonly { readonly shown: AgentInputItem; readonly original: AgentInputItem }[]
}

/**
 * Shows messages as a context does. So they fit where the context fits, and stay the same as long as the
 * context does.
 */
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

/**
 * Providers want a thought before its result. If the history begins between the two, it takes the thoughts
 * along.
 */
export function thoughtsBefore(messages: readonly Message[], rules: ItemRules): readonly Message[] {
  const isThought = (message: Message) =>
    itemsOf(message, rules).some(item => asItem(item)['type'] === 'reasoning')
  const last = messages.findLastIndex(message => !isThought(message))
  return messages.slice(last + 1)
}
