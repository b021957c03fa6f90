import {
  type AttachmentPart,
  attachmentKind,
  attachmentMediaType,
  attachmentName,
  attachmentValues,
  type Content,
  type ContentPart,
  isAttachment,
  mediaIn,
  modelText,
  type Sender,
  type Size,
} from '../log/index.ts'
import { estimateTokens, estimateTokensInSteps } from './estimate-tokens.ts'
import { FLAT_TOKENS, MESSAGE_OVERHEAD_TOKENS } from './flat-tokens.ts'

/**
 * What a message adds to a context: its text, a flat figure for each attachment, its frame and its sender.
 */
export function measureMessage(message: Measured): Size {
  const text = modelText(message.content)
  return { characters: countCharacters(text), tokens: estimateTokens(text) + tokensBeside(message) }
}

/** The same for a long message, with pauses. */
export function* measureMessageInSteps(message: Measured): Generator<void, Size, void> {
  const text = modelText(message.content)
  let characters = 0
  for (let from = 0; from < text.length; from += STEP_CHARACTERS) {
    characters += countCharacters(text, from, from + STEP_CHARACTERS)
    yield
  }
  return { characters, tokens: (yield* estimateTokensInSteps(text)) + tokensBeside(message) }
}

type Measured = { readonly content: Content; readonly sender: Sender | null }

const STEP_CHARACTERS = 131_072

function tokensBeside({ content, sender }: Measured): number {
  return (
    MESSAGE_OVERHEAD_TOKENS + estimateTokens(sender?.name ?? sender?.id ?? '') + attachmentTokens(content)
  )
}

function attachmentTokens(content: Content): number {
  if (typeof content === 'string') return 0
  return content.reduce((sum, part) => sum + flatTokens(part), 0)
}

function flatTokens(part: ContentPart): number {
  if (part.type === 'tool-result') return mediaIn(part.output) * FLAT_TOKENS.image
  if (!isAttachment(part)) return 0
  const kind = readableAs(part)
  return kind !== null && hasBytes(part) ? FLAT_TOKENS[kind] : NAMED_TOKENS
}

/** What a context may show of the attachment. `null`: only its name. */
function readableAs(part: AttachmentPart): keyof typeof FLAT_TOKENS | null {
  if (part.type === 'image' || part.type === 'file') return part.type
  if (attachmentKind(part) === 'image') return 'image'
  const isPdf = /pdf/i.test(attachmentMediaType(part) ?? '') || /\.pdf$/i.test(attachmentName(part).name)
  return isPdf ? 'file' : null
}

/** An attachment that no provider can read, such as a path on a person's disk, is shown by its name. */
const NAMED_TOKENS = 12

function hasBytes(part: AttachmentPart): boolean {
  const { url } = part
  return [...attachmentValues(part), ...(typeof url === 'string' && /^data:/i.test(url) ? [url] : [])].some(
    value => /^(?:https?|data):/i.test(value) || BASE64.test(value.slice(0, 200)),
  )
}

const BASE64 = /^[A-Za-z0-9+/=\s]+$/

/** Characters as people count them. A surrogate pair is one character, and counts at its second half. */
function countCharacters(text: string, from = 0, to = text.length): number {
  const end = Math.min(to, text.length)
  let pairs = 0
  for (let index = Math.max(from, 1); index < end; index++) {
    const isLow = (text.charCodeAt(index) & 0xfc00) === 0xdc00
    if (isLow && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) pairs += 1
  }
  return end - from - pairs
}
