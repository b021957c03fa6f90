// A bot that many chats talk to at once, for some seconds: `answer-chats.js LIBRARY OPTIONS`. Prints what each waited.

import { existsSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { randomNumbers } from '../../test/scenarios/small-talk.ts'
import { messageAt } from '../corpus.ts'
import { packageBeside } from './beside.ts'

const [library, options] = process.argv.slice(2)
const { file, modelUrl, chats, pauseMs, warmUpMs, measuredMs, drains, seed, hanging } = JSON.parse(options)
const { count, createPalimpsest, modelSummarizer, sqlite } = await import(library)
const { createRuntime } = await import(packageBeside(library, 'bot'))

const CHANNEL = 'bench'
const INSTRUCTIONS = 'You are the assistant of a small travel agency. Be brief, and never invent a price.'
/** As often as any other, it would have hardly any figures of its own. */
const HANGING_SPEAKS_MORE = 10

let folds = 0
let replies = 0
let phase = 'warm-up'
const errors = []
const noteError = error => errors.push(String(error))
/** By the ids of the messages that wait for them. */
const answered = new Map()
/** Of the messages that were said while it was measured. */
const measured = []
const others = []
const own = []

const provider = createOpenAICompatible({ name: 'loopback', baseURL: modelUrl })
const palimpsest = await createPalimpsest({
  store: sqlite(file),
  policy: count({ threshold: 20, keepLast: 10 }),
  summarizer: modelSummarizer(provider('scripted')),
  onFold: ({ outcome }) => {
    if (phase !== 'warm-up' && outcome === 'applied') folds += 1
  },
  onError: noteError,
})
const runtime = createRuntime({
  palimpsest,
  channels: [
    {
      name: CHANNEL,
      edits: false,
      start: async () => {},
      stop: async () => {},
      send: async ({ replyTo }) => {
        if (phase !== 'warm-up') replies += 1
        answered.get(replyTo)?.(performance.now())
        answered.delete(replyTo)
        return { id: `to ${replyTo}` }
      },
    },
  ],
  responder: async ({ session, messages }) => {
    const { report } = await session.context({ instructions: INSTRUCTIONS })
    return `${messageAt(messages[0].seq).text} (${report.tokens})`
  },
  inbox: { quietMs: 20 },
  onReply: ({ outcome, error }) => {
    if (outcome !== 'delivered') noteError(error ?? outcome)
  },
  onError: noteError,
})
await runtime.start()

/** Pauses as between people who know nothing of each other. */
async function talk(chat) {
  const random = randomNumbers(seed * chats + chat)
  const mean = chat === 0 ? pauseMs / HANGING_SPEAKS_MORE : pauseMs
  for (let number = 0; ; number++) {
    await wait(-Math.log(1 - random()) * mean, undefined, { ref: false })
    if (phase === 'over') return
    const turn = say(chat, `run-${chat}-${number}`, number)
    if (phase === 'measured') measured.push(turn.then(ms => void (chat === 0 ? own : others).push(ms)))
    await turn
  }
}

async function say(chat, id, number) {
  const said = performance.now()
  const reply = new Promise(resolve => answered.set(id, resolve))
  const { text } = messageAt(chat * 100 + number * 2)
  await runtime.receive(CHANNEL, {
    kind: 'private',
    chat: String(chat),
    id,
    sender: { id: String(chat) },
    content: chat === 0 ? `${hanging} ${text}` : text,
    at: new Date(),
  })
  return (await reply) - said
}

/** How long it could have run while others had the processors. Elsewhere than on Linux nobody says. */
function starvedMs() {
  const file = '/proc/self/schedstat'
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6 : 0
}

// What is to hang does so from the beginning.
await say(0, 'first', 0)
for (let chat = 0; chat < chats; chat++)
  talk(chat).catch(error => {
    // Who speaks to a bot that has stopped is told so.
    if (phase !== 'over') noteError(error)
  })
await wait(warmUpMs)
phase = 'measured'
const begin = performance.now()
const starvedBefore = starvedMs()
await wait(measuredMs)
const starvedShare = (starvedMs() - starvedBefore) / measuredMs
phase = drains ? 'over' : 'answering the rest'
if (drains) {
  await runtime.quiet()
  while (!(await palimpsest.settled({ timeoutMs: 600_000 })));
}
const turnsPerSecond = (replies * 1_000) / (performance.now() - begin)
await Promise.all(measured)
const isFolding = (await palimpsest.session(`${CHANNEL}:0`).info()).folding
const resident = process.memoryUsage.rss()

phase = 'over'
const stopping = performance.now()
await runtime.stop()
await palimpsest.close()
const shutdownMs = performance.now() - stopping
process.stdout.write(
  JSON.stringify({
    others,
    own,
    turnsPerSecond,
    starvedShare,
    folds,
    isFolding,
    resident,
    shutdownMs,
    errors,
  }),
)
