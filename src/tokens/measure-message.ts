import { type Content, type ContentPart, modelText, type Sender, type Size } from '../log/index.ts'
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

function flatTokens({ type }: ContentPart): number {
  return type === 'image' || type === 'file' ? FLAT_TOKENS[type] : 0
}

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
