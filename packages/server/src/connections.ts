import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long others may keep a connection waiting, in milliseconds. How long our own work takes is no part of it. */
export interface ConnectionLimits {
  /** For the headers of a request, from the connection's first moment on. */
  readonly headersMs: number
  /** For a request as a whole. */
  readonly requestMs: number
  /** For the next request on a connection that is kept. */
  readonly keepAliveMs: number
  /** For taking any of an answer. */
  readonly answerMs: number
  /** How often it is looked at. */
  readonly checkMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 20_000,
  requestMs: 120_000,
  keepAliveMs: 30_000,
  answerMs: 60_000,
  checkMs: 5_000,
}

/** So long a request may take when the server closes; then its connection is cut. */
const DRAIN_MS = 10_000
/** So long a request may be on its way that was sent before; a connection without one is cut then. */
const SILENT_DRAIN_MS = 500
/** So long whoever sends or takes something may still keep it waiting. */
const CLIENT_DRAIN_MS = 3_000
const IDLE_CHECK_MS = 50

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The connections of a server, of which none waits for its client forever. */
export class Connections {
  readonly #server: Server
  /** With what is under way on each; `null`: nothing yet, or nothing any more. */
  readonly #open = new Map<Socket, Exchange | null>()

  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server
    server.headersTimeout = limits.headersMs
    server.requestTimeout = limits.requestMs
    server.keepAliveTimeout = limits.keepAliveMs
    // Nothing moves on it. That is no fault where we are at work.
    server.timeout = limits.answerMs
    server.on('timeout', socket => {
      if (socket.writableLength > 0 || !this.#open.get(socket)) socket.destroy()
    })
    server.on('connection', socket => {
      this.#open.set(socket, null)
      socket.once('close', () => this.#open.delete(socket))
    })
    server.on('request', (request, response) => this.#begin({ request, response }))
  }

  #begin(exchange: Exchange): void {
    const { socket } = exchange.request
    this.#open.set(socket, exchange)
    exchange.response.once('close', () => {
      if (this.#open.get(socket) === exchange) this.#open.set(socket, null)
    })
  }

  /** Takes no more. Connections on which nothing is under way end soon, the others after their answer. */
  async drain(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    // A connection that is kept alive becomes idle when its answer is out.
    const idle = setInterval(() => this.#server.closeIdleConnections(), IDLE_CHECK_MS)
    const silent = setTimeout(() => this.#cut(exchange => exchange === null), SILENT_DRAIN_MS)
    const slow = setTimeout(() => this.#cut(isUpToClient), CLIENT_DRAIN_MS)
    const late = setTimeout(() => this.#server.closeAllConnections(), DRAIN_MS)
    await closed
    clearInterval(idle)
    for (const timer of [silent, slow, late]) clearTimeout(timer)
  }

  #cut(isDue: (exchange: Exchange | null) => boolean): void {
    for (const [socket, exchange] of this.#open) if (isDue(exchange)) socket.destroy()
  }
}

/** What is missing is the rest of the request, or somebody who takes the answer. */
function isUpToClient(exchange: Exchange | null): boolean {
  if (exchange === null) return true
  const { request, response } = exchange
  return !request.complete || response.writableEnded || response.writableNeedDrain
}
