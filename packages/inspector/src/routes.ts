import { createValue, useValue } from './state/value.ts'

/**
 * The reader's place in the page, in the address after `#`. So links can be copied, and back and forward
 * work.
 *
 *     #/                         the sessions
 *     #/sessions/ID/strata?seq=7 one of them
 *     #/search?q=… · #/memory/LAYER/KEY · #/settings · #/erasures/ID
 */
export interface Route {
  /** Decoded. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return {
    path: path.split('/').filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function linkTo(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams(query).toString()
  return `#/${path.map(each => encodeURIComponent(each)).join('/')}${search && `?${search}`}`
}

export function goTo(path: readonly (string | number)[], query: Readonly<Record<string, string>> = {}): void {
  location.hash = linkTo(path, query)
}

const route = createValue(readRoute(location.hash))
addEventListener('hashchange', () => route.set(readRoute(location.hash)))

export function useRoute(): Route {
  return useValue(route)
}
