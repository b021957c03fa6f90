import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { connection } from '../api/events.ts'

export interface Loaded<T> {
  /** The last answer; it stays while a newer one is fetched. `undefined`: there was none yet. */
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Asks once more, and keeps what is shown until the answer is there. */
  readonly reload: () => void
}

/**
 * What a call answers, fetched again when one of `inputs` changes: then what was shown before is gone, and the answer
 * to the older question is not waited for. When one of `revisions` changes, or on `reload`, what is shown stays until
 * the answer is there; while one is awaited it is asked once more after it, so that however often something changes,
 * answers do come. What failed is tried again when a lost connection is back.
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
