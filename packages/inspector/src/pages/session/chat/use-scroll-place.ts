import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A reader this close to the end follows new messages. */
const NEAR_PX = 120

/**
 * Keeps the reader's place in a list that grows at both ends. A reader at the end stays at the end. For a
 * reader further up, what is on the screen stays where it is. Only the reader's own scrolling switches
 * between the two.
 */
export function useScrollPlace({
  first,
  isAsking,
  onMoved,
}: {
  /** The `seq` of the first message. When it changes, older messages have come in above. */
  readonly first: number | undefined
  /** A reader who asks a question wants to see the reply, so the list scrolls to the end. */
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
