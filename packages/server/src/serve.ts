import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv4 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import { checkStore } from 'palimpsest/internals/store/index'
import { CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'
import { loadLibrary } from './mcp/index.ts'
import { type AppOptions, isMeantForOthers, LOOPBACK_HOSTS, type OpenedApp, openApp } from './open-app.ts'
import type { Tenant } from './tenants.ts'
import { answerUnreadable, answerUnreadableTarget } from './unreadable-request.ts'

export interface ServeOptions extends Omit<AppOptions, 'needsKeys' | 'hosts'> {
  /** The default: 127.0.0.1. */
  readonly host?: string
  /** 0: any free port. */
  readonly port: number
  /** Limits that differ from `CONNECTION_LIMITS`. */
  readonly limits?: Partial<ConnectionLimits>
}

const SERVE = optionsOf<ServeOptions>({
  host: true,
  port: true,
  limits: true,
  store: true,
  namespace: true,
  workspace: true,
  environment: true,
  version: true,
  allowedHosts: true,
  corsOrigins: true,
  trustsProxy: true,
  inspector: true,
  onWarning: true,
  onError: true,
  instances: true,
})
const LIMITS = optionsOf<ConnectionLimits>({
  headersMs: true,
  requestMs: true,
  keepAliveMs: true,
  answerMs: true,
  checkMs: true,
})

export interface RunningServer {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Only programs on the same machine can reach the server. */
  readonly isLoopback: boolean
  /** The tenant of a namespace, as the requests of that namespace use it. */
  tenant(namespace: string): Promise<Tenant>
  /**
   * Takes no new requests, finishes those that are running, and closes the
   * store. A second call does nothing more.
   */
  close(): Promise<void>
}

/**
 * Starts an app that listens on a port. If other machines can reach it, it does not start without keys.
 *
 * @example
 * const server = await startServer({ store: sqlite('./memory.db'), port: 8080 })
 * console.log(server.url) // http://127.0.0.1:8080
 * await server.close()
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  checkOptions('startServer', options, SERVE)
  checkOptions('startServer: limits', options.limits, LIMITS)
  checkStore(options.store)
  const { host = '127.0.0.1', port: wanted, limits: given, ...others } = options
  const limits = { ...CONNECTION_LIMITS, ...given }
  const { promise: opening, resolve: serveWith } = Promise.withResolvers<OpenedApp>()
  const server = createServer(
    { connectionsCheckingInterval: limits.checkMs },
    getRequestListener(async (request, environment) => (await opening).app.fetch(request, environment), {
      errorHandler: answerUnreadableTarget,
    }),
  )
  answerUnreadable(server)
  const connections = new Connections(server, limits)
  try {
    await options.store.open()
    const hasKeys = (await options.store.keys.listKeys()).length > 0
    const requireKeys = (address: string) => {
      const isForOthers = !isLoopback(address) || isMeantForOthers(options)
      if (isForOthers && !hasKeys) throw keysNeeded(host)
      return isForOthers
    }
    requireKeys(host)
    // The server listens before the app is opened: an opened app begins at once with the folds that are due.
    await listen(server, host, wanted)
    // A host name may stand for any address, so the real address is checked.
    const needsKeys = requireKeys((server.address() as AddressInfo).address)
    const hosts = needsKeys ? 'any' : [...new Set([...LOOPBACK_HOSTS, urlHost(host)])]
    const opened = await openApp({ ...others, hosts, needsKeys })
    serveWith(opened)
    // Loading this library blocks the event loop for a moment, so it is loaded now rather than at the first
    // call. If it is missing, a call says so.
    loadLibrary().catch(() => {})
    const { port } = server.address() as AddressInfo
    let closing: Promise<void> | null = null
    const close = () => {
      // Both together: long waits are answered, and no new requests come in.
      closing ??= Promise.all([connections.drain(), opened.release()])
        .then(() => {})
        .finally(() => opened.close())
      return closing
    }
    return {
      host,
      port,
      url: `http://${urlHost(host)}:${port}`,
      isLoopback: isLoopback((server.address() as AddressInfo).address),
      tenant: opened.tenant,
      close,
    }
  } catch (error) {
    server.close()
    server.closeAllConnections()
    await options.store.close()
    throw error
  }
}

function keysNeeded(host: string): PalimpsestError {
  return new PalimpsestError(
    'keys_needed',
    `On ${urlHost(host)} others than this machine can reach the server, and there is no key that would keep them out. ` +
      'Create one on the same database, with "palimpsest keys create NAME" and its --db or --store, or listen on 127.0.0.1.',
    { host },
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
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
