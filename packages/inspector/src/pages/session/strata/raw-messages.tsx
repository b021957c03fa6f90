import { readMessages } from '../../../api/index.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { MessageStrata } from './message-strata.tsx'
import type { RawChunk } from './raw-chunks.ts'
import type { Visit } from './visit.ts'

/**
 * Some raw messages, newest first. Until they are loaded, an empty space of about their height stands for
 * them.
 */
export function RawMessages({
  sessionId,
  chunk: { fromSeq, toSeq, estimate },
  revision,
  visit,
}: {
  readonly sessionId: string
  readonly chunk: RawChunk
  /** When it changes, the messages may have changed. */
  readonly revision: string
  readonly visit: Visit
}) {
  const { value, error, reload } = useLoaded(
    signal =>
      readMessages(
        sessionId,
        { after: fromSeq - 1, before: toSeq + 1, limit: toSeq - fromSeq + 1 },
        { signal },
      ),
    [sessionId, fromSeq],
    [toSeq, revision],
  )
  if (value !== undefined)
    return (
      <MessageStrata
        sessionId={sessionId}
        messages={value.messages.toReversed()}
        order="newest first"
        visit={visit}
      />
    )
  if (error !== null) return <ErrorNotice error={error} onRetry={reload} />
  return <div class="raw-waiting" style={{ height: `${estimate}px` }} />
}
