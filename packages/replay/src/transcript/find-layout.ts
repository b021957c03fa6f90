import { PalimpsestError } from 'palimpsest/internals/errors'
import { unknownFormat } from './invalid-transcript-error.ts'
import { isMetadata, isRow } from './older/recognize-older.ts'
import { checkDocumentSize, LARGEST_DOCUMENT, readDocument } from './read-document.ts'
import { readLines } from './read-lines.ts'
import { looksLikeMessage, recognize } from './recognize.ts'
import { readHead, type Source } from './source.ts'
import type { TranscriptProblem } from './transcript.ts'

/** A JSON value of the file, and its line if the file has one value a line. */
export interface Document {
  readonly line: number | null
  readonly value: unknown
}

/**
 * How a file is laid out. `messages`: one message a line; the file is never held as a whole. `documents`:
 * conversations, where the file is one JSON value or has one on each line; they are held in memory.
 */
export type Layout =
  | { readonly kind: 'messages' }
  | {
      readonly kind: 'documents'
      readonly documents: readonly Document[]
      readonly problems: readonly TranscriptProblem[]
    }

export interface ReadOptions {
  readonly onRead?: (share: number) => void
}

/** Decides by the content of the file, never by its name. */
export async function findLayout(source: Source, options: ReadOptions): Promise<Layout> {
  const head = await readText(source)
  const first = head.charAt(0)
  if (first === '') return { kind: 'messages' }
  if (first === '[') return readWhole(source, options)
  const beginning = await readBeginning(source)
  const isOurs = BEGINS_A_MESSAGE.test(head) || beginning.some(looksLikeMessage)
  if (first !== '{') {
    if (isOurs) return { kind: 'messages' }
    throw unknownFormat(source.path, 'it is neither JSON nor lines of it')
  }
  if (recognize(beginning[0]) !== null || beginning.some(isOlderLine)) return readEachLine(source, options)
  if (beginning[0] !== undefined) {
    if (isOurs) return { kind: 'messages' }
    throw unknownFormat(source.path, 'it is JSON, but no conversation that is known here')
  }
  // The file is one object over several lines, or its first line is broken.
  if (isOurs && source.bytes > LARGEST_DOCUMENT) return { kind: 'messages' }
  return readWhole(source, options, isOurs ? { kind: 'messages' } : null)
}

/** A row of a table, or the line above the messages of a session. */
function isOlderLine(value: unknown): boolean {
  return isRow(value) || isMetadata(value)
}

const HEAD_BYTES = 64 * 1024
const BEGINS_A_MESSAGE = /^\{\s*"(role|text|sender|at|externalId)"\s*:/

/** The beginning of the file, without leading white space and without the byte order mark. */
async function readText(source: Source): Promise<string> {
  const head = await readHead(source, HEAD_BYTES)
  return head.toString('utf8').trimStart()
}

const LOOKED_AT = 20

/** The values of the first lines, each parsed on its own; `undefined`: the line is no JSON. */
async function readBeginning(source: Source): Promise<unknown[]> {
  const values: unknown[] = []
  try {
    for await (const { text } of readLines(source)) {
      if (text?.trim() === '') continue
      values.push(parsed(text))
      if (values.length === LOOKED_AT) break
    }
  } catch (error) {
    // A line that is too long for a message may still be a whole file.
    if (!PalimpsestError.isInstance(error) || error.code !== 'invalid_transcript') throw error
  }
  return values
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

async function readWhole(source: Source, options: ReadOptions, otherwise?: Layout | null): Promise<Layout> {
  const read = await readDocument(source, options)
  if ('value' in read)
    return { kind: 'documents', documents: [{ line: null, value: read.value }], problems: [] }
  if (otherwise) return otherwise
  throw new PalimpsestError(
    'invalid_transcript',
    `${source.path} cannot be taken as it is; nothing was done. ${read.problem}`,
    { file: source.path, problem: read.problem },
  )
}

async function readEachLine(source: Source, options: ReadOptions): Promise<Layout> {
  checkDocumentSize(source)
  const documents: Document[] = []
  const problems: TranscriptProblem[] = []
  for await (const { number, text, position } of readLines(source)) {
    options.onRead?.(position / source.bytes)
    if (text?.trim() === '') continue
    try {
      if (text === null) throw new Error('is not UTF-8 text')
      documents.push({ line: number, value: JSON.parse(text) })
    } catch (error) {
      const problem = (error as Error).message
      problems.push({
        place: `line ${number}`,
        line: number,
        problem: text === null ? problem : `is not JSON: ${problem}`,
      })
    }
  }
  return { kind: 'documents', documents, problems }
}
