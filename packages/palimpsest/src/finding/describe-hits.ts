import {
  type Answered,
  byOrigin,
  type Content,
  type ContentPart,
  headOf,
  type Message,
  type Origin,
  type Role,
  type Sender,
  searchableText,
} from '../log/index.ts'
import { excerptOf, type SearchQuery } from '../search/index.ts'
import { keyName, type LogStore } from '../store/index.ts'
import type { Hit } from './best-hits.ts'

export interface Excerpt {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  readonly at: Date
  /** The passage that answers best. For a neighbour: its beginning. … marks a cut. */
  readonly excerpt: string
  /** Where the excerpt comes from, if its sender did not say these words. Left out: the sender said them. */
  readonly origin?: Origin
  /** The message that this one answers. Left out: it answers none, or the one right before it. */
  readonly answered?: Answered
}

export interface SearchResult extends Excerpt {
  readonly sessionId: string
  readonly externalId: string | null
  readonly score: number
  /** A segment covers the message, so it is no longer raw in the context. */
  readonly archived: boolean
  /** Where the searched words stand in the excerpt, as pairs of from and to. */
  readonly highlights: readonly (readonly [from: number, to: number])[]
  /** What was said right before and after it, oldest first. */
  readonly before: readonly Excerpt[]
  readonly after: readonly Excerpt[]
}

const EXCERPT_CHARACTERS = 160
const NEIGHBOUR_CHARACTERS = 100
const MAX_PASSAGE = 20_000

/** Hits as they are shown: who said it and when, the passage that answers, and the messages around it. */
export async function describeHits(
  log: Pick<LogStore, 'readMessages'>,
  query: SearchQuery,
  hits: readonly Hit[],
  neighbours: number,
): Promise<readonly SearchResult[]> {
  const results = new Map<Hit, SearchResult>()
  for (const ofSession of Map.groupBy(hits, ({ key }) => keyName(key)).values()) {
    const { key } = ofSession[0]!
    const wanted = ofSession.flatMap(({ seq }) =>
      Array.from({ length: 2 * neighbours + 1 }, (_, place) => seq + place - neighbours),
    )
    const messages = new Map(
      (await log.readMessages(key, { seqs: wanted.filter(seq => seq > 0), answered: true })).map(message => [
        message.seq,
        message,
      ]),
    )
    const around = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, place) => messages.get(from + place))
        .filter(message => message !== undefined)
        .map(toNeighbour)
    for (const hit of ofSession) {
      const message = messages.get(hit.seq)
      // It was erased or hidden since.
      if (!message) continue
      const { seq, role, sender, at, externalId, archived, content } = message
      const { text, highlights, origin } = bestExcerpt(content, query)
      results.set(hit, {
        sessionId: key.id,
        seq,
        externalId,
        role,
        sender,
        at,
        score: hit.score,
        archived,
        excerpt: text,
        highlights,
        ...besideExcerpt(message, origin),
        before: around(seq - neighbours, seq - 1),
        after: around(seq + 1, seq + neighbours),
      })
    }
  }
  return hits.map(hit => results.get(hit)).filter(result => result !== undefined)
}

/** The part of a very long text around a searched word. Reading all of the text would take too long. */
export function aroundFirst(text: string, { text: query }: SearchQuery): string {
  if (text.length <= MAX_PASSAGE) return text
  const lower = text.toLowerCase()
  const words = query.split(' ').sort((one, other) => other.length - one.length)
  const found = words.map(word => lower.indexOf(word)).find(place => place >= 0) ?? 0
  const from = Math.max(0, found - MAX_PASSAGE / 2)
  const part = text.slice(from, from + MAX_PASSAGE).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${from + MAX_PASSAGE < text.length ? '…' : ''}`
}

/**
 * An excerpt of the words of one person: the sender's own words, unless the words that they passed on hold
 * more of the query.
 */
function bestExcerpt(content: Content, query: SearchQuery) {
  const excerpts = byOrigin(content).map(({ origin, content }) => {
    const passage = aroundFirst(textWithoutOrigin(content, origin), query)
    return { origin, ...excerptOf(passage, query, { length: EXCERPT_CHARACTERS }) }
  })
  const found = ({ highlights }: (typeof excerpts)[number]) => highlights.length
  const own = excerpts.find(({ origin, text }) => origin === null && text.trim() !== '')
  const best = excerpts.reduce((best, each) => (found(each) > found(best) ? each : best), own ?? excerpts[0]!)
  return best
}

/** Leaves out the names in the origin, since they are shown beside the text. */
function textWithoutOrigin(content: Content, origin: Origin | null): string {
  if (origin === null || typeof content === 'string') return searchableText(content)
  return searchableText(content.map(part => ({ ...part, origin: undefined }) as unknown as ContentPart))
}

function besideExcerpt({ answered }: Message, origin: Origin | null): Pick<Excerpt, 'origin' | 'answered'> {
  return { ...(origin && { origin }), ...(answered && { answered }) }
}

function toNeighbour(message: Message): Excerpt {
  const { seq, role, sender, at, content } = message
  const groups = byOrigin(content)
  const { origin, content: said } = groups.find(group => group.origin === null) ?? groups[0]!
  const text = textWithoutOrigin(said, origin)
  const isLong = text.length > NEIGHBOUR_CHARACTERS
  const excerpt = isLong ? `${headOf(text, NEIGHBOUR_CHARACTERS)}…` : text
  return { seq, role, sender, at, excerpt, ...besideExcerpt(message, origin) }
}
