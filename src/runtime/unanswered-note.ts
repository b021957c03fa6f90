import { inert } from '../context/index.ts'
import { contentText, headOf, type Message } from '../log/index.ts'
import type { Session } from '../session.ts'

const MOST_CHARACTERS = 300

/**
 * What the model is reminded of where others spoke, or it spoke itself, after what it is to answer now. `null`: that
 * is what was said last.
 */
export async function unansweredNote(session: Session, messages: readonly Message[]): Promise<string | null> {
  const [newest] = await session.messages({ from: 'newest', limit: 1 })
  if ((newest?.seq ?? 0) <= messages.at(-1)!.seq) return null
  const quotes = messages.map(({ content }) => `“${quote(contentText(content))}”`).join(', ')
  return `Not answered yet is ${quotes}, which came before what was said last. Answer that now.`
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const shown = line.length > MOST_CHARACTERS ? `${headOf(line, MOST_CHARACTERS)}…` : line
  return inert(shown)
}
