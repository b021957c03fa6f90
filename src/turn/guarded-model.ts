import type { ModelPrompt } from './model-prompt.ts'
import { isOverflowError } from './overflow-error.ts'

interface CallOptions {
  readonly prompt: ModelPrompt
  readonly abortSignal?: AbortSignal
}

interface Model {
  doGenerate(options: CallOptions): PromiseLike<unknown>
  doStream(options: CallOptions): PromiseLike<unknown>
}

/** A shorter prompt for a model that refused one as too long; `null`: there is none. */
export type Shorten = (signal: AbortSignal | undefined) => Promise<ModelPrompt | null>

/** Called when a stream begins; what it gives is called with each part. */
export type Hear = () => (part: unknown) => void

/**
 * The same model, but that a prompt which it finds too long is sent once more, shortened. Whoever tries again after
 * that, for another reason, begins with the shortened one.
 */
export function guardedModel<Given>(model: Given, shorten: Shorten, hear?: Hear): Given {
  if (!isModel(model)) return model
  let shortened: ModelPrompt | null = null
  const call = async (options: CallOptions, send: (options: CallOptions) => PromiseLike<unknown>) => {
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
    doGenerate: options => call(options, again => model.doGenerate(again)),
    doStream: async options => heard(await call(options, again => model.doStream(again)), hear),
  }
  return new Proxy(model, {
    get: (target, field) =>
      field in guards ? guards[field as keyof typeof guards] : Reflect.get(target, field, target),
  }) as Given
}

/** A stream that breaks keeps nothing of what came through it: whoever wants to know has to listen. */
function heard(result: unknown, hear: Hear | undefined): unknown {
  const { stream } = result as { stream?: ReadableStream }
  if (hear === undefined || !(stream instanceof ReadableStream)) return result
  const part = hear()
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
