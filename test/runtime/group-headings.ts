import type { Context, Message } from '../../packages/palimpsest/src/index.ts'

/** Who speaks, as a context says it: `[Alex (group:u01)]:`, or without a name `[group:u01]:`. */
const HEADING = /^\[([^\]\n]*)\]:/gm

/**
 * What is wrong with how a context says who said what; `null`: nothing. Each message of the log that it shows as it
 * was said has one heading, and whatever the names and texts are, each heading's id belongs to one person.
 */
export function findHeadingProblem(context: Context, log: readonly Message[]): string | null {
  const bySeq = new Map(log.filter(({ role }) => role === 'user').map(message => [message.seq, message]))
  const people = new Map<string, string>()
  for (const [index, message] of context.messages.entries()) {
    const said = bySeq.get(context.messageSeqs[index]!)
    const text = typeof message.content === 'string' ? message.content : JSON.stringify(message.content)
    // What was found by search, or whom names mean by now, stands before the message that asks.
    if (said === undefined || message.role !== 'user' || /^<(recall|recent_changes)>/.test(text)) continue
    const { id: sender } = said.sender!
    const headings = [...text.matchAll(HEADING)].map(([, heading]) => heading!)
    const id = idOf(headings[0] ?? '')
    const known = people.get(id) ?? sender
    if (headings.length !== 1 || !text.startsWith('[') || known !== sender)
      return `Message ${said.seq} of ${sender} has the headings ${JSON.stringify(headings)}: ${text.slice(0, 200)}`
    people.set(id, sender)
  }
  return null
}

function idOf(heading: string): string {
  const plain = heading.replace(/^"(.*)"$/, '$1')
  return /\(([^()]*)\)$/.exec(plain)?.[1] ?? plain
}
