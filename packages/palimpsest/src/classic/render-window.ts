import {
  type Content,
  type ContentPart,
  headOf,
  isAttachment,
  isBytes,
  oneLine,
  splitLines,
  summarizeAttachment,
  type WindowMessage,
} from '../log/index.ts'
import { readableText } from '../summarizer/extractive/readable.ts'
import { speakerIn, whoSpeaks } from '../summarizer/speakers.ts'
import type { AttachmentSummaryHandler } from './attachments.ts'

const MAX_SUMMARY_CHARACTERS = 500

/**
 * A window as one text. Each message begins with a dash and its speaker. Its further lines are indented, so
 * that no content can pose as another speaker. A part that is no text is told by its summary, never by its
 * bytes.
 */
export async function renderWindow(
  window: readonly WindowMessage[],
  summarize: AttachmentSummaryHandler,
): Promise<string> {
  const rendered: string[] = []
  const who = whoSpeaks(window.map(({ role, sender = null }) => ({ role, sender })))
  for (const message of window) {
    const lines = splitLines((await messageText(message, summarize)).trim())
    const { role, sender = null } = message
    const said = lines.map((line, index) => (index === 0 || line === '' ? line : `  ${line}`)).join('\n')
    if (said !== '') rendered.push(`- ${speakerIn(who, { role, sender })}: ${said}`)
  }
  return rendered.join('\n')
}

async function messageText(message: WindowMessage, summarize: AttachmentSummaryHandler): Promise<string> {
  const { content } = message
  if (typeof content === 'string') return content
  const texts: string[] = []
  for (const part of content) texts.push(await partText(part, message, summarize))
  return texts.filter(text => text !== '').join('\n')
}

/** Thoughts and approvals are left out: they are between the model, the program and the person. */
async function partText(
  part: ContentPart,
  message: WindowMessage,
  summarize: AttachmentSummaryHandler,
): Promise<string> {
  switch (part.type) {
    case 'text':
      return part.text
    case 'tool-call':
    case 'tool-result':
      return readableText([part])
    default:
      return isAttachment(part) ? attachmentText(part, message, summarize) : ''
  }
}

/** What a handler says of a part that is no text: on one line, without bytes. */
export async function attachmentText(
  part: ContentPart,
  message: { readonly content: Content },
  summarize: AttachmentSummaryHandler,
): Promise<string> {
  return summaryText(await summarize(part, message), summarize)
}

/** Our own handler leaves bytes out itself, and can tell a long path from bytes. */
function summaryText(summary: unknown, by: AttachmentSummaryHandler): string {
  const replacer = by === summarizeAttachment ? undefined : withoutBytes
  const text = typeof summary === 'string' ? summary : (JSON.stringify(summary, replacer) ?? '')
  const line = isBytes(text) ? '' : oneLine(text)
  return line.length <= MAX_SUMMARY_CHARACTERS ? line : `${headOf(line, MAX_SUMMARY_CHARACTERS)}…`
}

/** Also looks at the original value: `value` is already what the value's own `toJSON` returned. */
function withoutBytes(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Readonly<Record<string, unknown>>)[key]
  return isBytes(original) || isBytes(value) ? undefined : value
}
