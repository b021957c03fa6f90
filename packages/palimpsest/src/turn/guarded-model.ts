import type { Language } from '../language/index.ts'
import type { ModelPrompt } from './model-prompt.ts'
import { isOverflowError } from './overflow-error.ts'
import { promptFor } from './prompt-for.ts'

interface CallOptions {
  readonly prompt: ModelPrompt
  readonly abortSignal?: AbortSignal
}

interface Model {
  readonly provider?: unknown
  doGenerate(options: CallOptions): PromiseLike<unknown>
  doStream(options: CallOptions): PromiseLike<unknown>
}

/** Gives a shorter prompt for a model that refused one as too long; `null`: there is none. */
export type Shorten = (signal: AbortSignal | undefined) => Promise<ModelPrompt | null>

/** Hears of one call of the model. */
export interface CallListener {
  /** Called when a stream begins. The returned function is called with each part. */
  onStream(): (part: unknown) => void
  /** What a model without streaming returned. */
  onResult(result: unknown): void
  onError(error: unknown): void
}

/**
 * The same model, but a prompt that it finds too long is sent once more, shortened. A later try, for any
 * other reason, begins with the shortened prompt.
 */
export function guardedModel<Given>(
  model: Given,
  shorten: Shorten,
  { language, listen }: { readonly language: Language; readonly listen?: () => CallListener },
): Given {
  if (!isModel(model)) return model
  let shortened: ModelPrompt | null = null
  const call = async (
    options: CallOptions,
    sendWhole: (options: CallOptions) => PromiseLike<unknown>,
  ): Promise<unknown> => {
    const send = (given: CallOptions) =>
      sendWhole({ ...given, prompt: promptFor(given.prompt, model.provider, language) })
    if (shortened !== null) return send({ ...options, prompt: shortened })
    try {
      return await send(options)
    } catch (error) {
      shortened = isOverflowError(error) ? await shorten(options.abortSignal) : null
      if (shortened === null) throw error
      return send({ ...options, prompt: shortened })
    }
  }
  const guards: Pick<Model, 'doGenerate' | 'doStream'> = {
    doGenerate: options => call(options, again => heard(listen?.(), () => model.doGenerate(again), whole)),
    doStream: options => call(options, again => heard(listen?.(), () => model.doStream(again), streamed)),
  }
  return new Proxy(model, {
    get: (target, field) =>
      field in guards ? guards[field as keyof typeof guards] : Reflect.get(target, field, target),
  }) as Given
}

async function heard(
  listener: CallListener | undefined,
  call: () => PromiseLike<unknown>,
  hear: (result: unknown, listener: CallListener) => unknown,
): Promise<unknown> {
  if (listener === undefined) return call()
  let result: unknown
  try {
    result = await call()
  } catch (error) {
    listener.onError(error)
    throw error
  }
  return hear(result, listener)
}

function whole(result: unknown, listener: CallListener): unknown {
  listener.onResult(result)
  return result
}

/** A stream that breaks keeps nothing of its parts. So each part is heard as it passes. */
function streamed(result: unknown, listener: CallListener): unknown {
  const { stream } = result as { stream?: ReadableStream }
  if (!(stream instanceof ReadableStream)) return result
  const part = listener.onStream()
  const reader = stream.getReader()
  const same = new ReadableStream({
    pull: async controller => {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else {
        part(value)
        controller.enqueue(value)
      }
    },
    cancel: reason => reader.cancel(reason),
  })
  return { ...(result as object), stream: same }
}

function isModel(model: unknown): model is Model {
  const { doGenerate, doStream } = (model ?? {}) as Partial<Model>
  return typeof doGenerate === 'function' && typeof doStream === 'function'
}
