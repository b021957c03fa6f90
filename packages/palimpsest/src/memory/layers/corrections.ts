import { inert, senderName } from '../../context/index.ts'
import { type Language, textsOf } from '../../language/index.ts'
import { headOf, type Message, searchableText } from '../../log/index.ts'
import { estimateTokens } from '../../tokens/index.ts'

/** Of what a message says now: as much as fits, of the first that does. */
const CHARACTERS = [1_200, 400, 120, 40]
/** So many of those for which there is no room are named. */
const MAX_NAMED = 12

/**
 * Messages that summaries tell of as they were before an edit, for the volatile end: who corrected which, and what it says
 * now. Never what it said before: that may have been taken back for a reason. Those that were corrected last come first in
 * what fits; the others are named. `null`: there is no room for any of it. `messages`: the last one was corrected last.
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
