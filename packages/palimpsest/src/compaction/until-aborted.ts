/** What the work comes to, or the signal's reason once it is aborted: work that does not heed it is left behind. */
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
