import { loadModel, type SettingValues } from 'palimpsest/internals/config/index'
import { splitModelName } from 'palimpsest/internals/config/model-name'
import { isOverForGood, MissingPeerError } from 'palimpsest/internals/errors'
import type { Session } from 'palimpsest/internals/session'
import type { FinishedTurn, Turn, TurnOptions } from 'palimpsest/internals/turn/index'
import type { UnderWay } from '../under-way.ts'
import type { Answering, Piece } from './answering.ts'
import { callMiddleware } from './call-middleware.ts'
import { callSettings, providerOptionsOf } from './call-settings.ts'
import { forTheLog, type Streamed } from './for-the-log.ts'
import { modelFailure, stopped } from './model-failure.ts'
import { type StreamPart, StreamReader } from './read-stream.ts'
import type { ChatRequest } from './request.ts'

export interface ModelCall {
  readonly body: ChatRequest
  readonly values: SettingValues & { readonly model: string }
  readonly turnOptions: Pick<
    TurnOptions,
    | 'instructions'
    | 'reminder'
    | 'query'
    | 'reasoning'
    | 'budget'
    | 'outputReserve'
    | 'usualReserve'
    | 'policy'
    | 'throughSeq'
    | 'appendPolicy'
  >
  readonly signal: AbortSignal
  /** Keeps the server from closing until the answer is stored. */
  readonly underWay: UnderWay
  /** Called when the answer has ended, with its status and usage. */
  readonly onEnd: (finished: Pick<FinishedTurn, 'status' | 'usage' | 'uncountedCalls'>) => void
}

/**
 * The configured model answers the last message of the session. The provider is not called before the caller
 * asks for the first piece.
 */
export async function modelAnswer(session: Session, call: ModelCall): Promise<Answering> {
  const sdk = await import('ai').catch(cause => {
    throw new MissingPeerError('ai', 'A language model', cause)
  })
  const { body, values, turnOptions } = call
  const model = await loadModel(values.model, values)
  const turn = await session.turn({
    ...turnOptions,
    model,
    memoryTools: false,
    // The client runs the tools, so each call of the model is its own request.
    maxSteps: 1,
    ...(body.tools && { tools: toolSet(body.tools, sdk.jsonSchema) }),
  })
  const stopper = new AbortController()
  const abortSignal = AbortSignal.any([call.signal, stopper.signal])
  const settings: object = {
    ...turn.prompt,
    ...callSettings(body),
    model: sdk.wrapLanguageModel({
      model: model as never,
      middleware: callMiddleware(body, {
        model: values.model,
        reminder: turnOptions.reminder ?? '',
        language: turn.context.language,
      }),
    }),
    providerOptions: providerOptionsOf(body, values.model),
    abortSignal,
    // This server never fetches an address that a client names. The provider gets the address instead.
    experimental_download: async (links: readonly unknown[]) => links.map(() => null),
    // Clients retry themselves.
    maxRetries: 0,
    // The reader of the pieces gets the error.
    onError: () => {},
  }
  const start = () => sdk.streamText(settings as Parameters<typeof sdk.streamText>[0])
  const stop = () => stopper.abort()
  return {
    sessionId: session.id,
    seq: turn.seq,
    model: splitModelName(values.model).name,
    pieces: answerPieces(turn, { start, stop, call }),
    stop,
  }
}

/** How often a long answer is checked, because what it quotes may have been erased. */
const CHECK_MS = 1_000

interface Source {
  readonly start: () => Streamed
  readonly stop: () => void
  readonly call: ModelCall
}

async function* answerPieces(turn: Turn, { start, stop, call }: Source): AsyncGenerator<Piece, void> {
  const { values, underWay } = call
  const reader = new StreamReader()
  const result = start()
  const { promise: stored, resolve } = Promise.withResolvers<void>()
  underWay.add(stored)
  let isLeft = true
  let broken: unknown
  let finished: FinishedTurn
  const finish = async () => {
    try {
      const ended = await turn.finish(forTheLog(result, reader))
      call.onEnd(ended)
      return ended
    } catch (error) {
      // The answer cannot be stored, but its tokens were paid.
      const { usage, uncountedCalls } = turn
      call.onEnd({ status: 'failed', usage, uncountedCalls })
      throw error
    }
  }
  try {
    let checked = performance.now()
    for await (const part of result.stream) {
      if (performance.now() - checked > CHECK_MS) {
        await turn.check()
        checked = performance.now()
      }
      yield* reader.take(part as StreamPart)
    }
    isLeft = false
  } catch (error) {
    isLeft = false
    broken = error
    // The model may go on writing about messages that are erased.
    if (isOverForGood(error)) stop()
  } finally {
    if (isLeft) stop()
    finished = await finish().finally(resolve)
  }
  const { status, error = broken } = finished
  if (status === 'aborted') throw stopped()
  if (status === 'failed' || broken !== undefined) throw modelFailure(error, values.model, values.modelApiKey)
  yield reader.end(turn.context.estimatedInputTokens)
}

/** The tools have no `execute`, so that a call ends the answer. */
function toolSet(
  tools: NonNullable<ChatRequest['tools']>,
  jsonSchema: typeof import('ai').jsonSchema,
): Readonly<Record<string, object>> {
  return Object.fromEntries(
    tools.map(({ function: { name, description, parameters, strict } }) => [
      name,
      {
        ...(description != null && { description }),
        ...(strict != null && { strict }),
        inputSchema: jsonSchema(parameters ?? { type: 'object', properties: {} }),
      },
    ]),
  )
}
