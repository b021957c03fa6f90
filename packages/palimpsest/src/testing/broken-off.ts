/*
 * How far a stream comes that ends early. Events that announce and close things surround the pieces of the answer
 * themselves; something of the answer always comes through, where there is any.
 */

/** Up to half of the pieces. */
export function untilTheMiddle<Event>(
  events: readonly Event[],
  isPiece: (event: Event) => boolean,
): readonly Event[] {
  const pieces = events.flatMap((event, index) => (isPiece(event) ? [index] : []))
  const last = pieces[Math.ceil(pieces.length / 2) - 1] ?? Math.floor(events.length / 2) - 1
  return events.slice(0, last + 1)
}

/** All of the pieces, and nothing that closes what they stand in. Without pieces: all but the last event. */
export function untilTheLastPiece<Event>(
  events: readonly Event[],
  isPiece: (event: Event) => boolean,
): readonly Event[] {
  const last = events.findLastIndex(isPiece)
  return events.slice(0, last === -1 ? -1 : last + 1)
}
