import type { Message } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import { type Alignment, alignWhole, type Known } from './align.ts'
import type { Said } from './fingerprint.ts'

/** Begins the external ids of what is stored here, so that it is told from what others said. */
export const MARK = 'chat-completion:'
/** Begins those of the replies of turns. */
const REPLY_MARK = 'turn:'

const PAGE = 1_000
const MOST_OF_OURS = 4_000
/** Beyond what they send, so that a reply of ours that they leave out is seen. */
const MORE_OF_OURS = 100

/** The end of a session's log, and how a list lies on it. */
export interface Laid extends Alignment {
  readonly session: Session
  readonly ours: readonly Message[]
}

/**
 * Reads backwards until the list clearly goes on from what was read: more than half of it agrees, and no other place
 * can hold as much. Otherwise to the beginning, or as far as is read at all.
 */
export async function layOnto(session: Session, theirs: readonly Said[]): Promise<Laid> {
  let ours: readonly Message[] = []
  for (let limit = Math.min(PAGE, theirs.length + MORE_OF_OURS); ; limit = PAGE) {
    const page = await readEnd(session, limit, ours[0]?.seq)
    ours = [...page, ...ours]
    const alignment = alignWhole(ours.map(toKnown), theirs)
    const isAll = page.length < limit || ours.length >= MOST_OF_OURS
    const isClear = alignment.outcome !== 'contradicts' && alignment.run * 2 > theirs.length
    if (isAll || isClear) return { ...alignment, session, ours }
  }
}

export async function readEnd(session: Session, limit: number, before?: number): Promise<readonly Message[]> {
  return session.messages({ from: 'newest', limit, ...(before !== undefined && { before }) })
}

function toKnown({ role, content, externalId }: Message): Known {
  const isOurs = externalId?.startsWith(MARK) || externalId?.startsWith(REPLY_MARK)
  return { role, content, isElsewhere: !isOurs }
}
