import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, it } from 'vitest'
import {
  type Context,
  createPalimpsest,
  modelSummarizer,
  type Palimpsest,
  type Session,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import {
  type ModelRequest,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'
import { blockIn, checkBlocks } from './blocks.ts'
import { Clock } from './kit.ts'
import { isForFacts, promptBlock, textsOf } from './prompts.ts'

const DAYS = 10
const TURNS_A_DAY = 20
const BUDGET = 3_500
const BUDGETS = { chat: 300, user: 300 }
const RESTART_ON = 5

const FIRST_DAY = 'My boat is called Aurora-7711 and lies at pier 17.'
const TALK =
  'The crates of lemons sail to Porto, the crane driver waits, and the invoice is still to be paid. '

/** A model that does its work: it keeps what was told to be kept, and says it shortly. */
function work({ body }: ModelRequest): string {
  const { instructions, prompt } = textsOf(body)
  const lines = linesIn(prompt)
  const told = lines.filter(({ text }) => /Aurora|Decision \d+/.test(text))
  if (isForFacts(instructions))
    return JSON.stringify({
      facts: told
        .filter(({ isContext }) => !isContext)
        .map(({ seq, text }) => ({ text: tellingOf(text), section: 'profile', seq, on: '', replaces: [] })),
    })
  const summaries = promptBlock(prompt, 'summaries')
  if (summaries !== null) return JSON.stringify({ summary: condensed(summaries), events: [], details: [] })
  return JSON.stringify({
    summary: `Ann and the bot talked about crates. ${told.map(({ text }) => tellingOf(text)).join(' ')}`,
    events: [],
    details: [],
    extracts: told.map(({ seq, text }) => ({ text: `Ann: ${tellingOf(text)}`, seq })),
    memo: { messages: lines.length },
  })
}

function tellingOf(text: string): string {
  return /My boat [^.]*\.|Decision \d+[^.]*\./.exec(text)?.[0] ?? text.slice(0, 80)
}

/** The boat stays, of the rest the last. */
function condensed(summaries: string): string {
  const boat = /My boat [^.;]*/.exec(summaries)?.[0]
  const last = summaries.match(/Decision \d+/g)?.at(-1)
  return [boat, last && `decisions through ${last}`].filter(Boolean).join('; ') || 'They talked.'
}

function linesIn(prompt: string): readonly { seq: number; text: string; isContext: boolean }[] {
  const conversation = promptBlock(prompt, 'conversation') ?? ''
  return [...conversation.matchAll(/^#(\d+) \S+ \S+ (.*)$/gm)].map(([, seq, text]) => ({
    seq: Number(seq),
    text: text!,
    isContext: /^[^:]* \(context\): /.test(text!),
  }))
}

interface Life {
  readonly clock: Clock
  readonly server: ModelServer
  readonly place: StorePlace
  readonly errors: unknown[]
}

async function open({
  clock,
  server,
  place,
  errors,
}: Life): Promise<{ palimpsest: Palimpsest; chat: Session }> {
  const settings = { name: 'test', baseURL: server.url, supportsStructuredOutputs: true }
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: BUDGET }),
    summarizer: modelSummarizer(createOpenAICompatible(settings)('small'), { maxRetries: 0 }),
    clock: clock.read,
    memory: { extract: 'turn', budgets: BUDGETS },
    onError: error => errors.push(error),
  })
  return { palimpsest, chat: palimpsest.session('telegram:42', { user: 'ann' }) }
}

it('remembers on day ten what it was told on day one, and reads each message once for each layer', async () => {
  const life: Life = {
    clock: new Clock(Date.UTC(2026, 2, 2, 8)),
    server: await startModelServer({ reply: work }),
    place: sqlitePlace(),
    errors: [],
  }
  const { clock, server } = life
  let { palimpsest, chat } = await open(life)
  for (let day = 1; day <= DAYS; day++) {
    await chat.daily().append(`- the morning of day ${day}`)
    for (let turn = 1; turn <= TURNS_A_DAY; turn++) {
      await takeTurn(chat, { day, turn })
      expect(await palimpsest.settled()).toBe(true)
      for (const [layer, most] of Object.entries(BUDGETS))
        expect((await documentOf(palimpsest, layer as 'chat' | 'user'))?.tokens ?? 0).toBeLessThanOrEqual(
          most,
        )
      clock.pass({ minutes: 20 })
    }
    if (day === RESTART_ON) {
      await palimpsest.close()
      ;({ palimpsest, chat } = await open(life))
    }
    clock.now = Date.UTC(2026, 2, 2 + day, 8)
  }
  const memory = (await chat.memory.read())!
  expect(memory.content).toContain('Aurora-7711')
  expect(memory.content).toMatch(/^- 2026-03-02 – /m)
  expect((await palimpsest.memory.user('ann').read())!.content).toContain('Aurora-7711')
  expect((await chat.info())!.epoch).toBeGreaterThan(20)
  checkReadOnce(server, {
    messages: (await chat.info())!.messages,
    folded: (await chat.info())!.compactedThrough,
  })
  expect(life.errors).toEqual([])
  await palimpsest.close()
  await server.close()
  await life.place.remove()
})

async function takeTurn(chat: Session, { day, turn }: { day: number; turn: number }): Promise<void> {
  const told =
    day === 1 && turn === 1
      ? FIRST_DAY
      : turn % 5 === 0
        ? `Decision ${day * 100 + turn}: we send crate ${turn} on the ship of day ${day}.`
        : ''
  await chat.append({
    role: 'user',
    content: `${told} ${TALK.repeat(2)}`.trim(),
    sender: { id: 'ann', name: 'Ann' },
  })
  const tools = (await chat.memoryTools()).toOpenAI()
  checkTurn(await chat.context({ instructions: 'You are a shipping clerk.', tools }), day)
  await chat.append({ role: 'assistant', content: `Day ${day}, turn ${turn}: ${TALK}` })
}

function checkTurn(context: Context, day: number): void {
  checkBlocks(context)
  expect(context.report.tokens).toBeLessThanOrEqual(BUDGET)
  const shown = [context.instructions, ...context.messages.map(({ content }) => String(content))].join('\n')
  const mornings = [...shown.matchAll(/the morning of day (\d+)/g)].map(match => Number(match[1]))
  expect(mornings).toContain(day)
  expect(Math.min(...mornings)).toBeGreaterThanOrEqual(day - 1)
  if (day > 2) expect(blockIn(context.instructions, 'user_memory')).toContain('Aurora-7711')
}

function documentOf(palimpsest: Palimpsest, layer: 'chat' | 'user') {
  return (layer === 'chat' ? palimpsest.memory.chat('telegram:42') : palimpsest.memory.user('ann')).read()
}

function checkReadOnce(
  server: ModelServer,
  { messages, folded }: { messages: number; folded: number },
): void {
  const read = { facts: new Map<number, number>(), folds: new Map<number, number>() }
  for (const { body } of server.requests) {
    const { instructions, prompt } = textsOf(body)
    const counts = isForFacts(instructions) ? read.facts : read.folds
    for (const { seq, isContext } of linesIn(prompt))
      if (!isContext) counts.set(seq, (counts.get(seq) ?? 0) + 1)
  }
  const own = (seq: number) => seq % 2 === 1
  const numbers = Array.from({ length: messages }, (_, index) => index + 1)
  expect([...read.folds].sort(([a], [b]) => a - b)).toEqual(
    numbers.filter(seq => seq <= folded).map(seq => [seq, 1]),
  )
  expect([...read.facts].sort(([a], [b]) => a - b)).toEqual(numbers.filter(own).map(seq => [seq, 1]))
}
