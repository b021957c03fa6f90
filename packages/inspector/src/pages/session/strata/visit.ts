import { useEffect, useState } from 'preact/hooks'

/**
 * What the reader looks for in the strata, and what the reader has opened. Blocks far from the screen are
 * removed, and must come back as they were.
 */
export interface Visit {
  /** The message that the address asks for. */
  readonly soughtSeq: number | null
  /** The message is scrolled into view once. After that, the reader scrolls freely. */
  isReached: boolean
  /** By name: whether the reader opened or closed it. */
  readonly opened: Map<string, boolean>
}

/** Open or closed, as the reader left it. At first it is open if it holds the sought message. */
export function useOpen(
  { soughtSeq, isReached, opened }: Visit,
  name: string,
  holdsSought: boolean,
): readonly [boolean, (isOpen: boolean) => void] {
  const leadsToSought = holdsSought && !isReached
  const [isOpen, setOpen] = useState(leadsToSought || (opened.get(name) ?? false))
  const keep = (open: boolean) => {
    opened.set(name, open)
    setOpen(open)
  }
  useEffect(() => {
    if (leadsToSought) keep(true)
  }, [soughtSeq])
  return [isOpen, keep]
}

export function holdsSought(
  { soughtSeq }: Visit,
  { fromSeq, toSeq }: { readonly fromSeq: number; readonly toSeq: number },
): boolean {
  return soughtSeq !== null && soughtSeq >= fromSeq && soughtSeq <= toSeq
}
