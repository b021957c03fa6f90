import type { ChatCommand } from './command.ts'

export const newCommand: ChatCommand = {
  name: 'new',
  help: 'begin anew; what was said is archived, never deleted',
  run: async (_, { palimpsest, session, now, onProgress }) => {
    const messages = await session.count()
    if (messages === 0) return { text: 'This chat is new already.', json: { archivedAs: null, messages } }
    onProgress('waiting for folds under way …')
    await palimpsest.settled()
    const archivedAs = `${session.id}/archive-${stampOf(now())}`
    await session.fork(archivedAs)
    await session.rollback(0)
    return {
      text: `A new chat. The ${messages} ${messages === 1 ? 'message' : 'messages'} so far are kept as ${archivedAs}:\n  palimpsest search QUERY --session ${archivedAs}`,
      json: { archivedAs, messages },
    }
  },
}

/** `20260210T140309123Z`: in an id no two of them are alike. */
function stampOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '')
}
