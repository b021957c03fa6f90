import { isIPv4, isIPv6 } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

const UNKNOWN = 'an unknown address'

/**
 * The address of the caller. The header counts only if a proxy of ours writes it: any other
 * client can write anything there. The proxy adds the address it sees at the end of the header,
 * so only the last entry can be trusted.
 */
export function remoteAddress(context: Context, { trustsProxy }: { readonly trustsProxy: boolean }): string {
  const forwarded = trustsProxy ? context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  return callerAddress(forwarded ?? '') ?? callerAddress(socketAddress(context)) ?? UNKNOWN
}

function socketAddress({ env }: Context): string {
  const { incoming } = (env ?? {}) as Partial<HttpBindings>
  return incoming?.socket.remoteAddress ?? ''
}

/**
 * For IPv6 the /64 network: a caller with one address has all 2^64 of its network.
 * `null`: the text is not an address.
 */
function callerAddress(text: string): string | null {
  const address = text.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  if (isIPv4(address)) return address
  return isIPv6(address) ? `${networkOf(address)}::/64` : null
}

function networkOf(address: string): string {
  const halves = address.split('%', 1)[0]!.split('::')
  const [before = [], after = []] = halves.map(half => half.split(':').filter(group => group !== ''))
  const between = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const network = [...before, ...between, ...after].slice(0, 4)
  return network.map(group => group.replace(/^0+(?=.)/, '')).join(':')
}
