import { ApiError } from '../../api/api-error.ts'
import { readDocument, readMessages, readSession } from '../../api/index.ts'
import type { MemoryDocument, Message, SessionFigures } from '../../api/types.ts'
import type { Target } from './target.ts'

/** What is known about the target of an erasure. */
export type Preview =
  | { readonly kind: 'session'; readonly session: SessionFigures }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'person'; readonly person: string; readonly memory: MemoryDocument | null }
  | { readonly kind: 'no-session' }
  | { readonly kind: 'no-message' }

export async function readPreview(target: Target, signal: AbortSignal): Promise<Preview> {
  try {
    switch (target.kind) {
      case 'session':
        return { kind: 'session', session: await readSession(target.session, { signal }) }
      case 'messages':
        return await readMessage(target, signal)
      case 'person':
        return { kind: 'person', person: target.person, memory: await readMemory(target.person, signal) }
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'session_not_found') return { kind: 'no-session' }
    throw error
  }
}

async function readMessage(
  { session, seq }: { readonly session: string; readonly seq: number },
  signal: AbortSignal,
): Promise<Preview> {
  const { messages } = await readMessages(session, { after: seq - 1, limit: 1 }, { signal })
  const [message] = messages
  // If that message is hidden or gone, the server returns the one after it.
  return message?.seq === seq ? { kind: 'message', message } : { kind: 'no-message' }
}

async function readMemory(person: string, signal: AbortSignal): Promise<MemoryDocument | null> {
  try {
    return await readDocument('user', person, { signal })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'document_not_found') return null
    throw error
  }
}
