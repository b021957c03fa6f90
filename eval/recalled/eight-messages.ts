import type { Recalled } from '../../packages/palimpsest/src/context/index.ts'
import { renderRecall } from '../../packages/palimpsest/src/context/render-recall.ts'
import { headOf, type Message } from '../../packages/palimpsest/src/log/index.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'

const MAX_MESSAGES = 8
const MAX_CHARACTERS = 1_200

/** What recall was at first: the best eight messages from their beginnings, as many as there is room for. */
export function eightMessages(hits: readonly Message[], mostTokens: number): Recalled | null {
  let shown: Message[] = []
  let text: string | null = null
  for (const message of hits.slice(0, MAX_MESSAGES)) {
    const more = [...shown, message]
    const whole = render(more)
    if (estimateTokens(whole) > mostTokens) continue
    shown = more
    text = whole
  }
  return text === null ? null : { text, seqs: shown.map(({ seq }) => seq) }
}

function render(messages: readonly Message[]): string {
  const clipped = messages.map(message => {
    const text = message.content as string
    return { message, text: text.length <= MAX_CHARACTERS ? text : `${headOf(text, MAX_CHARACTERS)}…` }
  })
  return renderRecall(clipped, 'en')
}
