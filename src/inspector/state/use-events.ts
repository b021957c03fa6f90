import { useEffect, useRef } from 'preact/hooks'
import { connection, listen } from '../api/events.ts'
import type { ServerEvent } from '../api/types.ts'

/** Many events in a row are one reason to look again. */
const CALM_MS = 120

/** Calls `onChange` shortly after events that `concerns` picks, and when a lost connection is back. */
export function useEvents(concerns: (event: ServerEvent) => boolean, onChange: () => void): void {
  const latest = useRef({ concerns, onChange })
  latest.current = { concerns, onChange }
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = null
        latest.current.onChange()
      }, CALM_MS)
    }
    const stopListening = listen(event => {
      if (latest.current.concerns(event)) soon()
    })
    let wasLost = false
    const stopWatching = connection.watch(state => {
      if (state === 'live' && wasLost) soon()
      wasLost = state === 'lost'
    })
    return () => {
      if (timer !== null) clearTimeout(timer)
      stopListening()
      stopWatching()
    }
  }, [])
}

export function useSessionEvents(sessionId: string, onChange: () => void): void {
  useEvents(event => event.sessionId === sessionId, onChange)
}
