import { inertName } from '../../context/index.ts'
import type { Language } from './language-of.ts'

/** Something that was said, as the answer shows it. */
export interface Find {
  /** `null`: the one who asks. */
  readonly speaker: string | null
  /** `2026-02-10`. */
  readonly day: string
  readonly excerpt: string
}

interface Phrases {
  readonly greeting: string
  readonly found: string
  readonly nothing: string
  readonly kept: string
  readonly keptAgain: string
  readonly you: string
  readonly nameless: string
  readonly line: (speaker: string, day: string, quoted: string) => string
  readonly quote: (text: string) => string
}

const PHRASES: Readonly<Record<Language, Phrases>> = {
  en: {
    greeting:
      'Hello. I keep what is said here, and look it up when you ask. No model is set up here: I only find what was said.',
    found: 'No model is set up here, so I only looked up what was said:',
    nothing:
      'I found nothing about that in this chat. No model is set up here: I can only look up what was said. Your message is kept, and you can ask about it later.',
    kept: 'Kept. No model is set up here, but you can ask me about it later: I look up what was said.',
    keptAgain: 'Kept.',
    you: 'you',
    nameless: 'somebody',
    line: (speaker, day, quoted) => `- ${speaker}, ${day}: ${quoted}`,
    quote: text => `“${text.replace(/[“”„]/gu, "'")}”`,
  },
  zh: {
    greeting: '你好。我会保存这里说过的话，问我时我会查找。这里没有接入模型，我只能找到说过的内容。',
    found: '这里没有接入模型，我只查找了聊天记录：',
    nothing:
      '在这段聊天里没有找到相关内容。这里没有接入模型，我只能查找说过的话。这条消息已保存，以后可以问我。',
    kept: '已保存。这里没有接入模型，不过以后可以问我：我会查找说过的话。',
    keptAgain: '已保存。',
    you: '你',
    nameless: '某人',
    line: (speaker, day, quoted) => `- ${speaker}（${day}）：${quoted}`,
    quote: text => `「${text.replaceAll('「', '『').replaceAll('」', '』')}」`,
  },
}

export function foundText(finds: readonly Find[], language: Language): string {
  const { found, you, nameless, line, quote } = PHRASES[language]
  const lines = finds.map(({ speaker, day, excerpt }) =>
    line(speaker === null ? you : nameOf(speaker) || nameless, day, quote(oneLine(excerpt))),
  )
  return [found, ...lines].join('\n')
}

export function greetingText(language: Language): string {
  return PHRASES[language].greeting
}

export function nothingText(language: Language): string {
  return PHRASES[language].nothing
}

/** `isKnown`: what becomes of it was said before. */
export function keptText(language: Language, { isKnown }: { readonly isKnown: boolean }): string {
  return isKnown ? PHRASES[language].keptAgain : PHRASES[language].kept
}

/** Without the marks that end a name in a line. */
function nameOf(speaker: string): string {
  return inertName(speaker)
    .replace(/[,:：（）“”「」]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** What people said can neither begin a line of its own nor turn the direction of one. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu, '')
    .trim()
}
