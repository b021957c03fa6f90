import { ModelRedirectedError } from '../errors.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Like `fetch`, for the address of a model. A redirect would send the key and the conversation to a place
 * that no setting names, so it is refused. The error names the host of the target and leaves out its path:
 * the answering server writes the path, and may have put parts of the request into it.
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

/** Leaves out what may be secret: the user, the password and the query. */
function plainAddress(address: string): string {
  const url = URL.parse(address)
  return url === null ? '' : `${url.origin}${url.pathname}`
}
