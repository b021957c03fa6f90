import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createPalimpsest, modelSummarizer, sqlite, tokens } from '../packages/palimpsest/src/index.ts'
import { startModelServer } from '../packages/palimpsest/src/testing/index.ts'
import { estimateTokens } from '../packages/palimpsest/src/tokens/index.ts'
import { smallTalk } from '../test/scenarios/small-talk.ts'
import type { Benchmark } from './benchmark.ts'

const TURNS = 1_000
const BUDGET = 8_000

/** What a thousand turns make models read and write, by purpose: the figures that money is paid for. */
export const modelTokens: Benchmark = {
  name: 'model-tokens',
  async run({ quick, fixtures, progress }) {
    const turns = quick ? TURNS / 2 : TURNS
    progress(`model-tokens: ${turns} turns`)
    const spent = { reply: 0, cached: 0, foldInput: 0, foldOutput: 0, folds: 0 }
    await using server = await startModelServer({
      reply: request => {
        const input = estimateTokens(JSON.stringify(request.body.messages))
        return { text: SUMMARY, usage: { input, output: estimateTokens(SUMMARY) } }
      },
    })
    const provider = createOpenAICompatible({ name: 'loopback', baseURL: server.url })
    const file = fixtures.newFile()
    await using palimpsest = await createPalimpsest({
      store: sqlite(file, { durability: 'normal' }),
      policy: tokens({ budget: BUDGET }),
      summarizer: modelSummarizer(provider('scripted')),
      folding: 'manual',
    })
    const chat = palimpsest.session('tokens')
    const talk = smallTalk()
    let before: readonly unknown[] = []
    for (let turn = 0; turn < turns; turn++) {
      await chat.append(talk.next().value)
      const { messages, report } = await chat.context({ instructions: 'You are a helpful assistant.' })
      spent.reply += report.tokens
      const same = messages.findIndex((message, index) => message !== before[index])
      const shared = messages.slice(0, same === -1 ? messages.length : same)
      spent.cached += shared.reduce((sum, { content }) => sum + estimateTokens(JSON.stringify(content)), 0)
      before = messages
      const { decision } = await chat.append(talk.next().value)
      if (decision === null) continue
      const { usage } = await chat.compact()
      spent.folds += 1
      spent.foldInput += usage?.inputTokens ?? 0
      spent.foldOutput += usage?.outputTokens ?? 0
    }
    return {
      figures: [
        { name: 'replies: input', value: spent.reply, unit: 'tokens' },
        {
          name: 'replies: of that the same as in the call before',
          value: spent.cached / spent.reply,
          unit: 'ratio',
        },
        { name: 'folds: input', value: spent.foldInput, unit: 'tokens' },
        { name: 'folds: output', value: spent.foldOutput, unit: 'tokens' },
        {
          name: 'folds: input for one token of a reply',
          value: spent.foldInput / spent.reply,
          unit: 'ratio',
        },
      ],
    }
  },
}

const SUMMARY = JSON.stringify({
  summary: 'They compared offers for the bicycle, agreed on Ann, and left the date open. '.repeat(12),
  events: [{ on: '2024-03-01', text: 'the bicycle is due', seq: 1 }],
  details: ['order no. 10012', '481.50 EUR'],
  memo: JSON.stringify({ bicycle: 'Ann' }),
})
