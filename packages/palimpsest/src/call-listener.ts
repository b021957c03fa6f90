import { describeError } from './errors.ts'

/**
 * Calls a function of the caller's own that only listens. What it throws, or what a promise of it comes to, is its own
 * affair: it is told, and nothing else changes. It is not waited for.
 */
export function callListener(
  call: () => unknown,
  onThrow: (error: unknown) => void = warnAboutListener,
): void {
  try {
    const returned = call()
    if (isThenable(returned)) Promise.resolve(returned).catch(error => callListener(() => onThrow(error)))
  } catch (error) {
    if (onThrow === warnAboutListener) onThrow(error)
    else callListener(() => onThrow(error))
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'
}

function warnAboutListener(error: unknown): void {
  process.emitWarning(`A listener threw: ${describeError(error)}`, 'PalimpsestWarning')
}
