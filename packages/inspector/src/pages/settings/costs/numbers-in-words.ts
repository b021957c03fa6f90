import type { ReplayAnswer } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'

type Show = (name: string) => string

const useTexts = defineTexts<Readonly<Record<string, (show: Show) => string>>>({
  en: {
    tokens: show => `a budget of ${show('budget')} tokens`,
    rounds: show => `A = ${show('fullContextTurns')} and B = ${show('cachedContextTurns')}`,
    window: show =>
      `${show('tailKeepSize')} messages kept, ${show('compressionWindowSize')} folded at a time`,
    count: show => `a fold above ${show('threshold')} messages, ${show('keepLast')} kept`,
    resize: show =>
      `a fold every ${show('everyNTurns')} turns or ${show('maxMessagesTextLength')} characters`,
  },
  zh: {
    tokens: show => `预算 ${show('budget')} 词元`,
    rounds: show => `A = ${show('fullContextTurns')}、B = ${show('cachedContextTurns')}`,
    window: show => `保留 ${show('tailKeepSize')} 条、每次折叠 ${show('compressionWindowSize')} 条`,
    count: show => `超过 ${show('threshold')} 条折叠、保留 ${show('keepLast')} 条`,
    resize: show => `每 ${show('everyNTurns')} 轮或 ${show('maxMessagesTextLength')} 个字符折叠`,
  },
})

/** The most important numbers of a preset, in words that can follow “with”. */
export function useNumbersInWords(): (answer: ReplayAnswer) => string {
  const texts = useTexts()
  const { number } = useFormats()
  return ({ policy, settings }) => {
    const show: Show = name => {
      const value = settings[name]
      return typeof value === 'number' ? number(value) : '–'
    }
    return texts[policy]?.(show) ?? policy
  }
}
