const ABORTS = ['AbortError', 'ResponseAborted', 'TimeoutError']

/** Whether a caller or a time-out stopped the work. Any other error means that it broke. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && ABORTS.includes(error.name)
}
