import { useEffect, useState } from 'preact/hooks'

/**
 * What somebody looks for in the strata, and what they have opened: blocks far from the screen are taken away, and are
 * to come back as they were.
 */
export interface Visit {
  /** A message that the address leads to. */
  readonly soughtSeq: number | null
  /** It is brought onto the screen once; whoever scrolls on from there is left alone. */
  isReached: boolean
  /** By name, what was opened or closed. */
  readonly opened: Map<string, boolean>
}

/** Open or closed, as it was left; open from the start where what is sought lies in it. */
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
