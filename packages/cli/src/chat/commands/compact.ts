import type { FoldOutcome } from 'palimpsest/internals/compaction/index'
import type { ChatCommand } from './command.ts'
import { countText } from './count-text.ts'

export const compactCommand: ChatCommand = {
  name: 'compact',
  takes: '[focus]',
  help: 'fold what is old into a summary now; focus: what to keep above all',
  run: async (focus, { session, signal, onProgress }) => {
    if ((await session.count()) === 0)
      return {
        text: 'There is nothing to fold: this chat is empty.',
        json: { outcome: 'skipped', reason: 'empty' },
      }
    onProgress('folding …')
    const outcome = await session.compact({ force: true, signal, ...(focus !== '' && { focus }) })
    // The field `type` of a line of JSON names the kind of the line, so the fold's own type is called `fold`.
    const { type: fold, ...rest } = outcome
    return { text: outcomeText(outcome), json: { fold, ...rest } }
  },
}

const ONLY_TAIL = 'what there is belongs to the end of the chat, which is kept as it was said'

const WHY_NOT: Readonly<Record<string, string>> = {
  nothing_to_do: ONLY_TAIL,
  force: ONLY_TAIL,
  already_folding: 'somebody else is folding it; try again in a moment',
  aborted: 'you stopped it; nothing has changed',
  epoch_conflict: 'the chat changed meanwhile; try again',
  unauthorized: 'the model refused the key: set PALIMPSEST_MODEL_API_KEY',
}

function outcomeText({ outcome, reason, fromSeq, toSeq, tokensBefore, tokensAfter, warnings }: FoldOutcome) {
  const notes = warnings.map(warning => `\nnote: ${warning}`).join('')
  if (outcome === 'applied' && fromSeq !== null)
    return `Folded messages ${fromSeq}–${toSeq}: ${countText(tokensBefore)} tokens became ${countText(tokensAfter)}. All of them are kept and can be searched.${notes}`
  const why = WHY_NOT[reason] ?? reason.replaceAll('_', ' ')
  return `${outcome === 'failed' ? 'The fold failed' : 'Nothing was folded'}: ${why}.${notes}`
}
