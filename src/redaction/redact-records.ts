import type { Content, ContentPart, Memo, NewSegment, Sender, Size, WindowMessage } from '../log/index.ts'
import type { DocumentEdit, DocumentWrite, MeasuredMessage, SessionFile } from '../store/index.ts'
import { type Redact, redactorFor } from './redact.ts'
import { redactFields, redactJson } from './redact-json.ts'

/**
 * What of each record goes through the hook: every text that people, models or tools wrote. Ids never do, since
 * they are keys by which things are found again: of sessions, users, scopes, senders, messages (`externalId`,
 * `replyTo`), tool calls and approvals; nor names that choose what is done, as those of tools and summarisers.
 * Where a text changed, its size is measured anew.
 */

/** How the engine measures, so that what is stored of a size fits the text that is stored. */
export interface Measures {
  message(message: { readonly content: Content; readonly sender: Sender | null }): Size
  /** In tokens. */
  text(text: string): number
}

export interface Redaction {
  readonly redact: Redact
  readonly measures: Measures
}

/** Of a part, what is no text of anybody's. */
const KEYS_OF_PARTS: ReadonlySet<string> = new Set(['type', 'toolCallId', 'toolName', 'approvalId', 'id'])

export function redactContent(content: Content, redact: Redact): Content {
  const text = redactorFor(redact, 'message')
  if (typeof content === 'string') return text(content)
  const parts = content.map(part => redactFields<ContentPart>(part, text, KEYS_OF_PARTS))
  return parts.some((part, index) => part !== content[index]) ? parts : content
}

/** A display name is text that somebody typed; an id is a key. */
function redactSender(sender: Sender | null, redact: Redact): Sender | null {
  if (sender?.name === undefined) return sender
  const name = redactorFor(redact, 'sender')(sender.name)
  return name === sender.name ? sender : { ...sender, name }
}

export function redactMessage(message: MeasuredMessage, { redact, measures }: Redaction): MeasuredMessage {
  const content = redactContent(message.content, redact)
  const sender = redactSender(message.sender, redact)
  if (content === message.content && sender === message.sender) return message
  const redacted = { content, sender }
  return { ...message, ...redacted, size: resize(message.size, measures, [message, redacted]) }
}

/** By the difference, so that what the caller counted in beside the text stays counted. */
export function resize(
  { characters, tokens }: Size,
  measures: Measures,
  change: readonly [before: Measured, after: Measured],
): Size {
  const [before, after] = [measures.message(change[0]), measures.message(change[1])]
  return {
    characters: Math.max(0, characters + after.characters - before.characters),
    tokens: Math.max(0, tokens + after.tokens - before.tokens),
  }
}

type Measured = Parameters<Measures['message']>[0]

type SegmentTexts = Pick<NewSegment, 'summary' | 'events' | 'details' | 'text' | 'tokensAfter' | 'window'>

export function redactSegment<S extends SegmentTexts>(segment: S, { redact, measures }: Redaction): S {
  const written = redactorFor(redact, 'segment')
  const text = written(segment.text)
  return {
    ...segment,
    summary: written(segment.summary),
    events: redactJson(segment.events, written),
    details: redactJson(segment.details, written),
    text,
    tokensAfter: text === segment.text ? segment.tokensAfter : measures.text(text),
    ...(segment.window && { window: segment.window.map(message => redactWindowMessage(message, redact)) }),
  }
}

/** Its content as that of any message, so that one of the log stays what the log has; the rest as a segment's. */
function redactWindowMessage(message: WindowMessage, redact: Redact): WindowMessage {
  const { seq, role, content, sender, at, ...others } = message
  const named = sender && redactSender(sender, redact)
  return {
    ...redactJson(others, redactorFor(redact, 'segment')),
    ...(seq !== undefined && { seq }),
    role,
    content: redactContent(content, redact),
    ...(named && { sender: named }),
    ...(at !== undefined && { at }),
  }
}

export function redactMemo(memo: Memo, redact: Redact): Memo {
  return { ...memo, value: redactJson(memo.value, redactorFor(redact, 'memo')) }
}

export function redactNote<P extends { readonly note: string | null; readonly tokens: number }>(
  pin: P,
  { redact, measures }: Redaction,
): P {
  if (pin.note === null) return pin
  const note = redactorFor(redact, 'pin')(pin.note)
  return note === pin.note ? pin : { ...pin, note, tokens: measures.text(note) }
}

/** What the change comes to is known only inside of the transaction, so it is redacted there. */
export function redactWrite(write: DocumentWrite, redaction: Redaction): DocumentWrite {
  return {
    ...write,
    author: redactAuthor(write.author, redaction.redact),
    change: current => {
      const edit = write.change(current)
      return edit && redactEdit(edit, redaction)
    },
  }
}

function redactAuthor<A extends { readonly name: string | null }>(author: A, redact: Redact): A {
  if (author.name === null) return author
  return { ...author, name: redactorFor(redact, 'document')(author.name) }
}

/** Lines that are superseded are looked for and not written, so they stay as they are. */
function redactEdit(edit: DocumentEdit, { redact, measures }: Redaction): DocumentEdit {
  const written = redactorFor(redact, 'document')
  const content = written(edit.content)
  const tokens = content === edit.content ? edit.tokens : measures.text(content)
  const facts = edit.facts?.map(fact => ({ ...fact, line: written(fact.line) }))
  return { ...edit, content, tokens, ...(facts && { facts }) }
}

/** Its settings are the operator's. The store measures the messages itself, as they are then. */
export function redactFile(file: SessionFile, redaction: Redaction): SessionFile {
  const { redact } = redaction
  return {
    ...file,
    memo: file.memo && redactMemo(file.memo, redact),
    memoVersions: file.memoVersions.map(memo => redactMemo(memo, redact)),
    messages: file.messages.map(message => redactFileMessage(message, redact)),
    segments: file.segments.map(segment => redactSegment(segment, redaction)),
    pins: file.pins.map(pin => redactNote(pin, redaction)),
    documents: file.documents.map(document => redactFileDocument(document, redaction)),
  }
}

type FileMessage = SessionFile['messages'][number]

function redactFileMessage(message: FileMessage, redact: Redact): FileMessage {
  const versions = message.versions?.map(version => ({
    ...version,
    content: redactContent(version.content, redact),
  }))
  return {
    ...message,
    content: redactContent(message.content, redact),
    sender: redactSender(message.sender, redact),
    ...(versions && { versions }),
  }
}

type FileDocument = SessionFile['documents'][number]

function redactFileDocument(document: FileDocument, { redact, measures }: Redaction): FileDocument {
  const written = redactorFor(redact, 'document')
  const versions = document.versions.map(version => ({
    ...version,
    content: written(version.content),
    author: redactAuthor(version.author, redact),
  }))
  const content = versions.at(-1)?.content
  return {
    ...document,
    versions,
    tokens:
      content === undefined || content === document.versions.at(-1)!.content
        ? document.tokens
        : measures.text(content),
    facts: document.facts.map(fact => ({ ...fact, line: written(fact.line) })),
  }
}
