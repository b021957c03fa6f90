import { ModelRedirectedError } from '../errors.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * As `fetch`, for the address of a model. A redirect would take the key and what was said to a place that no setting
 * names: it is refused instead, with the address that it points to.
 */
export async function fetchWithoutRedirects(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  if (!REDIRECTS.includes(response.status)) return response
  await response.body?.cancel().catch(() => {})
  const from = input instanceof Request ? input.url : String(input)
  throw new ModelRedirectedError({
    redirect: response.status,
    from: plainAddress(from),
    to: plainAddress(response.headers.get('location') ?? '', from),
  })
}

/** Without what may be secret in it: a user, a password, a query. */
function plainAddress(address: string, base?: string): string {
  const url = URL.parse(address, base)
  return url === null ? '' : `${url.origin}${url.pathname}`
}
