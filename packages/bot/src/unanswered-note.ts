import { inert } from 'palimpsest/internals/context/index'
import { contentText, headOf, type Message } from 'palimpsest/internals/log/index'

const MAX_CHARACTERS = 300

/**
 * Reminds the model of the messages to answer, where it is shown later messages as well. `null`: they are the
 * last messages that it is shown, through `shownThrough`.
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
