import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { connection } from '../api/events.ts'

export interface Loaded<T> {
  /** The last answer. It stays while a newer one is loaded. `undefined`: there is no answer yet. */
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Loads again. The old value stays until the answer is there. */
  readonly reload: () => void
}

/**
 * Loads a value, and loads it again when one of `inputs` changes. Then the old value is gone at once, and the
 * call for it is cancelled. When one of `revisions` changes, or on `reload`, the old value stays until the
 * answer is there. If a call is still running then, one more follows it: so answers come even if changes are
 * frequent. A failed call is repeated when a lost connection is back.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  revisions: readonly unknown[] = [],
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>(NOTHING)
  const latest = useRef(load)
  latest.current = load
  const askedFor = useRef<readonly unknown[] | null>(null)
  const running = useRef<AbortController | null>(null)
  const isWantedAgain = useRef(false)
  const hasFailed = useRef(false)

  const reload = useCallback(() => {
    if (running.current !== null) {
      isWantedAgain.current = true
      return
    }
    const controller = new AbortController()
    running.current = controller
    isWantedAgain.current = false
    setState(before => (before.isLoading ? before : { ...before, isLoading: true }))
    const finish = (answered: { value: T } | { error: unknown }) => {
      if (controller.signal.aborted) return
      running.current = null
      hasFailed.current = 'error' in answered
      setState(({ value }) => ({ value, error: null, isLoading: false, ...answered }))
      if (isWantedAgain.current) reload()
    }
    latest.current(controller.signal).then(
      value => finish({ value }),
      error => finish({ error }),
    )
  }, [])

  useEffect(() => {
    const isSame = askedFor.current?.every((input, index) => Object.is(input, inputs[index])) ?? false
    askedFor.current = inputs
    if (!isSame) {
      running.current?.abort()
      running.current = null
      setState(NOTHING)
    }
    reload()
  }, [...inputs, ...revisions])
  useEffect(() => {
    const stopWatching = connection.watch(state => {
      if (state === 'live' && hasFailed.current) reload()
    })
    return () => {
      stopWatching()
      running.current?.abort()
    }
  }, [])
  return { ...state, reload }
}

const NOTHING = { value: undefined, error: null, isLoading: true }
