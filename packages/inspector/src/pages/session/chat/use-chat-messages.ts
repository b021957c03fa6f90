import { useState } from 'preact/hooks'
import { readMessages } from '../../../api/index.ts'
import type { Message } from '../../../api/types.ts'
import { useSessionEvents } from '../../../state/use-events.ts'
import { type Loaded, useLoaded } from '../../../state/use-loaded.ts'

const PAGE = 30
/** The server returns at most this many at a time. */
const MAX_HELD = 1_000

/** The reader reads on from here, and not at the end. */
interface Held {
  readonly fromSeq: number
  readonly hasOlder: boolean
}

interface ChatLog {
  readonly loaded: Loaded<{ readonly messages: readonly Message[]; readonly next: number | null }>
  readonly hasOlder: boolean
  readonly showOlder: () => Promise<void>
  /** Tells where the reader is. `above`: what is on the screen stays there, even if new messages come in. */
  readonly readAt: (place: 'end' | 'above') => void
}

/** The newest messages. For a reader further up, all messages from some message on. */
export function useChatMessages(sessionId: string, { isNew }: { readonly isNew: boolean }): ChatLog {
  const [held, setHeld] = useState<Held | null>(null)
  const loaded = useLoaded(
    async signal => {
      if (isNew) return { messages: [], next: null }
      return held === null
        ? await readMessages(sessionId, { from: 'newest', limit: PAGE }, { signal })
        : await readMessages(sessionId, { after: held.fromSeq - 1, limit: MAX_HELD }, { signal })
    },
    [sessionId],
    [isNew, held],
  )
  useSessionEvents(sessionId, loaded.reload)
  const first = loaded.value?.messages[0]?.seq
  const hasOlder = held === null ? loaded.value?.next != null : held.hasOlder
  return {
    loaded,
    hasOlder,
    showOlder: async () => {
      if (first === undefined) return
      const { messages, next } = await readMessages(sessionId, { before: first, from: 'newest', limit: PAGE })
      setHeld({ fromSeq: messages[0]?.seq ?? first, hasOlder: next !== null })
    },
    readAt: place => {
      if (place === 'end') setHeld(null)
      else if (held === null && first !== undefined) setHeld({ fromSeq: first, hasOlder })
    },
  }
}
