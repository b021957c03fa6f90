import type { Author } from 'palimpsest/internals/store/index'

/** The person at this machine, named by the environment. */
export function personHere(): Author {
  const { USER, LOGNAME, USERNAME } = process.env
  return { kind: 'person', name: USER || LOGNAME || USERNAME || null }
}
