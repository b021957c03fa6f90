import type { StoreEvent } from 'palimpsest/internals/store/index'

/** How long a client that lost its connection waits before it reconnects. */
const RETRY_MS = 2_000

/**
 * The beginning of a stream. It holds an id, so that a client that is cut off
 * before the first event misses none.
 */
export function openingText(position: string): string {
  return `retry: ${RETRY_MS}\nid: ${position}\n\n`
}

/**
 * Says that the earlier events belong to another history: the database was restored. The id moves the client
 * into the new history, so this is told only once.
 */
export function beginAnewText(position: string): string {
  return `retry: ${RETRY_MS}\nid: ${position}\nevent: begin-anew\ndata: ${JSON.stringify({ type: 'begin-anew' })}\n\n`
}

/** One event. JSON here has no line breaks, so one `data:` line holds it. */
export function eventText({ position, type, sessionId, at, fromSeq, toSeq, data }: StoreEvent): string {
  const told = JSON.stringify({ type, sessionId, at, fromSeq, toSeq, data })
  return `id: ${position}\nevent: ${type}\ndata: ${told}\n\n`
}

/**
 * Not an event. It keeps the connection open and moves on the position from which the client would resume.
 */
export function heartbeatText(position: string): string {
  return `:\nid: ${position}\n\n`
}
