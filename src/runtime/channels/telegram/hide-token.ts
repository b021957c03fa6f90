/** For text that somebody may read. What is before the colon is the bot's id, which everybody may know. */
export function hideToken(text: string, token: string): string {
  return text.replaceAll(token.slice(token.indexOf(':') + 1), '***')
}
