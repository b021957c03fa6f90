import { useEffect } from 'preact/hooks'

const EVERY_MS = 15_000

/**
 * Calls `look` when the reader comes back to the window, and now and then while the window is visible. Some
 * changes send no event: settings, an erased session.
 */
export function useGlances(look: () => void): void {
  useEffect(() => {
    const lookIfSeen = () => {
      if (!document.hidden) look()
    }
    addEventListener('focus', lookIfSeen)
    document.addEventListener('visibilitychange', lookIfSeen)
    const timer = setInterval(lookIfSeen, EVERY_MS)
    return () => {
      removeEventListener('focus', lookIfSeen)
      document.removeEventListener('visibilitychange', lookIfSeen)
      clearInterval(timer)
    }
  }, [look])
}
