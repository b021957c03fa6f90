import { estimateTokens } from '../tokens/index.ts'

/**
 * Decides which details and events of the segments below a condensed segment copies. The segments below keep
 * all of theirs. Without a bound, the copies would grow with the log.
 */

interface Carrying {
  readonly details: readonly unknown[]
  readonly events: readonly unknown[]
}

const MAX_DETAILS = 60
const MAX_EVENTS = 40
const MAX_OWN_EVENTS = 100

/**
 * Each list begins with its most important detail. So the first of each list is taken, then the second of
 * each. Repeated details and details that the summary already has are left out.
 */
export function carryDetails(
  segments: readonly Carrying[],
  { summary, tokens }: { summary: string; tokens: number },
): readonly unknown[] {
  const kept: unknown[] = []
  const seen = new Set<string>()
  let left = tokens
  const longest = Math.max(0, ...segments.map(({ details }) => details.length))
  for (let rank = 0; rank < longest; rank++)
    for (const { details } of segments) {
      const detail = details[rank]
      const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
      if (text === undefined || seen.has(text) || summary.includes(text)) continue
      seen.add(text)
      left -= estimateTokens(`- ${text}\n`)
      if (kept.length >= MAX_DETAILS || left < 0) return kept
      kept.push(detail)
    }
  return kept
}

/**
 * Future events come first, the soonest of them first. Then come past events, the newest first. A reader with
 * room for only a few events thus gets the most useful ones. `today` is the day of the newest message.
 */
export function carryEvents(segments: readonly Carrying[], today: string): readonly unknown[] {
  const all = segments.flatMap(({ events }) => events)
  return mostTelling(all, today).slice(0, MAX_EVENTS)
}

/**
 * The events of a single segment, in the order in which they were said. There are at most `MAX_OWN_EVENTS`,
 * since a reader cannot use more.
 */
export function boundEvents<Event>(events: readonly Event[], today: string): readonly Event[] {
  if (events.length <= MAX_OWN_EVENTS) return events
  const kept = new Set<unknown>(mostTelling(events, today).slice(0, MAX_OWN_EVENTS))
  return events.filter(event => kept.has(event))
}

function mostTelling(all: readonly unknown[], today: string): readonly unknown[] {
  const byText = new Map(all.map(event => [JSON.stringify([dayOf(event), textOf(event)]), event]))
  const events = [...byText.values()]
  const toCome = events.filter(event => dayOf(event) >= today).sort((a, b) => compare(dayOf(a), dayOf(b)))
  const past = events.filter(event => dayOf(event) < today).sort((a, b) => compare(dayOf(b), dayOf(a)))
  return [...toCome, ...past]
}

function dayOf(event: unknown): string {
  const { on } = (event ?? {}) as { on?: unknown }
  return typeof on === 'string' ? on : ''
}

function textOf(event: unknown): unknown {
  const { text } = (event ?? {}) as { text?: unknown }
  return typeof text === 'string' ? text : event
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
