import type { ChannelHost, IncomingMessage, Received } from '../../packages/bot/src/channel.ts'

export interface RecordingHost extends ChannelHost {
  /** What was taken, oldest first. */
  readonly received: readonly IncomingMessage[]
  readonly edits: readonly IncomingMessage[]
  /** Chats that got another id. */
  readonly moves: readonly (readonly [from: string, to: string])[]
  /** What went wrong while the channel went on, in words. */
  readonly errors: readonly string[]
  /** Resolves when the channel says that it cannot go on. */
  readonly fatal: Promise<unknown>
  waitForReceived(count: number): Promise<readonly IncomingMessage[]>
}

/** A runtime that only remembers. `take` can be slow or throw: then the message was not taken. */
export function recordingHost(take: (message: IncomingMessage) => unknown = () => {}): RecordingHost {
  const received: IncomingMessage[] = []
  const edits: IncomingMessage[] = []
  const moves: [string, string][] = []
  const errors: string[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const { promise: fatal, resolve: onFatal } = Promise.withResolvers<unknown>()
  return {
    received,
    edits,
    moves,
    moved: async (from, to) => {
      moves.push([from, to])
    },
    errors,
    fatal,
    onError: error => errors.push(String(error)),
    onFatal,
    receive: async (message): Promise<Received> => {
      await take(message)
      received.push(message)
      for (const { count, resolve } of waiting) if (received.length >= count) resolve()
      return { sessionId: message.chat, seq: received.length, duplicate: false, triggers: null }
    },
    edited: async message => {
      await take(message)
      edits.push(message)
    },
    waitForReceived: async count => {
      if (received.length < count) await new Promise<void>(resolve => waiting.push({ count, resolve }))
      return received
    },
  }
}
