import { SummarizerError } from '../summarizer-error.ts'

/**
 * Lets work take at most `timeoutMs`, even if the work ignores the signal that it is given; a later result is
 * dropped. When aborted from outside, it rejects with the signal's reason.
 */
export async function within<Result>(
  work: (signal: AbortSignal) => PromiseLike<Result>,
  { timeoutMs, signal, model }: { timeoutMs: number; signal: AbortSignal | undefined; model: string },
): Promise<Result> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const ended = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    controller.abort(reason)
    ended.reject(reason)
  }
  const onAbort = () => end(signal!.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(
    () => end(new SummarizerError('timeout', `gave no answer within ${timeoutMs} ms`, { model })),
    timeoutMs,
  )
  try {
    return await Promise.race([work(controller.signal), ended.promise])
  } catch (error) {
    // The work may throw another error, but this is why it ended.
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Rejects with the signal's reason when aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
