const ABORTS = ['AbortError', 'ResponseAborted', 'TimeoutError']

/** Whether somebody or a time-out stopped it, rather than that it broke. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && ABORTS.includes(error.name)
}
