import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError } from '@hono/node-server'
import { ERROR_CODES, PalimpsestError } from 'palimpsest/internals/errors'

/** By Node's code of the error: the status line and the message. */
const REASONS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of the request are too large.'],
}

const UNREADABLE = [
  '400 Bad Request',
  'The request cannot be read as HTTP/1.1. Beyond ASCII, what is in an address has to be percent-encoded.',
] as const

/**
 * Answers a request that is HTTP, but whose target or host cannot become a URL. No route sees such a request.
 */
export function answerUnreadableTarget(error: unknown): Response {
  const requestId = crypto.randomUUID()
  const isTheirs = error instanceof RequestError
  const told = isTheirs
    ? new PalimpsestError('malformed_request', `The request has no readable address: ${error.message}.`, {
        requestId,
      })
    : new PalimpsestError('unexpected', 'Something unexpected went wrong.', { requestId })
  const headers = { 'x-request-id': requestId, 'cache-control': 'no-store' }
  return Response.json({ error: told }, { status: ERROR_CODES[told.code].status, headers })
}

/**
 * Answers a request that is not HTTP. No route sees it, so it is answered
 * here, in the form of every other error.
 */
export function answerUnreadable(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, message] = REASONS[error.code ?? ''] ?? UNREADABLE
    const requestId = crypto.randomUUID()
    const body = JSON.stringify({ error: new PalimpsestError('malformed_request', message, { requestId }) })
    const head = [
      `HTTP/1.1 ${status}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
