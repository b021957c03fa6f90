import type { Context, MiddlewareHandler } from 'hono'
import { describe, PalimpsestError } from 'palimpsest/internals/errors'
import { hasDotSegment } from './raw-target.ts'
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

/** Node's own request, which has the target as it came; a request in this process has none. */
interface Incoming {
  readonly incoming?: { readonly url?: string }
}

/** A part that is `.` or `..` names no session, and in a URL it makes another call of this one. */
export const wholePath: MiddlewareHandler<{ Bindings: Incoming }> = async (context, next) => {
  const target = context.env?.incoming?.url ?? context.req.url
  if (hasDotSegment(target))
    throw malformed(
      `The path ${describe(target)} has a part that is "." or "..", which stands for another path. No id is one of these; call the path that is meant.`,
    )
  await next()
}

/** `100%` is no part of a path; `100%25` is. */
export const readablePath: MiddlewareHandler = async (context, next) => {
  const { pathname } = new URL(context.req.url)
  if (decoded(pathname) === null)
    throw malformed(`The path ${pathname} is not encoded as it should be: "%" stands for itself as "%25".`)
  await next()
}

/** Where every name is taken, there has to be one. */
export const namedHost: MiddlewareHandler = async (context, next) => {
  if (context.req.header('host')?.trim() === '')
    throw malformed('The header host is empty: it has to say which server is called.')
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
 * rebinding), or read from it unseen. It is recognised by the name that was called, and by where it comes from;
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
    const isLink = context.req.header('sec-fetch-mode') === 'navigate' && isReading(context.req.method)
    if (isHidden && !isLink) throw notAllowed(context, 'sec-fetch-site', site, hosts)
    await next()
  }
}

/** What a browser sends of itself in `sec-fetch-site` where no other page is at work. */
const OWN_SITES = ['same-origin', 'none']

/**
 * From a browser, only a page of this very server may change something, and those of `origins`. A page on another port
 * of the same machine is another origin: a browser lets it send without asking, though it sees no answer.
 */
export function ownOrigin(origins: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context
    const origin = req.header('origin')
    const site = req.header('sec-fetch-site')
    const isAllowed = origin !== undefined && origins.includes(origin)
    if (!isReading(req.method) && !isAllowed) {
      // A browser says where a call comes from, and no page can say otherwise. An older one says its origin.
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

/** A preflight is one, too: it is asked before anything is changed. */
function isReading(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** Whether a page of this origin was served under this name and port. */
function isOf(host: string | undefined, origin: string): boolean {
  const url = URL.parse(origin)
  // With the scheme of the origin, so that a port that goes without saying is the same in both.
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
