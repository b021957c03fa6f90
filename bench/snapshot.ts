import { createPalimpsest, type Session, sqlite } from '../packages/palimpsest/src/index.ts'
import type { Benchmark, Figure } from './benchmark.ts'
import { messageAt } from './corpus.ts'
import { SESSION } from './fixtures.ts'
import { percentile, timeEach } from './measure.ts'
import { NEVER } from './policies.ts'

const CALLS_A_ROUND = 200

/** Judging is part of every append: it must cost the same however much lies raw, and after a rewriting. */
export const snapshot: Benchmark = {
  name: 'snapshot',
  async run({ quick, fixtures, progress }) {
    const sizes = quick ? [10, 10_000] : [10, 10_000, 1_000_000]
    const rounds = quick ? 5 : 15
    const chats = []
    for (const messages of sizes) {
      const file = await fixtures.withMessages(messages)
      const store = sqlite(file, { durability: 'normal' })
      const palimpsest = await createPalimpsest({ store, policy: NEVER })
      chats.push({ messages, file, palimpsest, chat: palimpsest.session(SESSION), appended: messages })
    }
    const figures: Figure[] = []
    const stages: Record<string, (chat: Session, messages: number) => Promise<unknown>> = {
      'as filled': async () => {},
      'after an edit': chat => chat.edit(2, 'It was not as I said it at the beginning.'),
      'after a rollback': async chat => {
        const newest = await chat.messages({ from: 'newest', limit: 1 })
        return chat.rollback(newest[0]!.seq - 5)
      },
    }
    for (const [stage, rewrite] of Object.entries(stages)) {
      progress(`snapshot: ${stage}`)
      for (const { chat, messages } of chats) await rewrite(chat, messages)
      const times = new Map(sizes.map(messages => [messages, [] as number[]]))
      for (let round = 0; round <= rounds; round++)
        for (const entry of chats) {
          const took = await timeEach(CALLS_A_ROUND, () => entry.chat.append(messageAt(entry.appended++)))
          if (round > 0) times.get(entry.messages)!.push(...took)
        }
      for (const [messages, took] of times) {
        const name = `${stage}, ${messages.toLocaleString('en')} raw: p50`
        figures.push({ name, value: percentile(took, 0.5), unit: 'ms' })
      }
    }
    for (const { palimpsest, file } of chats) {
      await palimpsest.close()
      fixtures.discard(file)
    }
    return { figures }
  },
}
