import { TextDecoder } from 'node:util'
import { PalimpsestError } from 'palimpsest/internals/errors'
import type { Source } from './source.ts'

export interface Line {
  /** 1, 2, 3 … as an editor counts. */
  readonly number: number
  /** `null`: the bytes are not UTF-8. */
  readonly text: string | null
  /** How far the file has been read, in bytes. */
  readonly position: number
}

const NEWLINE = 0x0a
const MAX_LINE = 64 * 1024 * 1024

/**
 * The lines of a source of any size. `node:readline` is no help: it also breaks lines at U+2028, which is
 * allowed inside JSON text.
 */
export async function* readLines(source: Source): AsyncGenerator<Line> {
  const { path } = source
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest: Buffer[] = []
  let restBytes = 0
  let number = 0
  let position = 0
  for await (const chunk of source.chunks()) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      number += 1
      position += restBytes + end + 1 - start
      yield { number, text: decode(decoder, joined(rest, chunk.subarray(start, end))), position }
      start = end + 1
      rest = []
      restBytes = 0
    }
    rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > MAX_LINE)
      throw new PalimpsestError(
        'invalid_transcript',
        `${path}: line ${number + 1} is longer than ${MAX_LINE} bytes. One message stands on one line.`,
        { file: path, line: number + 1 },
      )
  }
  if (restBytes > 0)
    yield { number: number + 1, text: decode(decoder, Buffer.concat(rest)), position: position + restBytes }
}

function joined(rest: readonly Buffer[], end: Buffer): Buffer {
  return rest.length === 0 ? end : Buffer.concat([...rest, end])
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    const text = decoder.decode(bytes)
    return text.endsWith('\r') ? text.slice(0, -1) : text
  } catch {
    return null
  }
}
