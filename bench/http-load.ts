import { connect, type Socket } from 'node:net'
import { percentile } from './measure.ts'

/** A request whose answer is read and not kept. */
export interface Request {
  /** The default: POST. */
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly body: string
}

export interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/**
 * So many requests over so many connections that are kept, each with one request under way. On bare sockets, so
 * that what is measured is the server and not a client.
 */
export async function load(
  port: number,
  {
    requests,
    connections,
    next,
    restMs = 0,
  }: {
    /** So many; or as long as this is so. */
    requests: number | (() => boolean)
    connections: number
    next: (place: number) => Request
    /** How long a connection rests after each answer, on average. The default: not at all. */
    restMs?: number
  },
): Promise<Load> {
  const times: number[] = []
  let sent = 0
  const isMore = typeof requests === 'number' ? () => sent < requests : requests
  const callers = await Promise.all(Array.from({ length: connections }, () => Caller.open(port)))
  const begin = performance.now()
  await Promise.all(
    callers.map(async caller => {
      while (isMore()) {
        const request = next(sent++)
        const start = performance.now()
        await caller.call(request)
        times.push(performance.now() - start)
        if (restMs > 0) await new Promise(resolve => setTimeout(resolve, 2 * restMs * Math.random()))
      }
    }),
  )
  const ms = performance.now() - begin
  for (const caller of callers) caller.close()
  return { perSecond: (times.length * 1000) / ms, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

class Caller {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #waiting: { resolve: () => void; reject: (error: Error) => void } | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', chunk => this.#take(chunk))
    socket.on('error', error => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('The server has closed the connection.')))
  }

  static open(port: number): Promise<Caller> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Caller(socket)))
      socket.once('error', reject)
    })
  }

  call({ method = 'POST', path, body }: Request): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    })
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.toString('latin1', 0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (!/^HTTP\/1\.1 2/.test(head) || Number.isNaN(length)) {
      this.#waiting?.reject(new Error(`Unexpected: ${this.#received.toString().slice(0, 500)}`))
      return
    }
    if (this.#received.length < end + 4 + length) return
    this.#received = this.#received.subarray(end + 4 + length)
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.resolve()
  }

  close(): void {
    this.#socket.destroy()
  }
}
