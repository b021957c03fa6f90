import type { NewMessage } from 'palimpsest/internals/log/index'

/** As in the log, a message with a known external id adds nothing. */
export async function* withoutRepeats(
  messages: AsyncIterable<NewMessage> | Iterable<NewMessage>,
): AsyncGenerator<NewMessage> {
  const seen = new Set<string>()
  for await (const message of messages) {
    const { externalId } = message
    if (externalId !== null) {
      if (seen.has(externalId)) continue
      seen.add(externalId)
    }
    yield message
  }
}
