import type { Context, MiddlewareHandler } from 'hono'
import { PalimpsestError } from '../errors.ts'
import { malformed } from './read-body.ts'

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** The caller's own id of a request, or a new one, on every answer. */
export const requestId: MiddlewareHandler = async (context, next) => {
  const given = context.req.header('x-request-id') ?? ''
  context.header('x-request-id', REQUEST_ID.test(given) ? given : crypto.randomUUID())
  context.header('cache-control', 'no-store')
  await next()
}

/** What we send is data: no browser is to run, show in a frame, guess or pass on any of it. */
const SECURITY_HEADERS = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

/** On every answer, errors included. A route that says otherwise, as a page has to, is left as it is. */
export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  const { headers } = context.res
  for (const [name, value] of SECURITY_HEADERS) if (!headers.has(name)) headers.set(name, value)
}

/** `100%` is no part of a path; `100%25` is. */
export const readablePath: MiddlewareHandler = async (context, next) => {
  const { pathname } = new URL(context.req.url)
  if (decoded(pathname) === null)
    throw malformed(`The path ${pathname} is not encoded as it should be: "%" stands for itself as "%25".`)
  await next()
}

/** `null` where it cannot be. Its value is used: a bundler may drop a call that is there for its throw alone. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * A page of another site can make a browser call this server under a name that it points here (DNS
 * rebinding), or send to it unseen. It is recognised by the name that was called, and by where it comes from;
 * `origins` are those sites that may.
 */
export function allowedHosts(hosts: readonly string[], origins: readonly string[]): MiddlewareHandler {
  const isAllowed = (host: string) => hosts.includes(hostName(host))
  return async (context, next) => {
    const host = context.req.header('host') ?? new URL(context.req.url).host
    const origin = context.req.header('origin')
    if (!isAllowed(host)) throw notAllowed(context, 'host', host, hosts)
    if (origin !== undefined && !origins.includes(origin) && !isAllowed(URL.parse(origin)?.host ?? ''))
      throw notAllowed(context, 'origin', origin, hosts)
    // What needs no leave has no origin; following a link is nobody's doing but the reader's.
    const site = context.req.header('sec-fetch-site')
    const isHidden = origin === undefined && site === 'cross-site'
    if (isHidden && context.req.header('sec-fetch-mode') !== 'navigate')
      throw notAllowed(context, 'sec-fetch-site', site, hosts)
    await next()
  }
}

/** Without the port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

function notAllowed(
  { req }: Context,
  header: 'host' | 'origin' | 'sec-fetch-site',
  value: string,
  hosts: readonly string[],
): PalimpsestError {
  return new PalimpsestError(
    'host_not_allowed',
    `${req.method} ${req.path}: this server answers on ${hosts.join(', ')} only; the ${header} is ${JSON.stringify(value)}.`,
    { [header]: value, allowed: hosts },
  )
}
