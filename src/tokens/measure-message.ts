import {
  type AttachmentPart,
  attachmentValue,
  type Content,
  type ContentPart,
  mediaIn,
  modelText,
  type Sender,
  type Size,
} from '../log/index.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { FLAT_TOKENS, MESSAGE_OVERHEAD_TOKENS } from './flat-tokens.ts'

/** What a message adds to a context: its text as it stands, attachments at a flat figure, its frame and sender. */
export function measureMessage(message: { content: Content; sender: Sender | null }): Size {
  const text = modelText(message.content)
  const name = message.sender?.name ?? message.sender?.id ?? ''
  return {
    characters: countCharacters(text),
    tokens:
      MESSAGE_OVERHEAD_TOKENS +
      estimateTokens(name) +
      estimateTokens(text) +
      attachmentTokens(message.content),
  }
}

function attachmentTokens(content: Content): number {
  if (typeof content === 'string') return 0
  return content.reduce((sum, part) => sum + flatTokens(part), 0)
}

function flatTokens(part: ContentPart): number {
  if (part.type === 'tool-result') return mediaIn(part.output) * FLAT_TOKENS.image
  if (part.type !== 'image' && part.type !== 'file') return 0
  return hasBytes(part) ? FLAT_TOKENS[part.type] : NAMED_TOKENS
}

/** An attachment that no provider can read, such as a path on somebody's disk, is shown by its name. */
const NAMED_TOKENS = 12

function hasBytes(part: AttachmentPart): boolean {
  return (['image', 'data', 'url'] as const).some(field => {
    const value = attachmentValue(part, field)
    if (value === null) return false
    return /^(?:https?|data):/i.test(value) || (field !== 'url' && BASE64.test(value.slice(0, 200)))
  })
}

const BASE64 = /^[A-Za-z0-9+/=\s]+$/

/** Characters as people count them: a surrogate pair is one. */
function countCharacters(text: string): number {
  let pairs = 0
  for (let index = 0; index < text.length - 1; index++) {
    const isHigh = (text.charCodeAt(index) & 0xfc00) === 0xd800
    if (isHigh && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      pairs += 1
      index += 1
    }
  }
  return text.length - pairs
}
