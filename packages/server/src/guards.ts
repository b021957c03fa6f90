import type { Context, MiddlewareHandler } from 'hono'
import { describe, PalimpsestError } from 'palimpsest/internals/errors'
import { hasDotSegment } from './raw-target.ts'
import { malformed } from './read-body.ts'

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** Puts a request id on every answer: the caller's own, or a new one. */
export const requestId: MiddlewareHandler = async (context, next) => {
  const given = context.req.header('x-request-id') ?? ''
  context.header('x-request-id', REQUEST_ID.test(given) ? given : crypto.randomUUID())
  context.header('cache-control', 'no-store')
  await next()
}

/** Answers are data: a browser must not run them, show them in a frame, guess their type or pass them on. */
const SECURITY_HEADERS = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

/**
 * Sets the headers on every answer, errors included. A route that sets a
 * header itself keeps it, as a page has to.
 */
export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  const { headers } = context.res
  for (const [name, value] of SECURITY_HEADERS) if (!headers.has(name)) headers.set(name, value)
}

/**
 * Node's own request has the target as it arrived. A request made inside this process has no Node request.
 */
interface Incoming {
  readonly incoming?: { readonly url?: string }
}

/**
 * Refuses a path with a part that is `.` or `..`. Such a part names no session, and a URL
 * reads it as the path of another call.
 */
export const wholePath: MiddlewareHandler<{ Bindings: Incoming }> = async (context, next) => {
  const target = context.env?.incoming?.url ?? context.req.url
  if (hasDotSegment(target))
    throw malformed(
      `The path ${describe(target)} has a part that is "." or "..", which stands for another path. No id is one of these; call the path that is meant.`,
    )
  await next()
}

/** Refuses a path that cannot be decoded. `100%` is not valid in a path; `100%25` is. */
export const readablePath: MiddlewareHandler = async (context, next) => {
  const { pathname } = new URL(context.req.url)
  if (decoded(pathname) === null)
    throw malformed(`The path ${pathname} is not encoded as it should be: "%" stands for itself as "%25".`)
  await next()
}

/** Refuses an empty host name. This guard stands where every other host name is accepted. */
export const namedHost: MiddlewareHandler = async (context, next) => {
  if (context.req.header('host')?.trim() === '')
    throw malformed('The header host is empty: it has to say which server is called.')
  await next()
}

/**
 * `null`: the text cannot be decoded. The result is used on purpose: a bundler may drop a
 * call whose only effect is to throw.
 */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Guards against pages of other sites. Such a page can make a browser call this server under a host name that
 * the page's owner points here (DNS rebinding), or read from it unseen. The guard checks the host name that
 * was called and the origin of the call. Pages of `origins` may call.
 */
export function allowedHosts(hosts: readonly string[], origins: readonly string[]): MiddlewareHandler {
  const isAllowed = (host: string) => hosts.includes(hostName(host))
  return async (context, next) => {
    const host = context.req.header('host') ?? new URL(context.req.url).host
    const origin = context.req.header('origin')
    if (!isAllowed(host)) throw notAllowed(context, 'host', host, hosts)
    if (origin !== undefined && !origins.includes(origin) && !isAllowed(URL.parse(origin)?.host ?? ''))
      throw notAllowed(context, 'origin', origin, hosts)
    // A browser sends no origin with calls that need no permission. To
    // follow a link is the reader's own doing.
    const site = context.req.header('sec-fetch-site')
    const isHidden = origin === undefined && site === 'cross-site'
    const isLink = context.req.header('sec-fetch-mode') === 'navigate' && isReading(context.req.method)
    if (isHidden && !isLink) throw notAllowed(context, 'sec-fetch-site', site, hosts)
    await next()
  }
}

/** The values of `sec-fetch-site` when no other page caused the call. */
const OWN_SITES = ['same-origin', 'none']

/**
 * From a browser, only pages of this server and of `origins` may change something. A page
 * on another port of the same machine is another origin: a browser lets it send without
 * asking, although that page sees no answer.
 */
export function ownOrigin(origins: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context
    const origin = req.header('origin')
    const site = req.header('sec-fetch-site')
    const isAllowed = origin !== undefined && origins.includes(origin)
    if (!isReading(req.method) && !isAllowed) {
      // The browser sets `sec-fetch-site`, and no page can change it. An older browser sends only the origin.
      const isOwn =
        site !== undefined
          ? OWN_SITES.includes(site)
          : origin === undefined || isOf(req.header('host'), origin)
      if (!isOwn)
        throw foreignPage(context, site === undefined ? { origin: origin! } : { 'sec-fetch-site': site })
    }
    await next()
  }
}

/** A preflight counts as reading: it comes before any change. */
function isReading(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** Whether this origin has this host name and port. */
function isOf(host: string | undefined, origin: string): boolean {
  const url = URL.parse(origin)
  // Both are parsed with the scheme of the origin, so that a default port is the same in both.
  return url !== null && host !== undefined && URL.parse(`${url.protocol}//${host}`)?.host === url.host
}

function foreignPage({ req }: Context, said: Readonly<Record<string, string>>): PalimpsestError {
  const [[name, value]] = Object.entries(said) as [[string, string]]
  return new PalimpsestError(
    'host_not_allowed',
    `${req.method} ${req.path}: from a browser, only pages of this server may change something; the ${name} is ` +
      `${JSON.stringify(value)}. Nothing was done. Whoever runs the server can allow a site with corsOrigins.`,
    { ...said, allowed: 'the same origin, or one of corsOrigins' },
  )
}

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
