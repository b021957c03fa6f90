import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, isAbort } from '../../api/api-error.ts'
import * as api from '../../api/index.ts'
import type { ReplayAnswer } from '../../api/types.ts'

export interface Replayed {
  /** The newest answer. It stays until the next one is there. */
  readonly answer: ReplayAnswer | null
  /** Why the newest question has no answer. */
  readonly error: unknown
  readonly isPending: boolean
}

/**
 * A slider asks many times while the reader drags it. The drawn preset is asked first, since the server runs
 * one replay at a time.
 */
const CALM_MS = { drawn: 120, compared: 400 }
const FIRST_MS = { drawn: 0, compared: 40 }
/**
 * The server lets only a few replays wait. If another caller asks too, such as a second tab, it refuses one
 * for a moment.
 */
const AGAIN_MS = 1_000

/**
 * The server's answer for these numbers. If `request` is `null`, a number is not allowed, and the server is
 * not asked. The answer to an older question never replaces a newer one.
 */
export function useReplay(
  request: Readonly<Record<string, unknown>> | null,
  { purpose, round }: { readonly purpose: 'drawn' | 'compared'; readonly round: number },
): Replayed {
  const [state, setState] = useState<Replayed>({ answer: null, error: null, isPending: true })
  const isFirst = useRef(true)
  const question = request === null ? null : JSON.stringify(request)
  useEffect(() => {
    if (question === null) {
      setState(before => ({ ...before, isPending: false }))
      return
    }
    const controller = new AbortController()
    const { signal } = controller
    setState(before => (before.isPending ? before : { ...before, isPending: true }))
    const ask = () =>
      api.replaySettings(JSON.parse(question), { signal }).then(
        answer => {
          if (!signal.aborted) setState({ answer, error: null, isPending: false })
        },
        error => {
          if (signal.aborted || isAbort(error)) return
          if (error instanceof ApiError && error.code === 'rate_limited') timer = setTimeout(ask, AGAIN_MS)
          else setState(before => ({ ...before, error, isPending: false }))
        },
      )
    let timer = setTimeout(ask, (isFirst.current ? FIRST_MS : CALM_MS)[purpose])
    isFirst.current = false
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [question, round])
  return state
}
