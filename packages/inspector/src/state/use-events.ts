import { useEffect, useRef } from 'preact/hooks'
import { connection, listen } from '../api/events.ts'
import type { ServerEvent } from '../api/types.ts'

/** Several events in a row cause only one call. */
const CALM_MS = 120

/**
 * Calls `onChange` shortly after events that `concerns` picks, and when a lost connection is back. In a
 * hidden window, it waits until the window is visible.
 */
export function useEvents(concerns: (event: ServerEvent) => boolean, onChange: () => void): void {
  const latest = useRef({ concerns, onChange })
  latest.current = { concerns, onChange }
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    let isDue = false
    const tell = () => {
      timer = null
      isDue = document.hidden
      if (!isDue) latest.current.onChange()
    }
    const soon = () => {
      timer ??= setTimeout(tell, CALM_MS)
    }
    const whenSeen = () => {
      if (isDue && !document.hidden) soon()
    }
    const stopListening = listen(event => {
      if (latest.current.concerns(event)) soon()
    })
    let wasLost = connection.get() === 'lost'
    const stopWatching = connection.watch(state => {
      if (state === 'live' && wasLost) soon()
      wasLost = state === 'lost'
    })
    document.addEventListener('visibilitychange', whenSeen)
    return () => {
      if (timer !== null) clearTimeout(timer)
      stopListening()
      stopWatching()
      document.removeEventListener('visibilitychange', whenSeen)
    }
  }, [])
}

export function useSessionEvents(sessionId: string, onChange: () => void): void {
  useEvents(event => event.sessionId === sessionId, onChange)
}
