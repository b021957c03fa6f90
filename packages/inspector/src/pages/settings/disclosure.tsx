import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Closed until the reader opens it, or until something inside needs attention. It never closes by itself. */
export function Disclosure({
  summary,
  isNeeded = false,
  look = '',
  children,
}: {
  readonly summary: ComponentChildren
  readonly isNeeded?: boolean
  /** The class of the whole element. */
  readonly look?: string
  readonly children: ComponentChildren
}) {
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (isNeeded && place.current) place.current.open = true
  }, [isNeeded])
  return (
    <details ref={place} class={look}>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}
