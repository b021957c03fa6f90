import { contentText, headOf, type Message } from '../../../log/index.ts'
import { inertLine } from '../../inert-text.ts'
import type { ChatCommand } from './command.ts'

/** A loop of tool calls may be long. */
const LOOKED_AT = 1_000

export const undoCommand: ChatCommand = {
  name: 'undo',
  help: 'take back what you said last, and the reply to it',
  run: async (_, { session }) => {
    const taken = lastTurn(await session.messages({ from: 'newest', limit: LOOKED_AT }))
    if (taken.length === 0) return { text: 'There is nothing to take back.', json: { takenBack: [] } }
    await session.rollback(taken[0]!.seq - 1)
    const said = taken.filter(({ content }) => contentText(content).trim() !== '')
    return {
      text: ['Taken back:', ...said.map(lineOf)].join('\n'),
      json: { takenBack: taken.map(({ seq, role, content }) => ({ seq, role, text: contentText(content) })) },
    }
  },
}

/** The last messages of people, one after the other, and all that came after them. */
function lastTurn(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const before = messages.slice(0, Math.max(0, last)).findLastIndex(({ role }) => role !== 'user')
  return last === -1 ? messages : messages.slice(before + 1)
}

const SHOWN_CHARACTERS = 70

function lineOf({ role, content }: Message): string {
  const line = inertLine(contentText(content).replace(/\s+/g, ' ').trim())
  const shown = line.length > SHOWN_CHARACTERS ? `${headOf(line, SHOWN_CHARACTERS)}…` : line
  return `  ${role === 'user' ? '>' : ' '} ${shown}`
}
