import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { normalizeMessage } from '../../packages/palimpsest/src/log/index.ts'
import { NO_MEMORY, replayBaseline } from '../../packages/replay/src/baselines.ts'
import { conditionsOf } from '../../packages/replay/src/conditions.ts'
import { openTranscripts, PRICE_PRESETS } from '../../packages/replay/src/index.ts'
import { type Conversation, tryTokens } from './default-policy.ts'
import { SHAPES, synthetic } from './synthetic.ts'

/**
 * How the default's numbers are chosen: `node test/scenarios/choose-default.ts FOLDER [PRICES…]` tries out
 * `tokens` at its usual budget on every transcript of a folder and on synthetic ones, under each price preset, and
 * says by how much the default misses the best. Not a test: it runs for many minutes.
 */
const [folder, ...asked] = process.argv.slice(2)
const presets = asked.length > 0 ? asked : Object.keys(PRICE_PRESETS)
const LOW_WATERS = [0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
const sweep = [...LOW_WATERS.map(lowWater => ({ lowWater })), { lowWater: 0.2, idleSec: 0 }, { idleSec: 0 }]

for (const [name, conversation] of await conversations())
  for (const preset of presets) {
    const prices = PRICE_PRESETS[preset]!
    const { byDefault, tried } = await tryTokens(conversation, prices, sweep)
    const best = tried.reduce((best, each) => (each.run.cost.total < best.run.cost.total ? each : best))
    const over = byDefault.cost.total / Math.min(best.run.cost.total, byDefault.cost.total) - 1
    const everything = await costWithoutMemory(conversation, preset)
    console.log(
      [
        name.padEnd(28),
        preset.padEnd(18),
        `default ${byDefault.cost.total.toPrecision(4)}`,
        `over the best +${(100 * over).toFixed(1)}%`,
        `(${JSON.stringify(best.settings)})`,
        `of no memory ${((100 * byDefault.cost.total) / everything).toFixed(1)}%`,
        `folds ${byDefault.folds.length}`,
        over > 0.1 ? '  <<<' : '',
      ].join('  '),
    )
  }

async function conversations(): Promise<[string, Conversation][]> {
  const found: [string, Conversation][] = Object.entries(SHAPES).map(([name, shape]) => [
    name,
    { kind: shape.chatter ? 'group' : 'private', messages: [...synthetic(shape)] },
  ])
  const files = folder ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  for (const file of files.filter(name => name.endsWith('.jsonl')).sort())
    for (const { kind, read } of await openTranscripts(join(folder!, file))) {
      const messages = []
      for await (const { message } of read()) messages.push({ ...message, at: message.at ?? undefined })
      found.push([file, { kind, messages: messages as never }])
    }
  return found
}

async function costWithoutMemory({ kind, messages }: Conversation, preset: string): Promise<number> {
  const read = () => messages.map(message => normalizeMessage(message, { zone: 'UTC' }))
  const hasReplies = messages.some(({ role }) => role === 'assistant')
  const conditions = conditionsOf({ prices: PRICE_PRESETS[preset]! }, { hasReplies, policies: [] })
  return (await replayBaseline(NO_MEMORY, [{ kind, read }], conditions)).cost.total
}
