import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import { PalimpsestError } from '../errors.ts'

export interface Line {
  /** 1, 2, 3 … as an editor counts them. */
  readonly number: number
  /** `null`: the bytes are not UTF-8. */
  readonly text: string | null
  /** How far the file has been read, in bytes. */
  readonly position: number
}

const NEWLINE = 0x0a
const LONGEST_LINE = 64 * 1024 * 1024

/**
 * The lines of a file of any size, or of standard input (`-`). Not by `node:readline`, which also
 * breaks lines at U+2028, and that is allowed inside JSON text.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  let position = 0
  try {
    const stream = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 1024 * 1024 })
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        number += 1
        position += end + 1 - start
        yield { number, text: decode(decoder, bytes.subarray(start, end)), position }
        start = end + 1
      }
      rest = bytes.subarray(start)
      if (rest.length > LONGEST_LINE)
        throw new PalimpsestError(
          'invalid_transcript',
          `${path}: line ${number + 1} is longer than ${LONGEST_LINE} bytes. One message stands on one line.`,
          { file: path, line: number + 1 },
        )
    }
  } catch (error) {
    throw toFileError(error, path)
  }
  if (rest.length > 0)
    yield { number: number + 1, text: decode(decoder, rest), position: position + rest.length }
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    const text = decoder.decode(bytes)
    return text.endsWith('\r') ? text.slice(0, -1) : text
  } catch {
    return null
  }
}

function toFileError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT')
    return new PalimpsestError('file_not_found', `There is no file ${path}.`, { file: path })
  if (code === 'EISDIR')
    return new PalimpsestError('file_not_found', `${path} is a folder; name a file.`, { file: path })
  if (code === 'EACCES' || code === 'EPERM')
    return new PalimpsestError('file_not_found', `${path} may not be read.`, { file: path })
  return error
}
