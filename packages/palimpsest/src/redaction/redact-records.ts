import type { InTurn } from '../in-turn.ts'
import {
  type Content,
  type ContentPart,
  type Memo,
  type NewSegment,
  originOf,
  type Person,
  type Sender,
  type Size,
  type WindowMessage,
} from '../log/index.ts'
import { runAtOnce } from '../slices.ts'
import type {
  DocumentEdit,
  DocumentStore,
  DocumentWrite,
  MeasuredMessage,
  SessionFile,
} from '../store/index.ts'
import { type Redact, type RedactText, redactorFor } from './redact.ts'
import { redactFields, redactJson } from './redact-json.ts'
import { MAX_AT_ONCE, runInSlices, type Steps } from './steps.ts'

/**
 * What goes through the hook in each record: every text that people, models or tools wrote. Ids never do,
 * since they are keys: ids of sessions, users, scopes, senders, messages (`externalId`, `replyTo`), tool
 * calls and approvals. Nor do names that choose what is done, such as those of tools and summarizers. If a
 * text changed, its size is measured again.
 */

/** How the engine measures. So a stored size fits the stored text. */
export interface Measures {
  message(message: { readonly content: Content; readonly sender: Sender | null }): Steps<Size>
  /** In tokens. */
  text(text: string): Steps<number>
}

export interface Redaction {
  readonly redact: Redact
  readonly measures: Measures
  readonly turns: InTurn
}

/** The fields of a part that hold no one's text. */
const KEYS_OF_PARTS: ReadonlySet<string> = new Set([
  'type',
  'toolCallId',
  'toolName',
  'approvalId',
  'id',
  'origin',
])
/** The fields of an origin that hold no text. Names, chats and addresses are text. */
const KEYS_OF_ORIGINS: ReadonlySet<string> = new Set(['kind', 'at'])
const KEYS_OF_FROM: ReadonlySet<string> = new Set(['id'])

export function* redactContent(content: Content, redact: Redact): Steps<Content> {
  const text = redactorFor(redact, 'message')
  if (typeof content === 'string') return yield* text.inSteps(content)
  const parts = yield* mapInSteps(content, part => redactPart(part, text))
  return parts.some((part, index) => part !== content[index]) ? parts : content
}

function* redactPart(part: ContentPart, redact: RedactText): Steps<ContentPart> {
  const redacted = yield* redactFields<ContentPart>(part, redact, KEYS_OF_PARTS)
  const known = originOf(part)
  // A field named `origin` in another form is not ours. It is redacted like any other field.
  if (known === null) {
    const { origin: given } = part as { readonly origin?: unknown }
    const origin = yield* redactJson(given, redact, 'origin')
    return origin === given ? redacted : ({ ...redacted, origin } as ContentPart)
  }
  const from = known.from && (yield* redactFields(known.from, redact, KEYS_OF_FROM))
  const { from: _, ...rest } = known
  const origin = yield* redactFields(rest, redact, KEYS_OF_ORIGINS)
  const isSame = redacted === part && from === known.from && origin === rest
  return isSame ? part : ({ ...redacted, origin: { ...origin, ...(from && { from }) } } as ContentPart)
}

export function* mapInSteps<Item, Result>(
  items: readonly Item[],
  redact: (item: Item) => Steps<Result>,
): Steps<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(yield* redact(item))
    yield
  }
  return results
}

/** A person typed the display name, so it is text. An id is a key. */
function redactSender(sender: Sender | null, redact: Redact): Sender | null {
  if (sender?.name === undefined) return sender
  const name = redactorFor(redact, 'sender')(sender.name)
  return name === sender.name ? sender : { ...sender, name }
}

export function* redactMessage(
  message: MeasuredMessage,
  { redact, measures }: Redaction,
): Steps<MeasuredMessage> {
  const content = yield* redactContent(message.content, redact)
  const sender = redactSender(message.sender, redact)
  if (content === message.content && sender === message.sender) return message
  const redacted = { content, sender }
  return { ...message, ...redacted, size: yield* resize(message.size, measures, [message, redacted]) }
}

/** Changes the size by the difference, so that what the caller counted beside the text stays counted. */
export function* resize(
  { characters, tokens }: Size,
  measures: Measures,
  change: readonly [before: Measured, after: Measured],
): Steps<Size> {
  const before = yield* measures.message(change[0])
  const after = yield* measures.message(change[1])
  return {
    characters: Math.max(0, characters + after.characters - before.characters),
    tokens: Math.max(0, tokens + after.tokens - before.tokens),
  }
}

type Measured = Parameters<Measures['message']>[0]

type SegmentTexts = Pick<
  NewSegment,
  'summary' | 'events' | 'details' | 'text' | 'tokensAfter' | 'window' | 'people'
>

export function* redactSegment<S extends SegmentTexts>(
  segment: S,
  { redact, measures }: Redaction,
): Steps<S> {
  const written = redactorFor(redact, 'segment')
  const text = yield* written.inSteps(segment.text)
  const { window, people } = segment
  return {
    ...segment,
    summary: yield* written.inSteps(segment.summary),
    events: yield* redactJson(segment.events, written),
    details: yield* redactJson(segment.details, written),
    text,
    tokensAfter: text === segment.text ? segment.tokensAfter : yield* measures.text(text),
    ...(window && { window: yield* mapInSteps(window, message => redactWindowMessage(message, redact)) }),
    ...(people && { people: people.map(person => redactPerson(person, redact)) }),
  }
}

/** The names are redacted like those of any message. */
function redactPerson({ id, names }: Person, redact: Redact): Person {
  const written = redactorFor(redact, 'sender')
  return { id, names: names.map(({ name, since }) => ({ name: written(name), since })) }
}

/**
 * The content is redacted like that of any message, so that a copy from the log stays equal to the log. The
 * other fields are redacted like a segment's.
 */
function* redactWindowMessage(message: WindowMessage, redact: Redact): Steps<WindowMessage> {
  const { seq, role, content, sender, at, ...others } = message
  const named = sender && redactSender(sender, redact)
  return {
    ...(yield* redactJson(others, redactorFor(redact, 'segment'))),
    ...(seq !== undefined && { seq }),
    role,
    content: yield* redactContent(content, redact),
    ...(named && { sender: named }),
    ...(at !== undefined && { at }),
  }
}

export function* redactMemo(memo: Memo, redact: Redact): Steps<Memo> {
  return { ...memo, value: yield* redactJson(memo.value, redactorFor(redact, 'memo')) }
}

export function* redactNote<P extends { readonly note: string | null; readonly tokens: number }>(
  pin: P,
  { redact, measures }: Redaction,
): Steps<P> {
  if (pin.note === null) return pin
  const note = yield* redactorFor(redact, 'pin').inSteps(pin.note)
  return note === pin.note ? pin : { ...pin, note, tokens: yield* measures.text(note) }
}

/** The content of a document before and after redaction. */
interface RedactedContent {
  readonly before: string
  readonly after: string
  readonly tokens: number
}

/**
 * The result of a change is known only inside the transaction, so it is redacted there, in one go. That would
 * take long for a long document. So the result that the change would have now is redacted before, in slices.
 * It is used if the change has the same result in the transaction.
 */
export async function redactWrites(
  writes: readonly DocumentWrite[],
  documents: Pick<DocumentStore, 'readDocument'>,
  redaction: Redaction,
): Promise<readonly DocumentWrite[]> {
  const redacted: DocumentWrite[] = []
  for (const write of writes)
    redacted.push(redactWrite(write, redaction, await redactAhead(write, documents, redaction)))
  return redacted
}

async function redactAhead(
  write: DocumentWrite,
  documents: Pick<DocumentStore, 'readDocument'>,
  redaction: Redaction,
): Promise<RedactedContent | null> {
  let edit: DocumentEdit | null
  try {
    edit = write.change(await documents.readDocument(write.key))
  } catch {
    // If this error matters, the transaction meets it too, and the caller hears of it there.
    return null
  }
  if (edit === null || edit.content.length <= MAX_AT_ONCE) return null
  return runInSlices(redactDocument(edit, redaction))
}

function redactWrite(
  write: DocumentWrite,
  redaction: Redaction,
  ahead: RedactedContent | null,
): DocumentWrite {
  return {
    ...write,
    author: redactAuthor(write.author, redaction.redact),
    change: current => {
      const edit = write.change(current)
      return edit && runAtOnce(redactEdit(edit, redaction, ahead))
    },
  }
}

function redactAuthor<A extends { readonly name: string | null }>(author: A, redact: Redact): A {
  if (author.name === null) return author
  return { ...author, name: redactorFor(redact, 'document')(author.name) }
}

/** Superseded lines are looked up and not written, so they stay as they are. */
function* redactEdit(
  edit: DocumentEdit,
  redaction: Redaction,
  ahead: RedactedContent | null,
): Steps<DocumentEdit> {
  const written = redactorFor(redaction.redact, 'document')
  const isKnown = ahead?.before === edit.content
  const { after: content, tokens } = isKnown ? ahead : yield* redactDocument(edit, redaction)
  if (!edit.facts) return { ...edit, content, tokens }
  const lines = linesOf(edit.content, content)
  const facts = yield* mapInSteps(edit.facts, fact => redactFact(fact, written, lines))
  return { ...edit, content, tokens, facts }
}

function* redactDocument(
  { content, tokens }: DocumentEdit,
  { redact, measures }: Redaction,
): Steps<RedactedContent> {
  const after = yield* redactorFor(redact, 'document').inSteps(content)
  return { before: content, after, tokens: after === content ? tokens : yield* measures.text(after) }
}

/**
 * For each changed line of a document the redacted line. The line before may name a password, so a line alone
 * is not enough.
 */
function linesOf(before: string, after: string): ReadonlyMap<string, string> {
  if (before === after) return new Map()
  const [old, now] = [before.split('\n'), after.split('\n')]
  if (old.length !== now.length) return new Map()
  return new Map(old.map((line, index) => [line, now[index]!] as const).filter(([line, now]) => line !== now))
}

function* redactFact<F extends { readonly line: string }>(
  fact: F,
  written: RedactText,
  lines: ReadonlyMap<string, string>,
): Steps<F> {
  return { ...fact, line: lines.get(fact.line) ?? (yield* written.inSteps(fact.line)) }
}

/** The settings are the operator's, so they stay. The store measures the redacted messages itself. */
export function* redactFile(file: SessionFile, redaction: Redaction): Steps<SessionFile> {
  const { redact } = redaction
  return {
    ...file,
    memo: file.memo && (yield* redactMemo(file.memo, redact)),
    memoVersions: yield* mapInSteps(file.memoVersions, memo => redactMemo(memo, redact)),
    messages: yield* mapInSteps(file.messages, message => redactFileMessage(message, redact)),
    segments: yield* mapInSteps(file.segments, segment => redactSegment(segment, redaction)),
    pins: yield* mapInSteps(file.pins, pin => redactNote(pin, redaction)),
    documents: yield* mapInSteps(file.documents, document => redactFileDocument(document, redaction)),
  }
}

type FileMessage = SessionFile['messages'][number]

function* redactFileMessage(message: FileMessage, redact: Redact): Steps<FileMessage> {
  const versions =
    message.versions &&
    (yield* mapInSteps(message.versions, function* (version) {
      return { ...version, content: yield* redactContent(version.content, redact) }
    }))
  return {
    ...message,
    content: yield* redactContent(message.content, redact),
    sender: redactSender(message.sender, redact),
    ...(versions && { versions }),
  }
}

type FileDocument = SessionFile['documents'][number]

function* redactFileDocument(document: FileDocument, { redact, measures }: Redaction): Steps<FileDocument> {
  const written = redactorFor(redact, 'document')
  const versions = yield* mapInSteps(document.versions, function* (version) {
    return {
      ...version,
      content: yield* written.inSteps(version.content),
      author: redactAuthor(version.author, redact),
    }
  })
  const [before, content] = [document.versions.at(-1)?.content, versions.at(-1)?.content]
  const lines = linesOf(before ?? '', content ?? '')
  return {
    ...document,
    versions,
    tokens: content === undefined || content === before ? document.tokens : yield* measures.text(content),
    facts: yield* mapInSteps(document.facts, fact => redactFact(fact, written, lines)),
  }
}
