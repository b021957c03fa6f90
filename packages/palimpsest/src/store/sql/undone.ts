const undone = new WeakSet<object>()

/**
 * Marks an error: nothing of its transaction was stored. With any other error the answer may have been lost
 * after the commit.
 */
export function asUndone<Failure>(error: Failure): Failure {
  if (typeof error === 'object' && error !== null) undone.add(error)
  return error
}

/** The same failure in other words. */
export function asUndoneAs<Failure>(failure: Failure, error: unknown): Failure {
  return isUndone(error) ? asUndone(failure) : failure
}

export function isUndone(error: unknown): boolean {
  return typeof error === 'object' && error !== null && undone.has(error)
}
