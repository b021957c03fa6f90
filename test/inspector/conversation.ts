import type { MessageInput } from '../../src/index.ts'
import type { Ground } from './kit.ts'

const ANN = { id: 'u-1', name: 'Ann' }
const BOT = { id: 'bot', name: 'Pal', isSelf: true }

/** With it, three turns are short enough to be kept word for word, so that levels come soon. */
const DETAIL = 'We looked at the harbour, at the old mill and at the house with the green door.'

/** Turns of a question and a reply, each with a word of its own. */
export function turns(count: number, first = 1): readonly MessageInput[] {
  return Array.from({ length: count }, (_, index) => first + index).flatMap(turn => [
    { role: 'user', text: `Question ${turn}: what about plan-${turn}? ${DETAIL}`, sender: ANN },
    { role: 'assistant', text: `Answer ${turn}: plan-${turn} is fine. ${DETAIL}`, sender: BOT },
  ])
}

/** Appends turn by turn, and waits for each fold that comes of it. */
export async function converse(ground: Ground, sessionId: string, count: number): Promise<void> {
  for (let turn = 1; turn <= count; turn++) {
    await ground.append(sessionId, ...turns(1, turn))
    await ground.call('POST', `/v1/sessions/${encodeURIComponent(sessionId)}/compact`, {})
  }
}
