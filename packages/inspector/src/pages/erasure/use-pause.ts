import { useEffect, useState } from 'preact/hooks'

/** The value as it was when it had not changed for a while: not every letter is worth a call. */
export function usePause<T>(value: T, pauseMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
