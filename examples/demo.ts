/**
 * What `npm run demo` shows: a conversation is appended message by message to a SQLite file, and its old part
 * settles into segments in the background. No model, no key, no network.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPalimpsest, type MessageInput, sqlite, tokens } from '../packages/palimpsest/src/index.ts'

const BUDGET = 1_000

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-demo-'))
const transcript = readFileSync(new URL('./trip.jsonl', import.meta.url), 'utf8')
const messages = transcript
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as MessageInput)

try {
  await using palimpsest = await createPalimpsest({
    store: sqlite(join(folder, 'demo.db')),
    policy: tokens({ budget: BUDGET }),
    onFold: ({ outcome, fromSeq, toSeq, tokensBefore, tokensAfter }) => {
      if (outcome === 'applied')
        console.log(`  folded ${fromSeq}–${toSeq}: ${tokensBefore} tokens became ${tokensAfter}`)
    },
  })
  const chat = palimpsest.session('telegram:42')
  console.log(
    `A chat of ${messages.length} messages, with a budget of ${BUDGET} tokens for what a model reads:\n`,
  )
  let peak = 0
  for (const message of messages) {
    await chat.append(message)
    await palimpsest.settled()
    const { report } = await chat.context()
    peak = Math.max(peak, report.tokens)
  }

  const context = await chat.context()
  console.log('\nWhat the model reads in place of the old messages:\n')
  console.log(context.sessionMemory)
  const info = (await chat.info())!
  console.log(`\nand then the last ${info.rawMessages} messages as they are.`)
  console.log(`At no time more than ${peak} tokens. All ${await chat.count()} messages are still in the log.`)
  console.log('\nOther policies on the same chat: npm run palimpsest -- replay examples/trip.jsonl')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
