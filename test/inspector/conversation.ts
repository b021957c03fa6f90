import type { MessageInput } from '../../packages/palimpsest/src/index.ts'
import type { Ground } from './kit.ts'

const ANN = { id: 'u-1', name: 'Ann' }
const BOT = { id: 'bot', name: 'Pal', isSelf: true }

/** With figures of its own, which summaries keep, so that levels come soon. */
function detail(turn: number): string {
  return `We looked at harbour ${turn}, at the mill of ${1_700 + turn} and at house no. ${turn * 7} for ${turn * 1_300} euros.`
}

/** Turns of a question and a reply, each with a word of its own. */
export function turns(count: number, first = 1): readonly MessageInput[] {
  return Array.from({ length: count }, (_, index) => first + index).flatMap(turn => [
    { role: 'user', text: `Question ${turn}: what about plan-${turn}? ${detail(turn)}`, sender: ANN },
    { role: 'assistant', text: `Answer ${turn}: plan-${turn} is fine. ${detail(turn)}`, sender: BOT },
  ])
}

/** Appends turn by turn, and waits for each fold that comes of it. */
export async function converse(ground: Ground, sessionId: string, count: number): Promise<void> {
  for (let turn = 1; turn <= count; turn++) {
    await ground.append(sessionId, ...turns(1, turn))
    await ground.call('POST', `/v1/sessions/${encodeURIComponent(sessionId)}/compact`, {})
  }
}
