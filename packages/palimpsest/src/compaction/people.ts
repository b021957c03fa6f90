import {
  boundPeople,
  type Message,
  mergePeople,
  type Person,
  peopleIn,
  type Segment,
  WhoIsWho,
} from '../log/index.ts'
import type { FoldedSegment } from './folded-segment.ts'
import { dayOf } from './segment-lines.ts'

type Told = Pick<Segment, 'summary' | 'events' | 'details' | 'people'>

/** The people who speak in messages, with their names and since when they have them. */
export function peopleOf(messages: readonly Message[], zone: string): readonly Person[] {
  return peopleIn(messages, message => dayOf(message.at, message.zone ?? zone))
}

/**
 * The people known from segments, the oldest segment first. Segments from before people were stored have
 * none.
 */
export function peopleOfSegments(segments: readonly Pick<Segment, 'people'>[]): readonly Person[] {
  return boundPeople(mergePeople(...segments.map(({ people }) => people ?? [])))
}

/** Adds the people to the segments of the caller's own handler. */
export function withPeople(
  segments: readonly FoldedSegment[],
  { messages, stored, zone }: { messages: readonly Message[]; stored: readonly Segment[]; zone: string },
): readonly FoldedSegment[] {
  const complete: FoldedSegment[] = []
  for (const segment of segments) {
    const { fromSeq, toSeq, absorbs } = segment
    const lower = absorbs.flatMap(
      id => (id < 0 ? complete[-id - 1] : stored.find(each => each.id === id)) ?? [],
    )
    const own = segment.level === 1 ? messages.filter(({ seq }) => fromSeq <= seq && seq <= toSeq) : []
    const isTakenIn = segment.level > 1 || segment.window !== undefined
    const people = mergePeople(peopleOfSegments(isTakenIn ? lower : []), peopleOf(own, zone))
    complete.push({ ...segment, people: segment.people ?? boundPeople(people) })
  }
  return complete
}

/**
 * Replaces the names at the head of lines by today's names. When a segment was written, fewer people were
 * known.
 */
export function withNames<Segment extends Told>(segment: Segment, who: WhoIsWho): Segment {
  const { people = [] } = segment
  if (!people || people.length === 0) return segment
  const own = new WhoIsWho(people)
  const named = (text: string) =>
    text.replace(HEAD, (head, before: string, name: string, after: string) => {
      const speaker = own.find(name)
      return speaker === null ? head : `${before}${who.nameOfPerson(speaker)}${after}`
    })
  return {
    ...segment,
    summary: segment.summary
      .split('\n')
      .map(line => (line.startsWith('- ') ? named(line) : line))
      .join('\n'),
    events: segment.events.map(event => {
      const { text } = (event ?? {}) as { text?: unknown }
      return typeof text === 'string' ? { ...(event as object), text: named(text) } : event
    }),
    details: segment.details.map(detail => (typeof detail === 'string' ? named(detail) : detail)),
  }
}

const HEAD = /^((?:- )?(?:\d{4}-\d{2}-\d{2}(?:–\d{4}-\d{2}-\d{2})? )?)((?:[^:\n]|:(?=\S)){1,110}?)(: )/
