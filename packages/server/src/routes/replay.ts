import { z } from '@hono/zod-openapi'
import type { WhatIf } from '@palimpsest/replay/internals/what-if'
import type { Resolved } from 'palimpsest/internals/config/index'
import { SessionNotFoundError } from 'palimpsest/internals/errors'
import { headOf, ID_RULE, isId, type Message, modelText } from 'palimpsest/internals/log/index'
import { PRESETS } from 'palimpsest/internals/policy/index'
import type { Session } from 'palimpsest/internals/session'
import { canonicalJson } from 'palimpsest/internals/store/index'
import { type Call, endpoint } from '../endpoint.ts'
import { OVERRIDES, text } from '../fields.ts'
import { invalidArguments } from '../problems.ts'
import { replays } from '../replays.ts'

/**
 * The most messages that are replayed, the newest ones: fewer are enough to show what a policy does. Of long
 * messages fewer are replayed, but always one.
 */
const MAX_MESSAGES = 1_000
const MAX_CHARACTERS = 1_000_000
const MESSAGES_AT_A_TIME = 50

const replay = endpoint({
  method: 'post',
  path: '/v1/replay',
  summary:
    'What a policy would fold and cost, on the newest messages of a session or on a sample; nothing is stored',
  scopes: ['read'],
  body: z.strictObject({
    session: text(ID_RULE)
      .refine(isId, { error: ID_RULE })
      .optional()
      .openapi({
        description: `its newest ${MAX_MESSAGES} messages, fewer where they are long; left out: a conversation that is always the same`,
      }),
    prices: text('the name of a model')
      .optional()
      .openapi({ description: 'whose prices count, by the name of its model; left out: claude-haiku-4-5' }),
    ...OVERRIDES,
  }),
  answers: {
    200: '{ policy, settings, source: session | sample, messages, turns, folds: [{ at, fromSeq, toSeq, type, reason, severity }], timeline, tokens, cost, breaks, baseline: { cost, tokens }, prices }; messages are counted from 1 within what is replayed',
  },
  handle: async call => {
    const { session, prices: name, ...overrides } = call.body
    const prices = await pricesOf(name)
    const own = session === undefined ? {} : await call.palimpsest.session(session).settings()
    const { resolved, policy } = call.settings.asked(overrides, own)
    const settings = settingsOf(resolved)
    const { groupTurnMessages } = resolved.values
    const question = { policy, prices, groupTurnMessages }
    const asked = canonicalJson([policy.name, settings, prices.name, groupTurnMessages])
    const answering =
      session === undefined
        ? replays.ofSample(asked, question, call)
        : replays.ofSession(await conversationOf(call, session), question, call)
    const answer = await answering.catch(error => {
      if (!call.signal.aborted) throw error
      return null
    })
    // The caller has gone.
    if (answer === null) return { status: 499 }
    return { json: toJson(answer, { settings, source: session === undefined ? 'sample' : 'session' }) }
  },
})

const DEFAULT_PRICES = 'claude-haiku-4-5'

async function pricesOf(name = DEFAULT_PRICES) {
  const { PRICE_PRESETS } = await import('@palimpsest/replay/internals/prices/presets')
  const prices = Object.hasOwn(PRICE_PRESETS, name) ? PRICE_PRESETS[name] : undefined
  if (prices) return prices
  throw invalidArguments([{ field: 'prices', value: name, allowed: Object.keys(PRICE_PRESETS).join(', ') }])
}

async function conversationOf({ palimpsest }: Pick<Call<unknown, unknown>, 'palimpsest'>, id: string) {
  const session = palimpsest.session(id)
  const info = await session.info()
  if (info === null) throw new SessionNotFoundError(id)
  return async () => ({ kind: info.kind, messages: await newestMessages(session) })
}

async function newestMessages(session: Session): Promise<readonly Message[]> {
  const newestFirst: Message[] = []
  let characters = 0
  for (;;) {
    const last = newestFirst.at(-1)
    const before = last && { before: last.seq }
    const page = await session.messages({ from: 'newest', limit: MESSAGES_AT_A_TIME, ...before })
    for (const message of page.toReversed()) {
      characters += modelText(message.content).length
      const isTooLong = newestFirst.length > 0 && characters > MAX_CHARACTERS
      if (isTooLong || newestFirst.length === MAX_MESSAGES) return newestFirst.reverse()
      newestFirst.push(characters > MAX_CHARACTERS ? beginningOf(message) : message)
    }
    if (page.length < MESSAGES_AT_A_TIME) return newestFirst.reverse()
  }
}

/** Shortens a message that alone exceeds the limit. */
function beginningOf(message: Message): Message {
  return { ...message, content: headOf(modelText(message.content), MAX_CHARACTERS) }
}

/** The parameters of the policy, with the values in force. */
function settingsOf({ values }: Resolved): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(PRESETS[values.policy]).map(name => [name, values[name]]))
}

function toJson(
  { turns, run, baseline, prices }: WhatIf,
  asked: { readonly settings: Readonly<Record<string, unknown>>; readonly source: 'session' | 'sample' },
) {
  const { policy, messages, folds, timeline, tokens, cost, breaks } = run
  return {
    ...{ policy, ...asked, messages, turns, folds, timeline, tokens, cost, breaks },
    baseline: { cost: baseline.cost, tokens: baseline.tokens },
    prices,
  }
}

export const replayRoutes = [replay]
