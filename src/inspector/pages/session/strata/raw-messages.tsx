import { readMessages } from '../../../api/index.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { MessageStratum } from './message-stratum.tsx'
import type { RawChunk } from './raw-chunks.ts'

/** Some raw messages, newest first; until they are there, a place of about their height. */
export function RawMessages({
  sessionId,
  chunk: { fromSeq, toSeq, estimate },
  revision,
  soughtSeq,
}: {
  readonly sessionId: string
  readonly chunk: RawChunk
  /** Another one: they may have changed. */
  readonly revision: string
  readonly soughtSeq: number | null
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
  if (error !== null) return <ErrorNotice error={error} onRetry={reload} />
  if (value === undefined) return <div class="raw-waiting" style={{ height: `${estimate}px` }} />
  return (
    <ol class="raw-messages" reversed>
      {value.messages.toReversed().map(message => (
        <MessageStratum
          key={message.seq}
          sessionId={sessionId}
          message={message}
          isSought={message.seq === soughtSeq}
        />
      ))}
    </ol>
  )
}
