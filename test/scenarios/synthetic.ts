import type { MessageInput } from '../../packages/palimpsest/src/index.ts'
import { randomNumbers } from './small-talk.ts'

export interface Shape {
  readonly turns: number
  /** Words of a usual message and of a usual reply; each is between a third and almost twice as long. */
  readonly userWords: number
  readonly replyWords: number
  /** Between two turns, on average. */
  readonly pauseSeconds: number
  /** Calls of tools in each turn, each with 300 words of result. */
  readonly toolCalls?: number
  /** How many more messages of others come before one that is answered, on average. */
  readonly chatter?: number
}

/** Conversations that bots have: short and long, chatty and sparse, with tools, in groups. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  short: { turns: 40, userWords: 40, replyWords: 100, pauseSeconds: 300 },
  'long, chatty': { turns: 1_000, userWords: 150, replyWords: 230, pauseSeconds: 60 },
  'long, sparse': { turns: 1_000, userWords: 150, replyWords: 230, pauseSeconds: 7_200 },
  'small talk, chatty': { turns: 1_000, userWords: 25, replyWords: 35, pauseSeconds: 60 },
  'small talk, sparse': { turns: 1_000, userWords: 25, replyWords: 35, pauseSeconds: 7_200 },
  'an agent with tools': { turns: 200, userWords: 60, replyWords: 150, pauseSeconds: 120, toolCalls: 4 },
  'a group': { turns: 400, userWords: 25, replyWords: 60, pauseSeconds: 600, chatter: 8 },
}

const WORDS = (
  'alpha river stone market window yellow travel number seven basket under bridge simple garden music letter ' +
  'silver coffee winter planet tomorrow because station remember perhaps kitchen together against morning'
).split(' ')

/** The same for the same shape. */
export function* synthetic(shape: Shape): Generator<MessageInput> {
  const random = randomNumbers(7)
  const around = (usual: number) => usual * (0.3 + 1.4 * random())
  const words = (usual: number) =>
    Array.from({ length: Math.ceil(around(usual)) }, () => WORDS[Math.floor(random() * WORDS.length)]).join(
      ' ',
    )
  let at = Date.UTC(2025, 0, 1)
  const after = (seconds: number) => {
    at += Math.round(seconds * 1000)
    return at
  }
  const { turns, userWords, replyWords, pauseSeconds, toolCalls = 0, chatter = 0 } = shape
  for (let turn = 1; turn <= turns; turn++) {
    after(around(pauseSeconds))
    const others = Math.floor(2 * chatter * random())
    for (let index = 0; index < others; index++)
      yield { role: 'user', sender: { id: `user-${index % 5}` }, content: words(userWords), at: after(20) }
    yield { role: 'user', sender: { id: 'user-1' }, content: words(userWords), at: after(5) }
    for (let index = 0; index < toolCalls; index++) {
      const call = { toolCallId: `call-${turn}-${index}`, toolName: 'look_up' }
      const input = { query: words(5) }
      yield { role: 'assistant', content: [{ type: 'tool-call', ...call, input }], at: after(2) }
      const output = words(300)
      yield { role: 'tool', content: [{ type: 'tool-result', ...call, output }], at: after(1) }
    }
    yield { role: 'assistant', content: words(replyWords), at: after(5) }
  }
}
