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
  /** The passage that answers best, of a neighbour the beginning, with … where it was cut. */
  readonly excerpt: string
  /** Where the words of the excerpt come from that its sender did not say; left out: the sender said them. */
  readonly origin?: Origin
  /** What the message answers; left out: nothing, or what stands right before it. */
  readonly answered?: Answered
}

export interface SearchResult extends Excerpt {
  readonly sessionId: string
  readonly externalId: string | null
  readonly score: number
  /** Covered by a segment: no longer raw in the context. */
  readonly archived: boolean
  /** Where in the excerpt the words stand that were searched for, as pairs of from and to. */
  readonly highlights: readonly (readonly [from: number, to: number])[]
  /** What was said right before and after it, oldest first. */
  readonly before: readonly Excerpt[]
  readonly after: readonly Excerpt[]
}

const EXCERPT_CHARACTERS = 160
const NEIGHBOUR_CHARACTERS = 100
const MAX_PASSAGE = 20_000

/** As they are shown: who said it and when, the passage that answers, and what was said around it. */
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

/** Of a very long text, the part in which a word of the query stands first: all of it would take too long to read. */
export function aroundFirst(text: string, { text: query }: SearchQuery): string {
  if (text.length <= MAX_PASSAGE) return text
  const lower = text.toLowerCase()
  const words = query.split(' ').sort((one, other) => other.length - one.length)
  const found = words.map(word => lower.indexOf(word)).find(place => place >= 0) ?? 0
  const from = Math.max(0, found - MAX_PASSAGE / 2)
  const part = text.slice(from, from + MAX_PASSAGE).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${from + MAX_PASSAGE < text.length ? '…' : ''}`
}

/** Of what one person said alone: of the sender, unless more of the query stands in what they passed on. */
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

/** The names of where it comes from stand beside it. */
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
