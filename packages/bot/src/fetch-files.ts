import {
  type AttachmentPart,
  attachmentName,
  isAttachment,
  type Message,
} from 'palimpsest/internals/log/index'
import type { TurnFile } from 'palimpsest/internals/turn/index'
import type { Channel } from './channel.ts'

/** Where there are more files, the newest are taken. */
const MAX_FILES = 8

interface FetchOptions {
  readonly fetch: NonNullable<Channel['fetch']>
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * The files of these messages that their channel can fetch. The answer goes on without a file that cannot be
 * fetched.
 */
export async function fetchFiles(
  messages: readonly Message[],
  { fetch, signal, onError }: FetchOptions,
): Promise<readonly TurnFile[]> {
  const attached = messages.flatMap(({ seq, content }) =>
    typeof content === 'string' ? [] : content.filter(isAttachment).map(part => ({ seq, part })),
  )
  const fetching = attached.slice(-MAX_FILES).map(async ({ seq, part }): Promise<readonly TurnFile[]> => {
    try {
      const file = await fetch(part, signal)
      return file === null ? [] : [{ seq, name: nameOf(part), ...file }]
    } catch (error) {
      if (!signal.aborted) onError(error)
      return []
    }
  })
  return (await Promise.all(fetching)).flat()
}

function nameOf(part: AttachmentPart): string {
  const { kind, name } = attachmentName(part)
  return name || kind
}
