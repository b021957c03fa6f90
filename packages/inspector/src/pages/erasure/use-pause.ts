import { useEffect, useState } from 'preact/hooks'

/** The value once it has not changed for `pauseMs`. So not every letter causes a call. */
export function usePause<T>(value: T, pauseMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
