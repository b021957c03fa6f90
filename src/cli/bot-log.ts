import { PalimpsestError } from '../errors.ts'
import { UpdateError } from '../runtime/channels/telegram/update-error.ts'
import type { ReplyReport } from '../runtime/options.ts'

/** Ids and reasons, never what was said. */
export function describeReply({ sessionId, seqs, outcome, attempts, error }: ReplyReport): string {
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const reason = error === undefined ? '' : `: ${reasonOf(error)}`
  return `${sessionId} ${seqs.join(', ')}: ${outcome} after ${times}${reason}`
}

/** Those of ours that repeat what was wrong could repeat what somebody said. */
const REPEATING: readonly string[] = ['invalid_message', 'invalid_argument']
const SHOWN_CHARACTERS = 300

export function reasonOf(error: unknown): string {
  const repeating = withCauses(error).find(isRepeating)
  // Its own text is safe, whatever was the cause.
  if (error instanceof UpdateError)
    return repeating ? error.message : `${error.message}: ${reasonOf(error.cause)}`
  // Who wraps an error mostly repeats it.
  if (repeating) return repeating.code
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  const [line = ''] = message.split('\n')
  return (line.trim() === '' ? name : line).slice(0, SHOWN_CHARACTERS).toWellFormed() + placeOf(error)
}

/** What the language itself throws: somebody's mistake, of which the text alone says little. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError]

/** Where in somebody's own code it was thrown. */
function placeOf(error: unknown): string {
  const mistake = MISTAKES.some(kind => error instanceof kind) ? (error as Error) : null
  const stack = mistake?.stack?.split('\n') ?? []
  const frame = stack.find(line => /^\s+at /.test(line) && !/node:|node_modules/.test(line))
  const place = /([^\s()]+:\d+:\d+)\)?$/.exec(frame ?? '')?.[1]
  return place === undefined ? '' : ` (at ${place})`
}

function isRepeating(error: unknown): error is PalimpsestError {
  return PalimpsestError.isInstance(error) && REPEATING.includes(error.code)
}

function withCauses(error: unknown): readonly unknown[] {
  const found = new Set<unknown>()
  for (
    let next = error;
    next !== undefined && !found.has(next);
    next = next instanceof Error ? next.cause : undefined
  )
    found.add(next)
  return [...found]
}
