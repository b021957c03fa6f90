import { headOf, tailOf } from '../log/index.ts'
import { estimateTokens } from '../tokens/index.ts'

const HEAD_SHARE = 0.65
/** A shorter piece of the text is not worth showing. */
const MIN_CHARACTERS = 16

/**
 * Head and tail of a text that is larger than `tokens`. Between them stands `reference`: it says what is
 * missing and where it is. The cut never splits a character. The same text and limit always give the same
 * result.
 *
 * `whole`: the tokens of the whole text, where the caller knows them: measuring megabytes takes long.
 */
export function clipText(
  text: string,
  tokens: number,
  reference: (leftOut: number) => string,
  whole = estimateTokens(text),
): string {
  if (whole <= tokens) return text
  const room = tokens - estimateTokens(reference(text.length)) - 2
  for (let length = Math.floor((text.length * room) / whole); length >= MIN_CHARACTERS; ) {
    const head = headOf(text, Math.ceil(length * HEAD_SHARE))
    const tail = tailOf(text, Math.floor(length * (1 - HEAD_SHARE)))
    const clipped = `${head}\n${reference(text.length - head.length - tail.length)}\n${tail}`
    if (estimateTokens(clipped) <= tokens) return clipped
    length = Math.floor(length * 0.85)
  }
  return reference(text.length)
}
