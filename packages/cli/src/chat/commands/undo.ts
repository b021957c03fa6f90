import { contentText, headOf, type Message } from 'palimpsest/internals/log/index'
import { inertLine } from '../../inert-text.ts'
import type { ChatCommand } from './command.ts'

/** How many messages are read: a loop of tool calls may be long. */
const LOOKED_AT = 1_000

export const undoCommand: ChatCommand = {
  name: 'undo',
  help: 'take back what you said last, and the reply to it; or /new, if nothing was said since',
  run: async (_, { session, user }) => {
    const info = await session.info()
    const messages = await session.messages({ from: 'newest', limit: LOOKED_AT })
    const after = info?.beginsAfter ?? null
    if (after !== null && (messages.at(-1)?.seq ?? 0) <= after) {
      await session.undoNewBeginning()
      return { text: BACK, json: { takenBack: [], beginning: after } }
    }
    const isGroup = info?.kind === 'group'
    const isOwn = ({ role, sender }: Message) => role === 'user' && (!isGroup || sender?.id === user)
    const taken = lastTurn(messages, isOwn)
    if (taken.some(message => message.role === 'user' && !isOwn(message)))
      return { text: OTHERS_SPOKE, json: { takenBack: [], reason: 'others_spoke' } }
    if (taken.length === 0) return { text: 'There is nothing to take back.', json: { takenBack: [] } }
    await session.rollback(taken[0]!.seq - 1)
    const said = taken.filter(({ content }) => contentText(content).trim() !== '')
    return {
      text: ['Taken back:', ...said.map(lineOf)].join('\n'),
      json: { takenBack: taken.map(({ seq, role, content }) => ({ seq, role, text: contentText(content) })) },
    }
  },
}

const BACK = 'The new beginning is taken back: the chat goes on where it was.'

const OTHERS_SPOKE =
  'Nothing was taken back: others have spoken since you did, and what they said is not yours to take back.'

/** The last unbroken run of messages of this person, and everything after it. */
function lastTurn(messages: readonly Message[], isOwn: (message: Message) => boolean): readonly Message[] {
  const last = messages.findLastIndex(isOwn)
  if (last === -1) return messages.some(({ role }) => role === 'user') ? [] : messages
  const before = messages.slice(0, last).findLastIndex(message => !isOwn(message))
  return messages.slice(before + 1)
}

const SHOWN_CHARACTERS = 70

function lineOf({ role, content }: Message): string {
  const line = inertLine(contentText(content).replace(/\s+/g, ' ').trim())
  const shown = line.length > SHOWN_CHARACTERS ? `${headOf(line, SHOWN_CHARACTERS)}…` : line
  return `  ${role === 'user' ? '>' : ' '} ${shown}`
}
