import { describeError } from './errors.ts'

/**
 * Calls a function of the caller's that only listens. If it throws, or if its promise fails, `onThrow` is
 * told and nothing else changes. The result is not awaited.
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
