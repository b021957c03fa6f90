import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { PalimpsestError } from '../errors.ts'
import { type MessageInput, type NewMessage, normalizeMessage, type SessionKind } from '../log/index.ts'
import { type Line, readLines } from './read-lines.ts'

export interface TranscriptMessage {
  readonly line: number
  /** How far the file has been read, in bytes. */
  readonly position: number
  readonly message: NewMessage
}

/** A transcript that was read through once and found good. It can be read again and again. */
export interface Transcript {
  readonly path: string
  readonly bytes: number
  /** Without those that only repeat another. */
  readonly messages: number
  /** `group` where more than one person speaks in the role of a user. */
  readonly kind: SessionKind
  read(): AsyncGenerator<TranscriptMessage>
}

interface TranscriptProblem {
  readonly line: number
  readonly problem: string
}

export class InvalidTranscriptError extends PalimpsestError<{
  file: string
  problems: readonly TranscriptProblem[]
  total: number
}> {
  override readonly name = 'InvalidTranscriptError'
  constructor(file: string, problems: readonly TranscriptProblem[], total: number) {
    const lines = problems.map(({ line, problem }) => `  line ${line}: ${problem}`)
    if (total > problems.length) lines.push(`  and ${total - problems.length} more lines`)
    super(
      'invalid_transcript',
      `${file} cannot be taken as it is; nothing was done. A transcript has one message a line, in UTF-8: ` +
        `{"role":"user","text":"hi"}\n${lines.join('\n')}`,
      { file, problems, total },
    )
  }
}

const MOST_PROBLEMS = 20

/**
 * Reads a transcript through: one message a line, `{"role","text","sender","at","externalId"}`. Every
 * line that cannot be taken is named, by its number, before anything is done with the others.
 */
export async function openTranscript(
  path: string,
  options: { onProgress?: (share: number) => void } = {},
): Promise<Transcript> {
  // Only a file can be read twice; a pipe is kept.
  const size = path === '-' ? null : await fileSize(path)
  const source = size === null ? await collect(readLines(path)) : null
  const read = () => readMessages(source ?? readLines(path))
  const bytes = size ?? source?.at(-1)?.position ?? 0
  const people = new Set<string>()
  const digests = new Map<string, number>()
  let repeats = 0
  let total = 0
  const problems: TranscriptProblem[] = []
  for await (const entry of read()) {
    if ('problem' in entry) {
      problems.push(entry)
      continue
    }
    const { line, message, position } = entry
    total += 1
    if (message.externalId !== null) {
      const digest = contentDigest(message).readUInt32LE()
      const earlier = digests.get(message.externalId)
      if (earlier !== undefined) repeats += 1
      if (earlier !== undefined && earlier !== digest)
        problems.push({
          line,
          problem: `externalId ${JSON.stringify(message.externalId)} stood on an earlier line with other content`,
        })
      digests.set(message.externalId, digest)
    }
    if (message.role === 'user' && people.size < 2) people.add(message.sender?.id ?? '')
    options.onProgress?.(position / bytes)
  }
  if (problems.length > 0)
    throw new InvalidTranscriptError(path, problems.slice(0, MOST_PROBLEMS), problems.length)
  return {
    path,
    bytes,
    messages: total - repeats,
    kind: people.size > 1 ? 'group' : 'private',
    async *read() {
      for await (const entry of read()) if ('message' in entry) yield entry
    },
  }
}

async function* readMessages(
  lines: AsyncIterable<Line> | Iterable<Line>,
): AsyncGenerator<TranscriptMessage | TranscriptProblem> {
  for await (const { number, text, position } of lines) {
    if (text === null) {
      yield { line: number, problem: 'is not UTF-8 text' }
      continue
    }
    if (text.trim() === '') continue
    const message = parseMessage(text)
    yield typeof message === 'string'
      ? { line: number, problem: message }
      : { line: number, position, message }
  }
}

/** The message, or what is wrong with it. */
function parseMessage(json: string): NewMessage | string {
  let input: MessageInput
  try {
    input = JSON.parse(json)
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
  try {
    return normalizeMessage(input, { zone: 'UTC' })
  } catch (error) {
    if (PalimpsestError.isInstance(error)) return error.message
    throw error
  }
}

function contentDigest({ role, content }: NewMessage): Buffer {
  return digest([role, content])
}

function digest(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest()
}

/** For a message without an id: one made from its line and all that it says, so that a repeated import is known. */
export function lineId({ line, message }: TranscriptMessage): string {
  const { role, content, sender, at } = message
  return `line:${line}:${digest([role, content, sender, at]).toString('base64url').slice(0, 16)}`
}

/** `null`: not a file, or not there, which reading it will say. */
async function fileSize(path: string): Promise<number | null> {
  return stat(path).then(
    found => (found.isFile() ? found.size : null),
    () => null,
  )
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
