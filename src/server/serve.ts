import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Layer } from '../config/index.ts'
import { PalimpsestError } from '../errors.ts'
import { createPalimpsest } from '../palimpsest.ts'
import type { Store } from '../store/index.ts'
import { createApp, LOOPBACK_HOSTS } from './app.ts'
import type { OnError } from './http-errors.ts'
import { LiveSettings } from './live-settings.ts'

export interface ServeOptions {
  /** Opened here, and closed with the server. */
  readonly store: Store
  /** The default: 127.0.0.1. */
  readonly host?: string
  /** 0: any that is free. */
  readonly port: number
  readonly namespace?: string
  /** A folder for the memory's files. Left out: none. */
  readonly workspace?: string
  readonly environment?: Layer
  readonly version?: string
  readonly onWarning?: (message: string) => void
  readonly onError?: OnError
}

export interface RunningServer {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Only programs on the same machine can reach it. */
  readonly isLoopback: boolean
  /** Takes no new requests, finishes those under way, and closes the store. A repeat does nothing more. */
  close(): Promise<void>
}

/** So long requests under way may take when it closes; then their connections are cut. */
const DRAIN_MS = 10_000
const IDLE_CHECK_MS = 50

/** Everything that a server needs, put together and listening. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { store, host = '127.0.0.1', namespace, workspace, onWarning, onError } = options
  await store.open()
  const { promise: app, resolve: serveWith } = Promise.withResolvers<ReturnType<typeof createApp>>()
  const server = createServer(getRequestListener(async request => (await app).fetch(request)))
  try {
    const settings = new LiveSettings({ ...options, ...(namespace !== undefined && { namespace }) })
    const configuration = await settings.load()
    for (const warning of warningsOf(configuration.policy)) onWarning?.(warning)
    // Before the instance is there: it folds at once what is due.
    await listen(server, host, options.port)
    const palimpsest = await createPalimpsest({
      store,
      ...configuration,
      ...(namespace !== undefined && { namespace }),
      ...(workspace !== undefined && { workspace }),
      onError: (error, { sessionId }) =>
        onWarning?.(`session ${JSON.stringify(sessionId)}: ${String(error)}`),
    })
    settings.onChange(configuration => palimpsest.configure(configuration))
    const answering = createApp({
      palimpsest,
      settings,
      hosts: isLoopback(host) ? [...LOOPBACK_HOSTS, urlHost(host)] : 'any',
      ...(options.version !== undefined && { version: options.version }),
      ...(onError && { onError }),
    })
    serveWith(answering)
    const { port } = server.address() as AddressInfo
    let closing: Promise<void> | null = null
    const close = () => {
      // Together: what waits for a fold is answered, and nothing new comes in.
      closing ??= Promise.all([drain(server), palimpsest.abortManualFolds()]).then(() => palimpsest.close())
      return closing
    }
    return { host, port, url: `http://${urlHost(host)}:${port}`, isLoopback: isLoopback(host), close }
  } catch (error) {
    server.close()
    server.closeAllConnections()
    await store.close()
    throw error
  }
}

function warningsOf(policy: unknown): readonly string[] {
  return (policy as { warnings?: readonly string[] } | undefined)?.warnings ?? []
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)))
    server.listen(port, host, resolve)
  })
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): PalimpsestError {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program listens there. Choose another port with --port, or 0 for any that is free.',
    EACCES: 'this user may not listen there. Choose a port of at least 1024.',
    EADDRNOTAVAIL: 'this machine has no such address. Choose another with --host.',
    ENOTFOUND: 'there is no such name. Choose another with --host.',
  }
  return new PalimpsestError(
    'address_unavailable',
    `Cannot listen on ${urlHost(host)}:${port}: ${reasons[error.code ?? ''] ?? error.message}`,
    { host, port, reason: error.code ?? error.message },
    { cause: error },
  )
}

/** Idle connections end at once, others after their answer. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  // A connection that is kept alive becomes idle when its answer is out.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
