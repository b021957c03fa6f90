import type { MessageInput } from '../packages/palimpsest/src/log/index.ts'
import { presetFromSettings } from '../packages/palimpsest/src/policy/index.ts'
import { replay } from '../packages/replay/src/index.ts'
import { smallTalk } from '../test/scenarios/small-talk.ts'
import type { Benchmark, Figure } from './benchmark.ts'

const MESSAGES = 100_000
const POLICIES = ['tokens', 'rounds', 'window', 'count', 'resize'] as const
/** Small talk is hours apart; here a minute, as in a chat that is under way. */
const PAUSE_MS = 60_000

/** How long the lab takes for a long conversation, and how that grows with its length. */
export const replaying: Benchmark = {
  name: 'replay',
  async run({ quick, progress }) {
    const messages = quick ? MESSAGES / 10 : MESSAGES
    const figures: Figure[] = []
    for (const name of POLICIES) {
      progress(`replay: ${messages} messages by ${name}`)
      const policy = presetFromSettings(name)
      const time = async (count: number) => {
        const started = performance.now()
        await replay(conversation(count), { policy })
        return performance.now() - started
      }
      const tenth = await time(messages / 10)
      const whole = await time(messages)
      figures.push(
        { name: `${name}: ${messages} messages`, value: whole, unit: 'ms', aim: { atMost: messages / 5 } },
        { name: `${name}: a message, to one of a tenth as many`, value: whole / tenth / 10, unit: 'ratio' },
      )
    }
    return { figures }
  },
}

function* conversation(messages: number): Generator<MessageInput> {
  let at = Date.UTC(2026, 0, 1)
  let count = 0
  for (const message of smallTalk()) {
    if (count++ >= messages) return
    at += PAUSE_MS
    yield { ...message, at }
  }
}
