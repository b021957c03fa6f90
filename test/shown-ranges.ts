import type { Session } from '../packages/palimpsest/src/index.ts'

type Range = readonly [from: number, to: number]

const HEADING = /(?:Messages|消息) (\d+)–(\d+)/g
const HEADED = /^## Messages \d+–\d+$/m

/**
 * Which messages the session memory of a context tells of: by its headings, and of very short segments, which have none,
 * by their words. Oldest first.
 */
export async function shownRanges(session: Session, sessionMemory: string | null): Promise<readonly Range[]> {
  const memory = sessionMemory ?? ''
  const headed = [...memory.matchAll(HEADING)].map(([, from, to]): Range => [Number(from), Number(to)])
  const segments = await session.segments('all')
  const short = segments.filter(({ text }) => text !== '' && !HEADED.test(text))
  const told = short.filter(({ text }) => text.split('\n').every(line => memory.includes(wordsOf(line))))
  return [...headed, ...told.map(({ fromSeq, toSeq }): Range => [fromSeq, toSeq])].sort(
    (one, other) => one[0] - other[0],
  )
}

/** Who has no name but a role is told in the context's language. */
function wordsOf(line: string): string {
  return line.replace(/^- (?:\d{4}-\d{2}-\d{2} )?(?:[^:]{1,80}: )?/, '').trim()
}
