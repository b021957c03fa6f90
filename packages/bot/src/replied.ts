import {
  type Content,
  type ContentPart,
  contentText,
  isAnswered,
  isAttachment,
  type Message,
  type MessageInput,
  type Origin,
  originOf,
  type TextPart,
} from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { IncomingMessage, RepliedMessage } from './channel.ts'

/**
 * Completes a message that answers another one. The answered message is named by its id, where the log has it
 * or had it. A message that the log never had, for example one from before the bot came, is stored as a copy
 * with the answer.
 */
export async function withReplied(
  input: MessageInput,
  { repliedTo }: Pick<IncomingMessage, 'repliedTo'>,
  { session, senderId }: { readonly session: Session; readonly senderId: string | null },
): Promise<MessageInput> {
  const { replyTo, content } = input
  if (repliedTo === undefined || typeof replyTo !== 'string' || content === undefined) return input
  if (await session.knows(replyTo)) return input
  const own = repliedTo.isOwn ? await ownReply(session, repliedTo) : null
  if (own !== null) return { ...withoutContent(input), content, replyTo: own }
  if (answeredParts(content).length > 0) return input
  const copy = copyOf(repliedTo, senderId)
  return copy.length === 0 ? input : { ...withoutContent(input), content: [...copy, ...partsOf(content)] }
}

function withoutContent({
  content: _,
  text: __,
  ...input
}: MessageInput): Omit<MessageInput, 'content' | 'text'> {
  return input
}

/** Keeps the stored copy of the answered message: after an edit the platform tells only the new text. */
export function withStoredAnswered(content: Content, stored: Content | undefined): Content {
  const kept =
    stored === undefined ? [] : answeredParts(stored).filter(part => originOf(part)!.kind === 'reply')
  return kept.length === 0 || answeredParts(content).length > 0 ? content : [...kept, ...partsOf(content)]
}

function answeredParts(content: Content): readonly ContentPart[] {
  if (typeof content === 'string') return []
  return content.filter(part => {
    const origin = originOf(part)
    return origin !== null && isAnswered(origin)
  })
}

function partsOf(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** The message's own words and files, and what it forwarded. What it answers itself is left out. */
function copyOf({ sender, content, at }: RepliedMessage, senderId: string | null): readonly ContentPart[] {
  const from = {
    ...(senderId !== null && { id: senderId }),
    ...(sender.name !== undefined && sender.name !== '' && { name: sender.name }),
  }
  const origin: Origin = {
    kind: 'reply',
    ...((from.id ?? from.name) !== undefined && { from }),
    ...(at && { at: at.toISOString() }),
  }
  return partsOf(content).flatMap<ContentPart>(part => {
    const own = originOf(part)
    if (own !== null && own.kind !== 'forward') return []
    // A forwarded part was not said by the sender.
    const whose: Origin = own === null ? origin : { ...own, kind: 'reply' }
    if (part.type === 'text')
      return part.text === '' ? [] : [{ type: 'text', text: part.text, origin: whose } satisfies TextPart]
    return isAttachment(part) ? [{ ...part, origin: whose }] : []
  })
}

/**
 * How many of the newest messages are searched. The log stores the bot's replies under ids of its own, and
 * people mostly answer a recent one.
 */
const LOOKED_AT = 40

async function ownReply(session: Session, { content }: RepliedMessage): Promise<number | null> {
  const sought = lettersOf(content)
  if (sought === '') return null
  const newest = await session.messages({ limit: LOOKED_AT, from: 'newest' })
  const isIt = (message: Message) => {
    if (message.role !== 'assistant') return false
    const said = lettersOf(message.content)
    // A long reply was sent as several messages.
    return said === sought || (sought.length >= LONG_PIECE && said.includes(sought))
  }
  return newest.findLast(isIt)?.seq ?? null
}

const LONG_PIECE = 200

/** Letters and digits are the same on every platform; formatting is not. */
function lettersOf(content: Content): string {
  return contentText(content).replace(/https?:\/\/\S+|[^\p{L}\p{N}]+/gu, '')
}

/** Replaces the ids of the original authors by the ids that senders have in the log. */
export function withPersons(content: Content, personOf: (id: string) => string): Content {
  if (typeof content === 'string') return content
  return content.map(part => {
    const origin = originOf(part)
    const id = origin?.from?.id
    if (origin === null || id === undefined) return part
    return { ...part, origin: { ...origin, from: { ...origin.from, id: personOf(id) } } }
  })
}
