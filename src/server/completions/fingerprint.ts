import { attachmentValue, type Content, type ContentPart, contentText, type Role } from '../../log/index.ts'

export interface Said {
  readonly role: Role
  readonly content: Content
}

/** Of a picture's bytes, so much is looked at: two of the same length that begin and end alike are the same. */
const LONGEST_COMPARED = 500

/**
 * What stays the same on the way through somebody's client: words, calls, what answers which call, what is attached.
 * Empty: it says nothing that a client would send back, such as a thought alone.
 */
export function fingerprint({ role, content }: Said): string {
  const text = contentText(content).replace(/\s+/g, ' ').trim()
  const marks = typeof content === 'string' ? [] : content.flatMap(markOf)
  return text === '' && marks.length === 0 ? '' : JSON.stringify([role, text, ...marks.sort()])
}

function markOf(part: ContentPart): string[] {
  switch (part.type) {
    case 'tool-call':
    case 'tool-result':
      return [`${part.type} ${part.toolCallId}`]
    case 'image':
    case 'file': {
      const value =
        attachmentValue(part, 'image') ?? attachmentValue(part, 'data') ?? attachmentValue(part, 'url') ?? ''
      return [`attached ${value.length <= LONGEST_COMPARED ? value : abridged(value)}`]
    }
    default:
      return []
  }
}

function abridged(value: string): string {
  const half = LONGEST_COMPARED / 2
  return `${value.length} ${value.slice(0, half)} ${value.slice(-half)}`
}
