import { checkOptions, optionsOf } from '../known-options.ts'
import { untilTheLastPiece, untilTheMiddle } from './broken-off.ts'
import { pause, unlessAborted, untilAborted } from './in-process/abort.ts'
import { type Call, generated, streamed } from './in-process/answer.ts'
import { connectionLost, providerError, unreadableBody } from './in-process/api-call-error.ts'
import { heardInProcess } from './in-process/heard-in-process.ts'
import type { CallOptions, GenerateResult, StreamPart, StreamResult } from './in-process/language-model.ts'
import { askScript, errorOf, type ModelScript } from './model-reply.ts'
import type { ModelRequest } from './model-request.ts'

/**
 * A language model of the AI SDK without a socket, for `generateText`, `streamText`, agents and as a
 * summariser. It answers by a script, can fail as providers fail, and keeps each request.
 */
export interface ScriptedModel {
  readonly specificationVersion: 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Record<string, RegExp[]>
  /** The oldest request comes first. Requests without an answer are included. */
  readonly requests: readonly ModelRequest[]
  /** Sets the reply to all later requests. */
  setReply(reply: ModelScript): void
  doGenerate(options: CallOptions): Promise<GenerateResult>
  doStream(options: CallOptions): Promise<StreamResult>
}

interface ScriptedModelOptions {
  readonly modelId?: string
}

const OPTIONS = optionsOf<ScriptedModelOptions>({ modelId: true })

/**
 * Makes a model. Without a script, it answers with an empty text.
 * @example const model = scriptedModel('Hello')
 */
export function scriptedModel(reply: ModelScript = '', options: ScriptedModelOptions = {}): ScriptedModel {
  checkOptions('scriptedModel', options, OPTIONS)
  const { modelId = 'scripted' } = options
  let script = reply
  const requests: ModelRequest[] = []

  /** Runs up to the point where the first byte would come. */
  const ask = async (options: CallOptions, stream: boolean): Promise<Call> => {
    const { abortSignal, headers = {}, ...body } = options
    abortSignal?.throwIfAborted()
    const request: ModelRequest = {
      protocol: 'in-process',
      path: '',
      headers: { ...headers },
      body: { model: modelId, stream, ...body },
      ...heardInProcess(options),
    }
    const number = requests.push(request)
    const asked = await unlessAborted(askScript(script, request, number - 1), abortSignal)
    if (asked.fault === 'hang') await untilAborted(abortSignal)
    if (asked.delayMs) await pause(asked.delayMs, abortSignal)
    if (asked.fault === 'reset') throw connectionLost()
    const error = errorOf(asked)
    if (error && !(stream && error.isLate)) throw providerError(error, asked)
    if (asked.body !== undefined) throw unreadableBody(asked)
    return { number, modelId, reply: asked }
  }

  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    requests,
    setReply: given => {
      script = given
    },
    async doGenerate(options) {
      const call = await ask(options, false)
      if (call.reply.fault === 'cut_off') throw connectionLost()
      if (call.reply.fault === 'stall') await untilAborted(options.abortSignal)
      return generated(call)
    },
    async doStream(options) {
      const call = await ask(options, true)
      return { stream: streamOf(call, options.abortSignal) }
    },
  }
}

function streamOf(call: Call, signal: AbortSignal | undefined): ReadableStream<StreamPart> {
  const parts = partsUntilTheEnd(call, signal)
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      // An error thrown here ends the stream.
      signal?.throwIfAborted()
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function* partsUntilTheEnd(
  call: Call,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamPart, void> {
  const { fault, error } = call.reply
  const parts = streamed(call)
  if (error) {
    yield* untilTheLastPiece(parts, isPiece)
    yield { type: 'error', error: providerError(error, call.reply) }
  } else if (fault === 'cut_off' || fault === 'stall') {
    yield* untilTheMiddle(parts, isPiece)
    if (fault === 'stall') await untilAborted(signal)
    throw connectionLost()
  } else yield* parts
}

function isPiece({ type }: StreamPart): boolean {
  return type.endsWith('-delta')
}
