/*
 * How much comes through of a stream that ends early. Events that announce and close the answer stand around
 * its pieces. If the answer has pieces, at least one comes through.
 */

/** The events up to the middle of the pieces. */
export function untilTheMiddle<Event>(
  events: readonly Event[],
  isPiece: (event: Event) => boolean,
): readonly Event[] {
  const pieces = events.flatMap((event, index) => (isPiece(event) ? [index] : []))
  const last = pieces[Math.ceil(pieces.length / 2) - 1] ?? Math.floor(events.length / 2) - 1
  return events.slice(0, last + 1)
}

/** All pieces, without the events that close them. Without pieces: all events but the last. */
export function untilTheLastPiece<Event>(
  events: readonly Event[],
  isPiece: (event: Event) => boolean,
): readonly Event[] {
  const last = events.findLastIndex(isPiece)
  return events.slice(0, last === -1 ? -1 : last + 1)
}
