import { type Language, textsOf } from '../language/index.ts'
import { headOf, type Message, searchableText } from '../log/index.ts'
import { inert } from './inert.ts'
import { senderName } from './render-message.ts'
import { note } from './sent-message.ts'

const MOST_CHARACTERS = 1_200

/**
 * What was found for this call, in the order in which it was said, as much of the best as fits; `null`: nothing
 * does. `messages`: best first.
 */
export function renderRecall(
  messages: readonly Message[],
  { language, mostTokens }: { language: Language; mostTokens: number },
): string | null {
  const opening = ['<recall>', textsOf(language).recall]
  let text: string | null = null
  let shown: readonly { seq: number; line: string }[] = []
  for (const message of messages) {
    const more = [...shown, { seq: message.seq, line: lineOf(message, language) }].sort(
      (one, other) => one.seq - other.seq,
    )
    const whole = [...opening, ...more.map(({ line }) => line), '</recall>'].join('\n')
    // Measured as a whole: it can be more than its lines are, each by itself.
    if (note(whole, 0).tokens > mostTokens) continue
    shown = more
    text = whole
  }
  return text
}

/** Named as in a group: two people may have one name. */
function lineOf(message: Message, language: Language): string {
  const { role, sender, at, content } = message
  const name = sender ? senderName(message, language) : textsOf(language).roles[role]
  const text = searchableText(content)
  const clipped = text.length <= MOST_CHARACTERS ? text : `${headOf(text, MOST_CHARACTERS)}…`
  return `[${at.toISOString().slice(0, 16).replace('T', ' ')}Z] [${name}]: ${inert(clipped)}`
}
