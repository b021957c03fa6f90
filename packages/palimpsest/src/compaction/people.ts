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

/** Who speaks in messages, under which names and since when. */
export function peopleOf(messages: readonly Message[], zone: string): readonly Person[] {
  return peopleIn(messages, message => dayOf(message.at, message.zone ?? zone))
}

/** Who is known from segments, the oldest first. Those that were made before people were kept tell of none. */
export function peopleOfSegments(segments: readonly Pick<Segment, 'people'>[]): readonly Person[] {
  return boundPeople(mergePeople(...segments.map(({ people }) => people ?? [])))
}

/** Segments that a handler of the caller's own made, with those who speak in what they stand for. */
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
 * What is told of earlier segments, with those who stand at the head of a line named as they are to be named now: when it
 * was written, fewer were known.
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
