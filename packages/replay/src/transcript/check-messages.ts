import { createHash } from 'node:crypto'
import { PalimpsestError } from 'palimpsest/internals/errors'
import {
  type MessageInput,
  type NewMessage,
  normalizeMessage,
  type SessionKind,
} from 'palimpsest/internals/log/index'
import type { TranscriptMessage, TranscriptProblem } from './transcript.ts'

export interface Checked {
  /** The number of messages, without those that only repeat another. */
  readonly messages: number
  readonly kind: SessionKind
  readonly problems: readonly TranscriptProblem[]
}

/** Checks what must be true of every conversation, whichever format its file had. */
export async function checkMessages(
  entries: AsyncIterable<TranscriptMessage | TranscriptProblem>,
  onMessage: (message: TranscriptMessage) => void,
): Promise<Checked> {
  const people = new Set<string>()
  const digests = new Map<string, number>()
  const problems: TranscriptProblem[] = []
  let repeats = 0
  let total = 0
  for await (const entry of entries) {
    if ('problem' in entry) {
      problems.push(entry)
      continue
    }
    const { message } = entry
    total += 1
    if (message.externalId !== null) {
      const digest = digestOf([message.role, message.content]).readUInt32LE()
      const earlier = digests.get(message.externalId)
      if (earlier !== undefined) repeats += 1
      if (earlier !== undefined && earlier !== digest) problems.push(conflict(entry))
      digests.set(message.externalId, digest)
    }
    if (message.role === 'user' && people.size < 2) people.add(message.sender?.id ?? '')
    onMessage(entry)
  }
  return { messages: total - repeats, kind: people.size > 1 ? 'group' : 'private', problems }
}

/** The message, or a text that says what is wrong with it. */
export function checkMessage(input: MessageInput): NewMessage | string {
  try {
    return normalizeMessage(input, { zone: 'UTC' })
  } catch (error) {
    if (PalimpsestError.isInstance(error)) return error.message
    throw error
  }
}

function conflict({ place, message }: TranscriptMessage): TranscriptProblem {
  const line = lineNumber(place)
  const earlier = line === null ? 'in an earlier message' : 'on an earlier line'
  return {
    place,
    ...(line !== null && { line }),
    problem: `externalId ${JSON.stringify(message.externalId)} stood ${earlier} with other content`,
  }
}

function lineNumber(place: string): number | null {
  const number = /^line (\d+)$/.exec(place)?.[1]
  return number === undefined ? null : Number(number)
}

/**
 * An id for a message without one, made from its place and all that it says. So a second import of the file
 * recognises the message.
 */
export function lineId({ place, message }: TranscriptMessage): string {
  const { role, content, sender, at } = message
  return `${place.replace(' ', ':')}:${digestOf([role, content, sender, at]).toString('base64url').slice(0, 16)}`
}

function digestOf(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest()
}
