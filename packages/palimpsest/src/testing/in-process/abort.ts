/** The result of the work. If the signal is aborted first, throws the signal's reason. */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([stopped, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Without a signal it never ends. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return unlessAborted(new Promise<never>(() => {}), signal)
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await unlessAborted(promise, signal)
  } finally {
    clearTimeout(timer)
  }
}
