/**
 * The result of the work. Once the signal is aborted, it throws the signal's reason and does not wait for the
 * work.
 */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abandon = () => reject(signal.reason)
  if (signal.aborted) abandon()
  signal.addEventListener('abort', abandon, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}
