import { ModelRedirectedError } from '../errors.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * As `fetch`, for the address of a model. A redirect would take the key and what was said to a place that no setting
 * names: it is refused instead, with the host that it points to. Its path is left out: the server that answers writes
 * it, and may have put into it what it was asked.
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
    to: URL.parse(response.headers.get('location') ?? '', from)?.origin ?? '',
  })
}

/** Without what may be secret in it: a user, a password, a query. */
function plainAddress(address: string): string {
  const url = URL.parse(address)
  return url === null ? '' : `${url.origin}${url.pathname}`
}
