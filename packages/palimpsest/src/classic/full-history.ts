import type { Message } from '../log/index.ts'
import type { LogStore, SessionKey } from '../store/index.ts'

/**
 * All messages of a session, oldest first. It costs nothing until it is read, and it is read page by page.
 */
export interface FullHistory extends AsyncIterable<Message> {
  /** The number of messages. */
  readonly length: number
  /** All messages at once. */
  toArray(): Promise<Message[]>
}

const MESSAGES_AT_A_TIME = 500

export function fullHistory(
  log: Pick<LogStore, 'readMessages'>,
  key: SessionKey,
  { length, throughSeq = Number.MAX_SAFE_INTEGER - 1 }: { length: number; throughSeq?: number },
): FullHistory {
  async function* read(): AsyncGenerator<Message, void, void> {
    for (let after = 0; ; ) {
      const range = { after, before: throughSeq + 1, limit: MESSAGES_AT_A_TIME, from: 'oldest' } as const
      const page = await log.readMessages(key, range)
      yield* page
      if (page.length < MESSAGES_AT_A_TIME) return
      after = page.at(-1)!.seq
    }
  }
  const toArray = async () => {
    const messages: Message[] = []
    for await (const message of read()) messages.push(message)
    return messages
  }
  return { length, [Symbol.asyncIterator]: read, toArray }
}
