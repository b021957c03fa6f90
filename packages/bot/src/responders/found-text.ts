import { inertName } from 'palimpsest/internals/context/index'
import { type Language, textsOf } from 'palimpsest/internals/language/index'

/** A passage that was found, as the answer shows it. */
export interface Find {
  /** `null`: the person who asks. */
  readonly speaker: string | null
  /** `2026-02-10`. */
  readonly day: string
  readonly excerpt: string
}

export function foundText(finds: readonly Find[], language: Language): string {
  const { found, you, nameless, line, quote } = textsOf(language).replies
  const lines = finds.map(({ speaker, day, excerpt }) =>
    line(speaker === null ? you : nameOf(speaker) || nameless, day, quote(oneLine(excerpt))),
  )
  return [found, ...lines].join('\n')
}

export function greetingText(language: Language): string {
  return textsOf(language).replies.greeting
}

export function nothingText(language: Language): string {
  return textsOf(language).replies.nothing
}

/** `isKnown`: the person was told before what happens to messages. */
export function keptText(language: Language, { isKnown }: { readonly isKnown: boolean }): string {
  return isKnown ? textsOf(language).replies.keptAgain : textsOf(language).replies.kept
}

/** Removes the signs that end a name within a line. */
function nameOf(speaker: string): string {
  return inertName(speaker)
    .replace(/[,:：（）“”「」]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Quoted text must neither begin a line of its own nor turn the direction of one. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu, '')
    .trim()
}
