import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort } from '../api/api-error.ts'

export interface Loaded<T> {
  /** The last answer; it stays while a newer one is fetched. `undefined`: there was none yet. */
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Asks once more, and keeps what is shown until the answer is there. */
  readonly reload: () => void
}

/**
 * What a call answers, fetched again when one of `inputs` changes: then what was shown before is gone. When one of
 * `revisions` changes it stays until the answer is there. The answer to an older question never takes the place of
 * that to a newer one.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  revisions: readonly unknown[] = [],
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ ...NOTHING })
  const [round, setRound] = useState(0)
  const shownFor = useRef<readonly unknown[] | null>(null)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const controller = new AbortController()
    const isSame = shownFor.current?.every((input, index) => Object.is(input, inputs[index])) ?? false
    shownFor.current = inputs
    setState(before => (isSame ? { ...before, isLoading: true } : { ...NOTHING }))
    latest.current(controller.signal).then(
      value => {
        if (!controller.signal.aborted) setState({ value, error: null, isLoading: false })
      },
      error => {
        if (!controller.signal.aborted && !isAbort(error))
          setState(before => ({ ...before, error, isLoading: false }))
      },
    )
    return () => controller.abort()
  }, [...inputs, ...revisions, round])
  const reload = useCallback(() => setRound(before => before + 1), [])
  return { ...state, reload }
}

const NOTHING = { value: undefined, error: null, isLoading: true }
