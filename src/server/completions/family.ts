import type { Palimpsest } from '../../palimpsest.ts'
import type { Session } from '../../session.ts'
import type { Laid } from './history.ts'
import type { NamedSession } from './named-session.ts'

/** A session and the forks that contradictions made of it, which clients go on calling by its name. */
export interface Family {
  /** The session itself first, then the newest of its forks. */
  readonly sessions: readonly Session[]
  /** The first id of a fork that is free. */
  readonly nextId: string
}

const MOST_FORKS = 20
const FIRST_FORK = 2

/** `null`: there is no such session yet. */
export async function familyOf(
  palimpsest: Palimpsest,
  { id, options }: NamedSession,
): Promise<Family | null> {
  const session = palimpsest.session(id, options)
  if ((await session.info()) === null) return null
  const ids = new Set([id])
  const forks: Session[] = []
  for (let number = FIRST_FORK; ; number++) {
    const fork = palimpsest.session(`${id}~${number}`)
    const info = await fork.info()
    if (info === null) return { sessions: [session, ...forks.slice(-MOST_FORKS)], nextId: fork.id }
    // Somebody else's session may have such a name.
    if (info.origin === null || !ids.has(info.origin.sessionId)) continue
    ids.add(fork.id)
    forks.push(fork)
  }
}

/** No contradiction comes first, then the longest run, then the newest session. */
export function bestOf(laid: readonly Laid[]): Laid {
  return laid.reduce((best, next) => (isBetter(next, best) ? next : best))
}

function isBetter(next: Laid, best: Laid): boolean {
  const [isFree, wasFree] = [next.outcome !== 'contradicts', best.outcome !== 'contradicts']
  return isFree === wasFree ? next.run >= best.run : isFree
}
