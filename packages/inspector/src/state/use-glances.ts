import { useEffect } from 'preact/hooks'

const EVERY_MS = 15_000

/**
 * Looks again when somebody comes back to the window, and now and then while it is seen: of some changes no event tells
 * (settings, a session that was erased).
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
