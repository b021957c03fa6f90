import type { Message } from '../../../api/types.ts'
import { MessageStratum } from './message-stratum.tsx'
import type { Visit } from './visit.ts'

/** Messages below each other, in the given order. */
export function MessageStrata({
  sessionId,
  messages,
  order,
  visit,
}: {
  readonly sessionId: string
  readonly messages: readonly Message[]
  readonly order: 'oldest first' | 'newest first'
  readonly visit: Visit
}) {
  return (
    <ol class="raw-messages" reversed={order === 'newest first'}>
      {messages.map(message => (
        <MessageStratum key={message.seq} sessionId={sessionId} message={message} visit={visit} />
      ))}
    </ol>
  )
}
