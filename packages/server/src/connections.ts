import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * How long clients may keep a connection waiting, in milliseconds. The time of our own work does not count.
 */
export interface ConnectionLimits {
  /** For the headers of a request, counted from the start of the connection. */
  readonly headersMs: number
  /** For a whole request to arrive. */
  readonly requestMs: number
  /** For the next request on a connection that is kept alive. */
  readonly keepAliveMs: number
  /** For the client to take any part of an answer. */
  readonly answerMs: number
  /** How often Node checks the limits of headers and requests. */
  readonly checkMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 20_000,
  requestMs: 120_000,
  keepAliveMs: 30_000,
  answerMs: 60_000,
  checkMs: 5_000,
}

/** How long a request may take after the server begins to close. Then its connection is cut. */
const DRAIN_MS = 10_000
/**
 * When the server closes, how long to wait for a request that the client has already sent. Then connections
 * without a request are cut.
 */
const SILENT_DRAIN_MS = 500
/** When the server closes, how long a client that still sends or takes data may keep the server waiting. */
const CLIENT_DRAIN_MS = 3_000
const IDLE_CHECK_MS = 50

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The connections of a server. No connection waits for its client forever. */
export class Connections {
  readonly #server: Server
  /** Each open connection with its current exchange. `null`: there is no exchange on it now. */
  readonly #open = new Map<Socket, Exchange | null>()

  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server
    server.headersTimeout = limits.headersMs
    server.requestTimeout = limits.requestMs
    server.keepAliveTimeout = limits.keepAliveMs
    // The timeout means that no data moves on the connection. That is not the
    // client's fault while the server is working.
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

  /** Takes no more connections. Those without an exchange end soon, the others after their answer. */
  async drain(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    // A connection that is kept alive becomes idle when its answer has been sent.
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

/**
 * Whether the server waits for the client: for the rest of a request, or for the client to take the answer.
 */
function isUpToClient(exchange: Exchange | null): boolean {
  if (exchange === null) return true
  const { request, response } = exchange
  return !request.complete || response.writableEnded || response.writableNeedDrain
}
