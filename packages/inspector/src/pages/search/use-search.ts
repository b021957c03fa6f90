import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort } from '../../api/api-error.ts'
import { searchMessages } from '../../api/index.ts'
import type { SearchResult } from '../../api/types.ts'

export interface Question {
  readonly q: string
  /** The id of the session to search; empty: all sessions. */
  readonly session: string
}

interface Answered {
  /** `undefined`: there is no question, or no answer yet. */
  readonly results: readonly SearchResult[] | undefined
  readonly next: string | null
  readonly error: unknown
  readonly isLoading: boolean
}

interface Search extends Answered {
  readonly more: () => void
  readonly retry: () => void
}

const NOTHING: Answered = { results: undefined, next: null, error: null, isLoading: false }
const RESULTS_AT_A_TIME = 20

/**
 * The results of a search. Earlier results stay during a new search, so that the page does not flicker while
 * the reader types. A new question cancels the call for the one before.
 */
export function useSearch({ q, session }: Question): Search {
  const [state, setState] = useState(NOTHING)
  const running = useRef<AbortController | null>(null)
  const ask = useCallback(
    (cursor: string | null) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      setState(before => ({ ...before, error: null, isLoading: true }))
      searchMessages({ q, session: session || null, limit: RESULTS_AT_A_TIME, cursor }, { signal }).then(
        ({ results, next }) => {
          if (signal.aborted) return
          setState(before => ({
            results: cursor === null ? results : together(before.results ?? [], results),
            next,
            error: null,
            isLoading: false,
          }))
        },
        error => {
          if (signal.aborted || isAbort(error)) return
          // Results for another question do not answer this one.
          setState(before => ({ ...(cursor === null ? NOTHING : before), error, isLoading: false }))
        },
      )
    },
    [q, session],
  )
  useEffect(() => {
    if (q.trim() === '') setState(NOTHING)
    else ask(null)
    return () => running.current?.abort()
  }, [q, ask])
  const { next } = state
  return { ...state, more: () => ask(next), retry: () => ask(null) }
}

/**
 * The server computes each page of results anew. After new messages, it may return a result a second time.
 */
function together(shown: readonly SearchResult[], more: readonly SearchResult[]): readonly SearchResult[] {
  const known = new Set(shown.map(nameOf))
  return [...shown, ...more.filter(result => !known.has(nameOf(result)))]
}

export function nameOf({ sessionId, seq }: Pick<SearchResult, 'sessionId' | 'seq'>): string {
  return `${seq} ${sessionId}`
}
