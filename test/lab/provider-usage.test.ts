import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Context, MessageInput, Policy } from '../../packages/palimpsest/src/index.ts'
import { rounds, tokens, window } from '../../packages/palimpsest/src/index.ts'
import {
  type ModelReply,
  type ModelRequest,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/model-server.ts'
import { type Prices, replay } from '../../packages/replay/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { PLAIN_PRICES } from './plain-prices.ts'

/**
 * The bill is worked out from estimates: of tokens, and of what a provider's cache would have had. Here every
 * request of a replay goes to a provider that has a tokenizer and a cache of its own and shares no code with
 * the bill, and what it reports is priced and compared.
 */

const MESSAGES = 600
/** In money, and in the share of the tokens that was cached. Estimates of English are near enough as they are. */
const MAX_DEVIATION = 0.02

const AUTOMATIC: Prices = { ...PLAIN_PRICES, leastCachedTokens: 1_024, cacheStepTokens: 128 }
const BREAKPOINTS: Prices = {
  ...AUTOMATIC,
  name: 'breakpoints',
  cacheWrite: 1.25,
  caching: 'breakpoints',
  leastCachedTokens: 512,
  cacheStepTokens: 1,
}

const POLICIES: readonly Policy[] = [
  tokens({ budget: 2_500 }),
  rounds({ fullContextTurns: 12, cachedContextTurns: 8 }),
  window(),
]

interface Usage {
  readonly full: number
  readonly cached: number
  readonly written: number
  readonly output: number
}

const conversation = englishTalk()
let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({ reply: new Provider(conversation).answer })
})

afterAll(() => server.close())

describe('the simulated bill agrees with the usage that a provider reports for the same requests', () => {
  for (const { shape, prices, ask } of [
    { shape: 'chat completions', prices: AUTOMATIC, ask: askOpenAI },
    { shape: 'messages', prices: BREAKPOINTS, ask: askAnthropic },
  ])
    it.each(POLICIES.map(policy => [policy.name, policy] as const))(`${shape}, %s`, async (name, policy) => {
      const reported: Usage[] = []
      const run = await replay(conversation, {
        policy,
        prices,
        overheadTokens: 400,
        onRequest: async (context, { at }) => {
          reported.push(await ask(context, { at, session: `${shape} ${name}` }))
        },
      })
      expect(reported.length).toBe(run.cost.calls.reply.calls)
      expect(run.folds.length).toBeGreaterThan(5)
      const { money, cachedShare } = sumOf(reported, prices)
      const { reply } = run.cost.calls
      expect(Math.abs(reply.money / money - 1)).toBeLessThan(MAX_DEVIATION)
      expect(Math.abs(run.tokens.cachedShare - cachedShare)).toBeLessThan(MAX_DEVIATION)
      // Or there was nothing to be right about.
      expect(cachedShare).toBeGreaterThan(0.4)
      expect(cachedShare).toBeLessThan(0.95)
    })
})

function sumOf(usages: readonly Usage[], prices: Prices) {
  const sum = (part: (usage: Usage) => number) => usages.reduce((sum, usage) => sum + part(usage), 0)
  const inputTokens = sum(({ full, cached, written }) => full + cached + written)
  const money = sum(
    ({ full, cached, written, output }) =>
      full * prices.input +
      cached * prices.cachedInput +
      written * prices.cacheWrite +
      output * prices.output,
  )
  return {
    money: money / 1_000_000,
    cachedShare: sum(({ cached }) => cached) / inputTokens,
  }
}

interface Asked {
  readonly at: number
  readonly session: string
}

async function askOpenAI(context: Context, asked: Asked): Promise<Usage> {
  const usage = await post<{
    readonly prompt_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
    readonly completion_tokens: number
  }>('chat/completions', context.toOpenAI(), { ...asked, context })
  const cached = usage.prompt_tokens_details.cached_tokens
  // Writing costs nothing extra here, and is not told.
  return { full: usage.prompt_tokens - cached, cached, written: 0, output: usage.completion_tokens }
}

async function askAnthropic(context: Context, asked: Asked): Promise<Usage> {
  const usage = await post<{
    readonly input_tokens: number
    readonly cache_read_input_tokens: number
    readonly cache_creation_input_tokens: number
    readonly output_tokens: number
  }>('messages', context.toAnthropic(), { ...asked, context })
  return {
    full: usage.input_tokens,
    cached: usage.cache_read_input_tokens,
    written: usage.cache_creation_input_tokens,
    output: usage.output_tokens,
  }
}

async function post<Reported>(
  path: string,
  body: object,
  { at, session, context }: Asked & { readonly context: Context },
): Promise<Reported> {
  const response = await fetch(`${server.url}/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-session': session,
      'x-time': String(at),
      'x-next': String(context.report.throughSeq),
    },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { usage: Reported }).usage
}

/** What stands in a request between two places where a cached prefix could end. */
interface Piece {
  readonly role: string
  readonly text: string
  /** As it was sent, but for the mark. */
  readonly bytes: string
  /** Beside the text. */
  readonly frameTokens: number
  readonly isMarked: boolean
}

const FRAME_TOKENS = 4

/** Its clock is the requests' own. */
class Provider {
  readonly #replies: readonly MessageInput[]
  readonly #previous = new Map<string, { readonly pieces: readonly Piece[]; readonly at: number }>()
  /** By session: each prefix that was marked, with when it was last used. */
  readonly #prefixes = new Map<string, Map<string, number>>()

  constructor(replies: readonly MessageInput[]) {
    this.#replies = replies
  }

  readonly answer = ({ headers, path, body }: ModelRequest): ModelReply => {
    const place = { session: String(headers['x-session']), at: Number(headers['x-time']) }
    const text = this.#replies[Number(headers['x-next'])]!.content as string
    const output = countTokens(text)
    if (path.endsWith('/chat/completions'))
      return { text, usage: { ...this.#automatic(openAIPieces(body), place), output } }
    const usage = { ...this.#marked(anthropicPieces(body), place), output_tokens: output }
    const content = [{ type: 'text', text }]
    return { body: JSON.stringify({ type: 'message', role: 'assistant', content, usage }) }
  }

  /** What the request before it began with, in steps of so many tokens. */
  #automatic(pieces: readonly Piece[], { session, at }: { session: string; at: number }) {
    const earlier = this.#previous.get(session)
    this.#previous.set(session, { pieces, at })
    const isAlive = earlier !== undefined && at - earlier.at <= AUTOMATIC.cacheLifetimeSec * 1_000
    const common = isAlive ? commonTokens(earlier.pieces, pieces) : 0
    const steps = Math.floor(common / AUTOMATIC.cacheStepTokens)
    const cached = common < AUTOMATIC.leastCachedTokens ? 0 : steps * AUTOMATIC.cacheStepTokens
    return { input: tokensOf(pieces), cached }
  }

  /** Every prefix that ended at a mark, for as long as it is used. */
  #marked(pieces: readonly Piece[], { session, at }: { session: string; at: number }) {
    const known = this.#prefixes.get(session) ?? new Map<string, number>()
    this.#prefixes.set(session, known)
    const names: string[] = []
    const sizes: number[] = []
    for (const [index, piece] of pieces.entries()) {
      names.push(`${names[index - 1] ?? ''}\n${piece.bytes}`)
      sizes.push((sizes[index - 1] ?? 0) + tokensOf([piece]))
    }
    const isAlive = (name: string) =>
      at - (known.get(name) ?? -Infinity) <= BREAKPOINTS.cacheLifetimeSec * 1_000
    const marks = pieces.flatMap(({ isMarked }, index) => (isMarked ? [index] : []))
    let read = 0
    for (const mark of marks.toReversed()) {
      for (let back = mark; back >= Math.max(0, mark - 20) && read === 0; back--)
        if (isAlive(names[back]!)) {
          read = sizes[back]!
          known.set(names[back]!, at)
        }
    }
    let written = 0
    for (const mark of marks) {
      if (sizes[mark]! < BREAKPOINTS.leastCachedTokens) continue
      known.set(names[mark]!, at)
      written = Math.max(written, sizes[mark]! - read)
    }
    return {
      input_tokens: tokensOf(pieces) - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    }
  }
}

function openAIPieces(body: ModelRequest['body']): readonly Piece[] {
  return (body.messages as { role: string; content: string }[]).map(message => ({
    role: message.role,
    text: message.content,
    bytes: JSON.stringify(message),
    frameTokens: FRAME_TOKENS,
    isMarked: false,
  }))
}

function anthropicPieces(body: ModelRequest['body']): readonly Piece[] {
  type Block = { type: string; text: string; cache_control?: object }
  const piece = (role: string, { cache_control, ...block }: Block, isFirst: boolean): Piece => ({
    role,
    text: block.text,
    bytes: JSON.stringify([role, block]),
    frameTokens: isFirst ? FRAME_TOKENS : 0,
    isMarked: cache_control !== undefined,
  })
  const messages = body.messages as readonly { role: string; content: readonly Block[] }[]
  return [
    ...((body['system'] ?? []) as Block[]).map(block => piece('system', block, false)),
    ...messages.flatMap(({ role, content }) =>
      content.map((block, index) => piece(role, block, index === 0)),
    ),
  ]
}

const counted = new Map<string, number>()

function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text, frameTokens }) => {
    if (!counted.has(text)) counted.set(text, countTokens(text))
    return sum + frameTokens + counted.get(text)!
  }, 0)
}

function commonTokens(earlier: readonly Piece[], pieces: readonly Piece[]): number {
  let same = 0
  while (same < pieces.length && pieces[same]!.bytes === earlier[same]?.bytes) same += 1
  const [before, now] = [earlier[same], pieces[same]]
  let length = 0
  if (before !== undefined && before.role === now?.role)
    while (length < now.text.length && before.text[length] === now.text[length]) length += 1
  return tokensOf(pieces.slice(0, same)) + countTokens(now?.text.slice(0, length) ?? '')
}

/** Small talk in English, minutes apart: some of the pauses are longer than a cache lives. */
function englishTalk(): readonly MessageInput[] {
  const messages: MessageInput[] = []
  const talk = smallTalk(7)
  const begin = Date.UTC(2024, 0, 2, 8)
  while (messages.length < MESSAGES) {
    const turn = [talk.next().value, talk.next().value]
    if (turn.some(({ content }) => !isAscii(content as string))) continue
    for (const message of turn)
      messages.push({ ...message, at: begin + Math.round((Number(message.at) - begin) / 80) })
  }
  return messages
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
