import { type Language, textsOf } from '../language/index.ts'
import { attachmentKind, type ContentPart, isAttachment, modelText } from '../log/index.ts'
import { estimateTokens, FLAT_TOKENS } from '../tokens/index.ts'
import { clipText } from './clip-text.ts'

export type Clip = (text: string) => string

/** The last attachments, as many as the room holds. */
export function attachmentsWithin(parts: readonly ContentPart[], tokens: number): ReadonlySet<ContentPart> {
  const kept = new Set<ContentPart>()
  let left = tokens
  for (const part of parts.toReversed()) {
    if (!isAttachment(part)) continue
    left -= FLAT_TOKENS[attachmentKind(part) === 'image' ? 'image' : 'file']
    if (left < 0) break
    kept.add(part)
  }
  return kept
}

/**
 * Makes the function that clips each text of a message that is too large: each text keeps its share of the
 * room. If there are attachments or reasoning, half of the room is for them.
 *
 * `seq`: the message, to be named where text is missing; `null`: it is not named. `all`: the tokens of its
 * whole text, where the caller knows them.
 */
export function clipper(
  parts: readonly ContentPart[],
  tokens: number,
  {
    seq,
    all: known,
    language,
  }: { readonly seq: number | null; readonly all?: number | undefined; readonly language: Language },
): Clip {
  const attached = parts.some(part => isAttachment(part) || part.type === 'reasoning')
  const room = attached ? tokens / 2 : tokens
  const texts = parts.filter(part => part.type !== 'reasoning')
  const all = Math.max(1, known ?? estimateTokens(modelText(texts)))
  const isOne = texts.length === 1 && texts[0]!.type === 'text'
  const { charactersLeftOut } = textsOf(language).messages
  return text => {
    if (text === '') return text
    const whole = isOne ? all : estimateTokens(text)
    const share = Math.floor((room * whole) / Math.max(all, room))
    return clipText(text, share, leftOut => charactersLeftOut(leftOut, seq), whole)
  }
}
