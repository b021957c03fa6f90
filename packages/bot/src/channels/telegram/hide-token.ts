import { redactSecrets } from 'palimpsest/internals/redaction/index'

/** For text that somebody may read. What is before the colon is the bot's id, which everybody may know. */
export function hideToken(text: string, token: string): string {
  return text.replaceAll(token.slice(token.indexOf(':') + 1), '***')
}

/** The same for a token that nobody knows yet, wherever it stands, and as addresses write it. */
export function hideTokens(text: string): string {
  return text.replace(/(\d(?::|%3a))[\w-]{20,}/gi, '$1***')
}

/** For text of others in which a secret may stand. */
export function hideSecrets(text: string): string {
  return redactSecrets(hideTokens(text))
}

/**
 * For a value that cannot be taken, and that may be or hold a secret in the wrong place. Of an address, neither who
 * asks (all that is before an `@`) nor what is asked is shown.
 */
export function hideInValue(value: string): string {
  const scheme = /^[a-z][\w+.-]*:\/\//i.exec(value)?.[0] ?? ''
  const host = value.lastIndexOf('@')
  const address = host > scheme.length ? `${scheme}***${value.slice(host)}` : value
  return hideSecrets(address.replace(/([?#]).+$/s, '$1***'))
}
