import { TextDecoder } from 'node:util'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { readLines } from './read-lines.ts'
import type { Source } from './source.ts'

/** In bytes. The JavaScript engine cannot hold a longer text in one string. */
export const LARGEST_DOCUMENT = 500_000_000

/** The whole source as one JSON value; or what is wrong with it, and where. */
export async function readDocument(
  source: Source,
  options: { onRead?: (share: number) => void } = {},
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  checkDocumentSize(source)
  const text = await readText(source, options)
  if (text === null) return { problem: `line ${await findNonText(source)}: is not UTF-8 text` }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: describeJsonError(text, (error as Error).message) }
  }
}

export function checkDocumentSize({ path, bytes }: Source): void {
  if (bytes > LARGEST_DOCUMENT)
    throw new PalimpsestError(
      'invalid_transcript',
      `${path} has ${bytes} bytes. A file of conversations is read whole, and at most ${LARGEST_DOCUMENT} ` +
        'bytes of it; a file with one message a line may have any size. Split it, or convert it to lines.',
      { file: path, bytes, allowed: LARGEST_DOCUMENT },
    )
}

/** The text without the byte order mark; `null`: it is not UTF-8. */
async function readText(source: Source, { onRead }: { onRead?: (share: number) => void }) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const pieces: string[] = []
  let read = 0
  for await (const chunk of source.chunks()) {
    read += chunk.length
    onRead?.(read / source.bytes)
    const piece = attempt(() => decoder.decode(chunk, { stream: true }))
    if (piece === null) return null
    pieces.push(piece)
  }
  const end = attempt(() => decoder.decode())
  return end === null ? null : pieces.join('') + end
}

function attempt(decode: () => string): string | null {
  try {
    return decode()
  } catch {
    return null
  }
}

async function findNonText(source: Source): Promise<number> {
  let good = 0
  try {
    for await (const { text } of readLines(source)) {
      if (text === null) break
      good += 1
    }
  } catch (error) {
    // A line that is too long to be read must be the bad one.
    if (!PalimpsestError.isInstance(error)) throw error
  }
  return good + 1
}

/** Writes `line 3, column 5: is not JSON: …`, if the JavaScript engine's message tells the place. */
function describeJsonError(text: string, message: string): string {
  const reason = message.replace(/ \(line \d+ column \d+\)$/, '')
  const position = findPosition(text, message)
  if (position === null) return `is not JSON: ${reason}`
  const before = text.slice(0, position)
  const line = before.split('\n').length
  const column = position - before.lastIndexOf('\n')
  return `line ${line}, column ${column}: is not JSON: ${reason}`
}

/**
 * For an unexpected token, the JavaScript engine shows only the text around it: ten characters on either
 * side.
 */
const AROUND = /^Unexpected token .*?, (\.\.\.)?"([\s\S]*)"(\.\.\.)? is not valid JSON$/
const SHOWN_CHARACTERS = 10

function findPosition(text: string, message: string): number | null {
  const given = / at position (\d+)/.exec(message)
  if (given) return Number(given[1])
  if (/^Unexpected end/.test(message)) return text.length
  const [, isCutBefore, shown, isCutAfter] = AROUND.exec(message) ?? []
  if (shown === undefined || (!isCutBefore && !isCutAfter)) return null
  const start = text.indexOf(shown)
  if (start === -1 || text.indexOf(shown, start + 1) !== -1) return null
  return isCutBefore ? start + SHOWN_CHARACTERS : shown.length - SHOWN_CHARACTERS
}
