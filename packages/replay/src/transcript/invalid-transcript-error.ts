import { PalimpsestError } from 'palimpsest/internals/errors'
import type { TranscriptFormat, TranscriptProblem } from './transcript.ts'

const MAX_PROBLEMS = 20

/** The beginning of the error's message. It tells the reader what the file was read as. */
const READ_AS: Readonly<Record<TranscriptFormat, string>> = {
  palimpsest: 'A transcript has one message a line, in UTF-8: {"role":"user","text":"hi"}',
  'palimpsest-session': 'It was read as a session that palimpsest export wrote:',
  chatgpt: 'It was read as an export of ChatGPT:',
  telegram: 'It was read as an export of Telegram Desktop:',
  openai: 'It was read as messages of the OpenAI API:',
  'ai-sdk': 'It was read as messages of the AI SDK:',
  older: 'It was read as sessions of an older system:',
}

/** Lists what cannot be read: the first twenty problems, with their places. */
export class InvalidTranscriptError extends PalimpsestError<{
  file: string
  format: TranscriptFormat
  problems: readonly TranscriptProblem[]
  total: number
}> {
  override readonly name = 'InvalidTranscriptError'
  constructor(file: string, format: TranscriptFormat, all: readonly TranscriptProblem[]) {
    const problems = all.slice(0, MAX_PROBLEMS)
    const lines = problems.map(({ place, problem }) => `  ${place}: ${problem}`)
    const more = all.length - problems.length
    if (more > 0) lines.push(`  and ${more} more${format === 'palimpsest' ? ' lines' : ''}`)
    super(
      'invalid_transcript',
      `${file} cannot be taken as it is; nothing was done. ${READ_AS[format]}\n${lines.join('\n')}`,
      { file, format, problems, total: all.length },
    )
  }
}

/** The file is not JSON, or it is JSON that no reader knows. */
export function unknownFormat(file: string, problem: string): PalimpsestError {
  return new PalimpsestError(
    'invalid_transcript',
    `${file} cannot be taken: ${problem}. Nothing was done. These can be read, all in UTF-8:
  one message a line: {"role":"user","text":"hi"}
  ChatGPT: conversations.json out of the archive that "Export data" sends
  Telegram Desktop: result.json of a chat or an account, exported as "Machine-readable JSON"
  OpenAI: a list of messages, { "messages": […] }, or one such object a line
  AI SDK: a list of UI messages or model messages, or { "messages": […] }
  older sessions: { "messages", "last_consolidated" }, { "full_chat_history", "current_chat_history", "memo" },
    { "messages", "compressedThroughRound" }, rows with is_archived (JSON, lines, SQLite), { "chat id": { "messages" } }`,
    { file, problem, formats: Object.keys(READ_AS) },
  )
}
