import type { StoreEvent } from 'palimpsest/internals/store/index'

/** How long a client that lost its connection waits before it comes again. */
const RETRY_MS = 2_000

/** The beginning of a stream: whoever is cut off before the first event misses none. */
export function openingText(position: string): string {
  return `retry: ${RETRY_MS}\nid: ${position}\n\n`
}

/** What was told before is of another history: the database was restored. The id says so, so it is told once. */
export function beginAnewText(position: string): string {
  return `retry: ${RETRY_MS}\nid: ${position}\nevent: begin-anew\ndata: ${JSON.stringify({ type: 'begin-anew' })}\n\n`
}

/** JSON has no line breaks of its own, so one line holds it. */
export function eventText({ position, type, sessionId, at, fromSeq, toSeq, data }: StoreEvent): string {
  const told = JSON.stringify({ type, sessionId, at, fromSeq, toSeq, data })
  return `id: ${position}\nevent: ${type}\ndata: ${told}\n\n`
}

/** No event: it keeps the connection open, and moves on what a client would resume from. */
export function heartbeatText(position: string): string {
  return `:\nid: ${position}\n\n`
}
