import type { MessageInput } from 'palimpsest/internals/log/index'
import { checkMessage } from './check-messages.ts'
import { readLines } from './read-lines.ts'
import type { Source } from './source.ts'
import type { TranscriptMessage, TranscriptProblem } from './transcript.ts'

/**
 * Reads our own format: one message a line, `{"role","text","sender","at","externalId"}`. The file is never
 * held as a whole.
 */
export async function* readPalimpsest(source: Source): AsyncGenerator<TranscriptMessage | TranscriptProblem> {
  for await (const { number, text, position } of readLines(source)) {
    if (text !== null && text.trim() === '') continue
    const place = `line ${number}`
    const message = text === null ? 'is not UTF-8 text' : parseMessage(text)
    yield typeof message === 'string'
      ? { place, line: number, problem: message }
      : { place, position, message }
  }
}

function parseMessage(json: string) {
  let input: MessageInput
  try {
    input = JSON.parse(json)
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
  return checkMessage(input)
}
