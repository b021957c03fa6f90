import { useEffect, useState } from 'preact/hooks'

/** A value that several parts of the page share and watch. */
export interface Value<T> {
  get(): T
  set(value: T): void
  watch(listener: (value: T) => void): () => void
}

export function createValue<T>(initial: T): Value<T> {
  let current = initial
  const listeners = new Set<(value: T) => void>()
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of [...listeners]) listener(value)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useValue<T>(value: Value<T>): T {
  const [current, setCurrent] = useState(() => value.get())
  useEffect(() => {
    setCurrent(() => value.get())
    return value.watch(next => setCurrent(() => next))
  }, [value])
  return current
}
