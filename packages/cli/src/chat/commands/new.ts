import type { ChatCommand } from './command.ts'
import { countText } from './count-text.ts'

export const newCommand: ChatCommand = {
  name: 'new',
  help: 'begin anew; what was said is kept and can be searched, and /undo takes this back',
  run: async (_, { session }) => {
    const messages = await session.count()
    const begun = messages === 0 ? null : await session.newBeginning()
    if (begun === null)
      return { text: 'This chat is at its beginning already.', json: { beginsAfter: null, messages } }
    return {
      text: `A new beginning. ${soFar(messages)} kept: /search finds them, memory stays, and /undo takes this back.`,
      json: { beginsAfter: begun.afterSeq, messages },
    }
  },
}

function soFar(messages: number): string {
  return messages === 1 ? 'The 1 message so far is' : `The ${countText(messages)} messages so far are`
}
