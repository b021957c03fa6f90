import { redactSecrets } from 'palimpsest/internals/redaction/index'

/** For text that people may read. The part before the colon is the bot's id, which is public. */
export function hideToken(text: string, token: string): string {
  return text.replaceAll(token.slice(token.indexOf(':') + 1), '***')
}

/** Hides tokens that are not known yet, at any place, including the form that they have in addresses. */
export function hideTokens(text: string): string {
  return text.replace(/(\d(?::|%3a))[\w-]{20,}/gi, '$1***')
}

/** For foreign text that may hold a secret. */
export function hideSecrets(text: string): string {
  return redactSecrets(hideTokens(text))
}

/**
 * For a refused value, which may be or hold a secret in the wrong place. Of an address it hides the user and
 * password (everything before an `@`) and the query.
 */
export function hideInValue(value: string): string {
  const scheme = /^[a-z][\w+.-]*:\/\//i.exec(value)?.[0] ?? ''
  const host = value.lastIndexOf('@')
  const address = host > scheme.length ? `${scheme}***${value.slice(host)}` : value
  return hideSecrets(address.replace(/([?#]).+$/s, '$1***'))
}
