import { setImmediate } from 'node:timers/promises'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import { checkMessage, checkMessages } from './check-messages.ts'
import { type Document, findLayout, type Layout } from './find-layout.ts'
import { InvalidTranscriptError, unknownFormat } from './invalid-transcript-error.ts'
import { type BotDocuments, readBeside } from './older/read-beside.ts'
import { readOlder } from './older/read-older.ts'
import { readOlderLines } from './older/read-older-lines.ts'
import { isSqlite, readSqlite } from './older/read-sqlite.ts'
import { findOlder } from './older/recognize-older.ts'
import { readAiSdk } from './read-ai-sdk.ts'
import { readChatGpt } from './read-chatgpt.ts'
import { readOpenAI } from './read-openai.ts'
import { readPalimpsest } from './read-palimpsest.ts'
import { readSession } from './read-session.ts'
import { readTelegram } from './read-telegram.ts'
import { type JsonFormat, recognize } from './recognize.ts'
import { openSource, type Source } from './source.ts'
import type { FoundConversation, Transcript, TranscriptMessage, TranscriptProblem } from './transcript.ts'

export interface TranscriptOptions {
  /** The share of the reading that is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void
  /** In a chat between people: the name or the id of the person who becomes the assistant. */
  readonly self?: string
  /** The time zone for times without an offset in older sessions. The default: UTC. */
  readonly zone?: string
  /** The time for older sessions in which nothing has a time. The default: now. */
  readonly now?: number
}

const OPTIONS = optionsOf<TranscriptOptions>({ onProgress: true, self: true, zone: true, now: true })

const READERS: Readonly<
  Record<JsonFormat, (value: unknown, options: TranscriptOptions) => FoundConversation[]>
> = {
  'palimpsest-session': readSession,
  chatgpt: readChatGpt,
  telegram: readTelegram,
  openai: readOpenAI,
  'ai-sdk': readAiSdk,
  older: (value, options) => readOlder(findOlder(value)!, olderOptions(options)),
}

function olderOptions({ zone = 'UTC', now = Date.now() }: TranscriptOptions) {
  return { zone, now }
}

/**
 * Reads a whole file, or standard input (`-`), and returns its conversations. There is at least one, which is
 * empty if the file is. The format is recognised by the content. If messages cannot be read, the error names
 * each of them, before the caller gets any conversation.
 *
 * @example
 * ```ts
 * const [transcript] = await openTranscripts('result.json', { self: 'Ada' })
 * for await (const { place, message } of transcript!.read()) console.log(place, message.role)
 * ```
 */
export async function openTranscripts(
  file: string | Source,
  options: TranscriptOptions = {},
): Promise<readonly Transcript[]> {
  checkOptions('openTranscripts', options, OPTIONS)
  const onProgress = options.onProgress ?? (() => {})
  const source = typeof file === 'string' ? await openSource(file, { onChunk: () => onProgress(0) }) : file
  const layout = (await isSqlite(source))
    ? documentLayout(await readSqlite(source))
    : await findLayout(source, { onRead: share => onProgress(share / 2) })
  if (layout.kind === 'messages') return [await openMessages(source, onProgress)]
  const found = findConversations(source, layout.documents, options)
  const all = { ...found, problems: [...layout.problems, ...found.problems] }
  const withFiles = isFileOfChats(source, layout.documents) ? await addBeside(source, all) : all
  return openConversations(source, withFiles, share => onProgress((1 + share) / 2))
}

function documentLayout(value: unknown): Layout {
  return { kind: 'documents', documents: [{ line: null, value }], problems: [] }
}

/** Files beside standard input, or beside a single session, do not belong to it. */
function isFileOfChats({ path }: Source, documents: readonly Document[]): boolean {
  if (path === '-' || documents.length !== 1) return false
  const older = findOlder(documents[0]!.value)
  return older?.kind === 'sessions' && older.sessions.some(({ id }) => id !== null)
}

async function addBeside({ path }: Source, found: FoundInFile): Promise<FoundInFile> {
  const { conversations, bot, problems } = await readBeside(path, found.conversations)
  const older = { format: 'older' as const, line: null }
  return {
    conversations: conversations.map(conversation => ({ ...older, ...conversation })),
    bot,
    problems: [...found.problems, ...problems],
  }
}

async function openMessages(source: Source, onProgress: (share: number) => void): Promise<Transcript> {
  const { path, bytes } = source
  const { problems, ...checked } = await checkMessages(readPalimpsest(source), ({ position }) =>
    onProgress(position / bytes),
  )
  if (problems.length > 0) throw new InvalidTranscriptError(path, 'palimpsest', problems)
  return {
    path,
    format: 'palimpsest',
    id: null,
    title: null,
    number: 1,
    bytes,
    past: null,
    bot: null,
    ...checked,
    async *read() {
      for await (const entry of readPalimpsest(source)) if ('message' in entry) yield entry
    },
  }
}

interface Found extends FoundConversation {
  readonly format: JsonFormat
  /** The line of its JSON value. */
  readonly line: number | null
}

interface FoundInFile {
  readonly conversations: readonly Found[]
  readonly problems: readonly TranscriptProblem[]
  readonly bot?: BotDocuments | null
}

function findConversations(
  { path }: Source,
  documents: readonly Document[],
  options: TranscriptOptions,
): FoundInFile {
  const lines = readOlderLines(documents, olderOptions(options))
  if (lines !== null)
    return {
      conversations: lines.conversations.map(found => ({ ...found, format: 'older', line: null })),
      problems: lines.problems,
    }
  const formats = documents.map(({ value }) => recognize(value))
  const first = formats.find(format => format !== null)
  if (first === undefined) throw unknownFormat(path, NO_CONVERSATION)
  const conversations: Found[] = []
  const problems: TranscriptProblem[] = []
  for (const [index, { line, value }] of documents.entries()) {
    const format = formats[index] ?? null
    if (format === null) problems.push(noConversation(line))
    else for (const found of READERS[format](value, options)) conversations.push({ ...found, format, line })
  }
  if (conversations.length > 0) return { conversations, problems }
  // An account without a chat is one empty conversation.
  return { conversations: [{ id: null, title: null, messages: [], format: first, line: null }], problems }
}

const NO_CONVERSATION = 'it is JSON, but no conversation that is known here'

function noConversation(line: number | null): TranscriptProblem {
  return { place: `line ${line}`, problem: 'holds no conversation: { "messages": […] }' }
}

async function openConversations(
  { path, bytes }: Source,
  { conversations, problems: broken, bot = null }: FoundInFile,
  onProgress: (share: number) => void,
): Promise<readonly Transcript[]> {
  const all = conversations.reduce((sum, { messages }) => sum + messages.length, 0)
  const bytesOf = (messages: number) => Math.round((bytes * messages) / Math.max(1, all))
  const problems = [...broken]
  const transcripts: Transcript[] = []
  let done = 0
  for (const [index, found] of conversations.entries()) {
    const { id, title, format, past = null } = found
    const entries: TranscriptMessage[] = []
    const { messages, kind, ...checked } = await checkMessages(checkEach(found, bytesOf), entry => {
      entries.push(entry)
      done += 1
      onProgress(done / all)
    })
    const name = conversations.length > 1 ? `${placeOf(found, index + 1)}, ` : ''
    for (const problem of checked.problems) problems.push({ ...problem, place: `${name}${problem.place}` })
    transcripts.push({
      ...{ path, format, id, title, number: index + 1, messages, kind, past, bot },
      bytes: all === 0 ? bytes : bytesOf(found.messages.length),
      read: () => inTurn(entries),
    })
  }
  const first = transcripts[0]!
  if (problems.length > 0) throw new InvalidTranscriptError(path, first.format, problems)
  const spoken = transcripts.filter(({ messages, past }) => messages > 0 || (past?.documents.length ?? 0) > 0)
  return spoken.length > 0 ? spoken : [first]
}

function placeOf({ line, title }: Found, number: number): string {
  const place = line === null ? `conversation ${number}` : `line ${line}`
  return title === null ? place : `${place} ${JSON.stringify(title)}`
}

async function* checkEach(
  { messages }: FoundConversation,
  bytesOf: (messages: number) => number,
): AsyncGenerator<TranscriptMessage | TranscriptProblem> {
  let position = 0
  for await (const found of inTurn(messages)) {
    position += 1
    const { place } = found
    const message = 'problem' in found ? found.problem : checkMessage(found.input)
    yield typeof message === 'string'
      ? { place, problem: message }
      : { place, position: bytesOf(position), message }
  }
}

const AT_A_TIME = 200

/**
 * Pauses now and then. Without pauses, reading from memory would never give way to the event loop, and the
 * caller could not interrupt it.
 */
async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const [index, item] of items.entries()) {
    if (index % AT_A_TIME === 0) await setImmediate()
    yield item
  }
}
