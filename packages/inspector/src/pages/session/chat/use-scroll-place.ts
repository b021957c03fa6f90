import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** So near to the end somebody reads what comes, and is taken along. */
const NEAR_PX = 120

/**
 * Keeps the place of somebody who reads a list that grows at both ends: at its end they stay at the end; further up,
 * what they read stays where it is. Only they themselves go from the one to the other.
 */
export function useScrollPlace({
  first,
  isAsking,
  onMoved,
}: {
  /** What the list begins with: where that is another one, something came above. */
  readonly first: number | undefined
  /** Whoever asks something wants to see what comes of it: they are taken to the end. */
  readonly isAsking: boolean
  readonly onMoved: (place: 'end' | 'above') => void
}): {
  readonly place: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  readonly stayHere: () => void
} {
  const place = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const shown = useRef({ first, fromEnd: 0 })
  const putAt = useRef<number | null>(null)
  const wasAsking = useRef(false)
  useLayoutEffect(() => {
    const element = place.current!
    const before = shown.current
    if (isAsking && !wasAsking.current) isAtEnd.current = true
    wasAsking.current = isAsking
    const hasMoreAbove = first !== undefined && before.first !== undefined && first < before.first
    if (isAtEnd.current) element.scrollTop = element.scrollHeight
    else if (hasMoreAbove) element.scrollTop = element.scrollHeight - before.fromEnd
    if (isAtEnd.current || hasMoreAbove) putAt.current = element.scrollTop
    shown.current = { first, fromEnd: element.scrollHeight - element.scrollTop }
  })
  return {
    place,
    onScroll: () => {
      const { scrollTop, clientHeight, scrollHeight } = place.current!
      shown.current = { ...shown.current, fromEnd: scrollHeight - scrollTop }
      const wasPut = putAt.current !== null && Math.abs(putAt.current - scrollTop) < 1
      putAt.current = null
      const wasAtEnd = isAtEnd.current
      if (wasPut) return
      isAtEnd.current = scrollTop + clientHeight > scrollHeight - NEAR_PX
      if (isAtEnd.current !== wasAtEnd) onMoved(isAtEnd.current ? 'end' : 'above')
    },
    stayHere: () => {
      isAtEnd.current = false
    },
  }
}
