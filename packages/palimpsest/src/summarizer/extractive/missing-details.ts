import type { SourceMessage } from '../summarizer.ts'
import { chooseDetails } from './details.ts'
import { weighTerms } from './extractive.ts'
import { readRange } from './units.ts'

/**
 * The exact things of a range that `said`, a text from another writer, does not say. The most telling come
 * first.
 */
export function* missingDetails(
  messages: readonly SourceMessage[],
  { zone, said, limit }: { zone: string; said: string; limit: number },
): Generator<void, string[], void> {
  const range = yield* readRange(messages, zone)
  const weights = yield* weighTerms(range, said)
  return yield* chooseDetails(range, weights, exact => says(said, exact), limit)
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u
/** Scripts that write words without spaces: a character beside a word does not mean that the word goes on. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

/** Whether the text says it as it stands, and not as a part of something longer: 1405 does not say 40. */
export function says(text: string, exact: string): boolean {
  for (let at = text.indexOf(exact); at >= 0; at = text.indexOf(exact, at + 1)) {
    const goesOn = isSameWord(text[at - 1], exact[0]!) || isSameWord(exact.at(-1)!, text[at + exact.length])
    if (!goesOn) return true
  }
  return false
}

function isSameWord(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false
  return [before, after].every(each => WORD_CHARACTER.test(each) && !UNSPACED.test(each))
}
