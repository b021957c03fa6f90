import { CommanderError } from 'commander'
import { ERROR_CODES, PalimpsestError } from 'palimpsest/internals/errors'
import { programLog } from './program-log.ts'
import { ExitCodeError, InterruptedError, NoResultError, type Terminal } from './terminal.ts'

const USAGE_ERROR = 64
const INTERRUPTED = 130
/** The same code that `grep` uses. */
const NO_RESULT = 1
const UNEXPECTED = 70

/** Tells what went wrong and answers with the exit code. */
export function reportError(error: unknown, terminal: Terminal, { json = false } = {}): number {
  const say = programLog(terminal)
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    const message = error.message.replace(/^error: /, '')
    if (json)
      terminal.output.write(`${JSON.stringify({ error: { code: 'invalid_usage', message, details: {} } })}\n`)
    return USAGE_ERROR
  }
  if (error instanceof InterruptedError) {
    say(error.message)
    return INTERRUPTED
  }
  if (error instanceof NoResultError) {
    say(error.message)
    return NO_RESULT
  }
  if (error instanceof ExitCodeError) {
    say(error.message)
    return error.exitCode
  }
  if (PalimpsestError.isInstance(error)) {
    if (json) terminal.output.write(`${JSON.stringify({ error })}\n`)
    say(`palimpsest: ${error.message}`)
    return ERROR_CODES[error.code].exit
  }
  say.error('palimpsest: unexpected', error, { withFrames: true })
  return UNEXPECTED
}
