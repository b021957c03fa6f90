import { inert, senderName } from '../../context/index.ts'
import { type Language, textsOf } from '../../language/index.ts'
import { headOf, type Message, searchableText } from '../../log/index.ts'
import { estimateTokens } from '../../tokens/index.ts'

/** The lengths that are tried for the text of a message. The first one that fits is used. */
const CHARACTERS = [1_200, 400, 120, 40]
/** So many of the messages without room are named by number. */
const MAX_NAMED = 12

/**
 * Renders messages that were edited after a summary was made of them, for the volatile end of a context. It
 * tells who corrected which message, and the new text. It never tells the old text, since a person may have
 * had a reason to remove it. The latest corrections get the room. The others are named by number. `null`:
 * there is no room for any of it. The last of `messages` is the latest correction.
 */
export function renderCorrections(
  messages: readonly Message[],
  { language, mostTokens }: { readonly language: Language; readonly mostTokens: number },
): readonly string[] | null {
  const { opening, more } = textsOf(language).corrections
  const named = (left: readonly Message[]) =>
    left.length === 0 ? [] : [more(left.slice(-MAX_NAMED).map(({ seq }) => seq))]
  const fits = (lines: readonly string[]) => estimateTokens([opening, ...lines].join('\n')) + 2 <= mostTokens
  let shown: readonly string[] = []
  let left = messages
  for (const message of messages.toReversed()) {
    const rest = left.slice(0, -1)
    const line = CHARACTERS.map(most => lineOf(message, { language, most })).find(each =>
      fits([...named(rest), each, ...shown]),
    )
    if (line === undefined) break
    shown = [line, ...shown]
    left = rest
  }
  const lines = [...named(left), ...shown]
  return lines.length > 0 && fits(lines) ? [opening, ...lines] : null
}

function lineOf(message: Message, { language, most }: { language: Language; most: number }): string {
  const { seq, role, sender, at, content } = message
  const text = searchableText(content).trim()
  const clipped = text.length <= most ? text : `${headOf(text, most)}…`
  return textsOf(language).corrections.line({
    seq,
    name: sender ? senderName(message, language) : textsOf(language).roles[role],
    day: at.toISOString().slice(0, 10),
    text: inert(clipped).replaceAll('\n', ' '),
  })
}
