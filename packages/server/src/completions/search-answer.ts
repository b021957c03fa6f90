import type { ReplyRequest, Responder } from '@palimpsest/bot/internals/responder'
import { searchResponder } from '@palimpsest/bot/internals/responders/search-responder'
import type { Message } from 'palimpsest/internals/log/index'
import type { Policy } from 'palimpsest/internals/policy/index'
import type { Session } from 'palimpsest/internals/session'
import { runInSlices } from 'palimpsest/internals/slices'
import { estimateTokens, measureMessageInSteps } from 'palimpsest/internals/tokens/index'
import type { UnderWay } from '../under-way.ts'
import type { Answering, Piece } from './answering.ts'
import { askedIn } from './asked.ts'
import { MARK } from './history.ts'
import { stopped } from './model-failure.ts'

/** The model name of the built-in responder, which answers if no model is configured. */
export const SEARCH_MODEL = 'palimpsest-search'

/** A question is never longer than this many messages. */
const MAX_ASKED = 50

interface SearchCall {
  readonly zone: string
  /** The policy of this request. `null`: the configured policy. */
  readonly policy: Policy | null
  /** The seq of the newest message to answer. `null`: the newest of all. */
  readonly asked: number | null
  readonly signal: AbortSignal
  readonly underWay: UnderWay
}

/** Answers from the messages of the session, without a model. */
export async function searchAnswer(session: Session, call: SearchCall): Promise<Answering> {
  const own = await session.bound()
  const before = call.asked === null ? {} : { before: call.asked + 1 }
  const newest = await own.messages({ from: 'newest', limit: MAX_ASKED, ...before })
  return {
    sessionId: session.id,
    seq: newest.at(-1)?.seq ?? 0,
    model: SEARCH_MODEL,
    pieces: answerPieces(own, askedIn(newest), call),
    stop: () => {},
  }
}

async function* answerPieces(
  session: Session,
  asked: readonly Message[],
  { zone, policy, signal, underWay }: SearchCall,
): AsyncGenerator<Piece, void> {
  const request: ReplyRequest = {
    session,
    messages: asked,
    trigger: 'private',
    attempt: 1,
    signal,
    turn: options => session.turn(options),
  }
  const text = await textOf(await searchResponder({ zone })(request)).catch(error => {
    throw signal.aborted ? stopped() : error
  })
  const storing = session.append(
    {
      role: 'assistant',
      // The answer only repeats what was said, so memory must not learn it again.
      content: [{ type: 'text', text, recalled: true }],
      externalId: `${MARK}reply:${crypto.randomUUID()}`,
      ...(asked[0] && { replyTo: asked[0].seq }),
    },
    { follows: asked.map(({ seq }) => seq), ...(policy && { policy }) },
  )
  underWay.add(storing)
  await storing
  yield { type: 'text', text }
  yield {
    type: 'end',
    finishReason: 'stop',
    usage: {
      inputTokens: await tokensOf(asked),
      cachedInputTokens: 0,
      outputTokens: estimateTokens(text),
      reasoningTokens: 0,
    },
  }
}

async function tokensOf(messages: readonly Message[]): Promise<number> {
  let sum = 0
  for (const message of messages) sum += (await runInSlices(measureMessageInSteps(message))).tokens
  return sum
}

async function textOf(reply: Awaited<ReturnType<Responder>>): Promise<string> {
  if (typeof reply === 'string') return reply
  let text = ''
  for await (const piece of 'text' in reply ? reply.text : reply) text += piece
  return text
}
