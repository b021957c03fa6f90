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
  /** The defaults: those of the process. */
  readonly input?: Readable
  readonly output?: Writable
  /** Ends it as the end of the input does. */
  readonly signal?: AbortSignal
  /** Asked at each request: the access as it is then. Left out: it stays as it is. */
  readonly current?: () => Promise<McpAccess>
}

const OPTIONS = optionsOf<StdioOptions>({ input: true, output: true, signal: true, current: true })

/** So long what is under way may take when it ends. */
const DRAIN_MS = 5_000

/**
 * Serves one client until its input ends, and answers all that it asked before. Nothing but the protocol goes to the
 * output. The instance is left open.
 */
export async function serveMcpOverStdio(access: McpAccess, options: StdioOptions = {}): Promise<void> {
  checkOptions('serveMcpOverStdio', options, OPTIONS)
  checkOptions('serveMcpOverStdio: access', access, ACCESS)
  const { input = process.stdin, output = process.stdout, signal, current } = options
  const closed = new AbortController()
  const ending = signal ? AbortSignal.any([signal, closed.signal]) : closed.signal
  // An input that fails, and a signal, end it too.
  const inputEnds = finished(input, { writable: false, signal: ending }).catch(() => {})
  const [library, { serveStdio, StdioServerTransport }, language] = await Promise.all([
    loadLibrary(),
    loadStdio(),
    languageIn(access),
  ])
  // The library drops what is under way when its input ends: so it gets one that never does.
  const lines = new Readable({ read() {} })
  const transport = answering(new StdioServerTransport(lines, output), () => closed.abort())
  const serving = serveStdio(() => createServer(library, access, { language, ...(current && { current }) }), {
    transport,
    // Nothing is ever announced.
    maxSubscriptions: 0,
    onerror: error => access.onError?.(error),
  })
  const pass = (chunk: Buffer) => lines.push(chunk)
  input.on('data', pass)
  await inputEnds
  input.off('data', pass)
  input.pause()
  // The last line may lack its end.
  lines.push('\n')
  const late = delay(DRAIN_MS, undefined, { ref: false, signal: closed.signal }).catch(() => {})
  await Promise.race([transport.answered(), late])
  await serving.close()
}
