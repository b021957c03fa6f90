import { Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import { ACCESS, type McpAccess } from './access.ts'
import { answering } from './answering.ts'
import { createServer } from './create-server.ts'
import { loadLibrary, loadStdio } from './load-library.ts'
import { languageIn } from './tools.ts'

export interface StdioOptions {
  /** The defaults are the input and output of the process. */
  readonly input?: Readable
  readonly output?: Writable
  /** Ends the service, as the end of the input does. */
  readonly signal?: AbortSignal
  /**
   * Gives the current access; it is asked at each request. Left out: the access stays as it was at the start.
   */
  readonly current?: () => Promise<McpAccess>
}

const OPTIONS = optionsOf<StdioOptions>({ input: true, output: true, signal: true, current: true })

/** How long running requests may take after the input has ended. */
const DRAIN_MS = 5_000

/**
 * Serves one client until its input ends, and answers all requests that came before. Only the protocol is
 * written to the output. The instance stays open.
 *
 * @example
 * await serveMcpOverStdio({ palimpsest, scopes: new Set(['read']), version: '1.0.0' })
 */
export async function serveMcpOverStdio(access: McpAccess, options: StdioOptions = {}): Promise<void> {
  checkOptions('serveMcpOverStdio', options, OPTIONS)
  checkOptions('serveMcpOverStdio: access', access, ACCESS)
  const { input = process.stdin, output = process.stdout, signal, current } = options
  const closed = new AbortController()
  const ending = signal ? AbortSignal.any([signal, closed.signal]) : closed.signal
  // A failing input and the signal end the service, too.
  const inputEnds = finished(input, { writable: false, signal: ending }).catch(() => {})
  const [library, { serveStdio, StdioServerTransport }, language] = await Promise.all([
    loadLibrary(),
    loadStdio(),
    languageIn(access),
  ])
  // The library drops running requests when its input ends, so it gets an input that never ends.
  const lines = new Readable({ read() {} })
  const transport = answering(new StdioServerTransport(lines, output), () => closed.abort())
  const serving = serveStdio(() => createServer(library, access, { language, ...(current && { current }) }), {
    transport,
    // The server sends no notifications.
    maxSubscriptions: 0,
    onerror: error => access.onError?.(error),
  })
  const pass = (chunk: Buffer) => lines.push(chunk)
  input.on('data', pass)
  await inputEnds
  input.off('data', pass)
  input.pause()
  // The last line may lack its line break.
  lines.push('\n')
  const late = delay(DRAIN_MS, undefined, { ref: false, signal: closed.signal }).catch(() => {})
  await Promise.race([transport.answered(), late])
  await serving.close()
}
