import { contentText, headOf, type Message } from '../../log/index.ts'

/** Of the texts that are ours: headings, labels, notes. */
export type Language = 'en' | 'zh'

const LOOKED_AT_CHARACTERS = 20_000
/** Chinese names keep their characters in English text, and English names theirs in Chinese. */
const LEAST_HAN_SHARE = 0.25
/** Japanese and Korean are written with Han characters too, but never long without their own. */
const MOST_OTHER_SHARE = 0.1

/** In what language a conversation is held, as far as we have our own words in it. */
export function conversationLanguage(text: string): Language {
  const beginning = headOf(text, LOOKED_AT_CHARACTERS)
  const letters = count(beginning, /\p{L}/gu)
  const han = count(beginning, /\p{Script=Han}/gu)
  const other = count(beginning, /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
  return han > letters * LEAST_HAN_SHARE && other <= han * MOST_OTHER_SHARE ? 'zh' : 'en'
}

/** Of what people and the assistant said. */
export function languageOf(messages: readonly Pick<Message, 'role' | 'content'>[]): Language {
  const said = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  return conversationLanguage(said.map(({ content }) => contentText(content)).join('\n'))
}

function count(text: string, characters: RegExp): number {
  return text.match(characters)?.length ?? 0
}
