import { type Message, withoutRecalled } from '../log/index.ts'
import type { LogStore, SessionKey } from '../store/index.ts'
import { pause } from './pause.ts'
import { measureInSlices, messageTokens, tokensOf } from './source.ts'

export type MessageReader = Pick<LogStore, 'readMessages'>

const MESSAGES_AT_A_TIME = 200
const FIRST_PAGE = 50
const MAX_PAGE_TOKENS = 500_000

/**
 * The visible messages of a range, oldest first and page by page. They take at most `mostTokens`, but there
 * is at least one message. Results of memory tools are left out, so that nothing is summarised twice.
 */
export async function readMessages(
  log: MessageReader,
  key: SessionKey,
  { fromSeq, toSeq, mostTokens = Infinity }: { fromSeq: number; toSeq: number; mostTokens?: number },
): Promise<{ messages: readonly Message[]; isWhole: boolean }> {
  const messages: Message[] = []
  let left = mostTokens
  for await (const page of readPages(log, key, { fromSeq, toSeq }))
    for (const message of page) {
      left -= messageTokens(message)
      if (left < 0 && messages.length > 0) return { messages: withoutRecalled(messages), isWhole: false }
      messages.push(message)
    }
  return { messages: withoutRecalled(messages), isWhole: true }
}

/** All messages of a range, unchanged. */
export async function readAllMessages(
  log: MessageReader,
  key: SessionKey,
  range: { fromSeq: number; toSeq: number },
): Promise<readonly Message[]> {
  const messages: Message[] = []
  for await (const page of readPages(log, key, range)) for (const message of page) messages.push(message)
  return messages
}

async function* readPages(
  log: MessageReader,
  key: SessionKey,
  { fromSeq, toSeq }: { fromSeq: number; toSeq: number },
): AsyncGenerator<readonly Message[], void, void> {
  for (let [after, limit] = [fromSeq - 1, FIRST_PAGE]; ; ) {
    const range = { after, before: toSeq + 1, limit }
    const page = await log.readMessages(key, { ...range, from: 'oldest', answered: true })
    await pause()
    await measureInSlices(page)
    yield page
    if (page.length < limit) return
    after = page.at(-1)!.seq
    // With messages of several megabytes, a usual page would take gigabytes.
    const isLong = tokensOf(page) > MAX_PAGE_TOKENS
    limit = isLong ? Math.max(1, limit >> 2) : Math.min(MESSAGES_AT_A_TIME, limit * 4)
  }
}
