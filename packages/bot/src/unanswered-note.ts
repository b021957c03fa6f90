import { inert } from 'palimpsest/internals/context/index'
import { contentText, headOf, type Message } from 'palimpsest/internals/log/index'

const MAX_CHARACTERS = 300

/**
 * What the model is reminded of where it is shown what others said, or what it said itself, after what it is to answer
 * now. `null`: that is what was said last of all that it is shown, through `shownThrough`.
 */
export function unansweredNote(
  messages: readonly Message[],
  shownThrough: number | undefined,
): string | null {
  if (shownThrough === undefined || shownThrough <= messages.at(-1)!.seq) return null
  const quotes = messages.map(({ content }) => `“${quote(contentText(content))}”`).join(', ')
  return `Not answered yet is ${quotes}, which came before what was said last. Answer that now.`
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const shown = line.length > MAX_CHARACTERS ? `${headOf(line, MAX_CHARACTERS)}…` : line
  return inert(shown)
}
