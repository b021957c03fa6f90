import { type AttachmentSummary, type Content, type ContentPart, summarizeAttachment } from '../log/index.ts'

interface WithContent {
  readonly content: Content
}

/** Returns what stands for a part that is no text. */
export type AttachmentSummaryHandler = (part: ContentPart, message: WithContent) => unknown

/** One for each part that is no text. */
export function summarizeAttachments({ content }: WithContent): readonly AttachmentSummary[] {
  return attachmentsIn(content).map(summarizeAttachment)
}

export function attachmentsIn(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
}
