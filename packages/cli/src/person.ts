import type { Author } from 'palimpsest/internals/store/index'

/** Who sits at this machine, as far as it says. */
export function personHere(): Author {
  const { USER, LOGNAME, USERNAME } = process.env
  return { kind: 'person', name: USER || LOGNAME || USERNAME || null }
}
