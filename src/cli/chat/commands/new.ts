import { inertLine } from '../../inert-text.ts'
import { quoted } from '../../place-flags.ts'
import type { ChatCommand } from './command.ts'
import { countText } from './count-text.ts'

export const newCommand: ChatCommand = {
  name: 'new',
  help: 'begin anew; what was said is archived, never deleted',
  run: async (_, { palimpsest, session, placeFlags, now, onProgress }) => {
    const messages = await session.count()
    if (messages === 0) return { text: 'This chat is new already.', json: { archivedAs: null, messages } }
    onProgress('waiting for folds under way …')
    await palimpsest.settled()
    const archivedAs = `${session.id}/archive-${stampOf(now())}`
    await session.fork(archivedAs)
    await session.rollback(0)
    return {
      text: `A new chat. ${soFar(messages)} kept as ${inertLine(archivedAs)}:\n  palimpsest search QUERY --session ${inertLine(quoted(archivedAs))} ${inertLine(placeFlags)}`,
      json: { archivedAs, messages },
    }
  },
}

function soFar(messages: number): string {
  return messages === 1 ? 'The 1 message so far is' : `The ${countText(messages)} messages so far are`
}

/** `20260210T140309123Z`: in an id no two of them are alike. */
function stampOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '')
}
