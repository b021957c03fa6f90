import type { Message } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'

const PAGE = 200

/** The messages of these numbers that are there, in their order. `seqs` must be ascending. */
export async function readMessages(session: Session, seqs: readonly number[]): Promise<readonly Message[]> {
  const wanted = new Set(seqs)
  const last = seqs.at(-1) ?? 0
  const found: Message[] = []
  for (let after = (seqs[0] ?? 1) - 1; after < last; ) {
    const page = await session.messages({ after, before: last + 1, limit: PAGE })
    if (page.length === 0) break
    found.push(...page.filter(({ seq }) => wanted.has(seq)))
    after = page.at(-1)!.seq
  }
  return found
}
